import { createChainReader, RETRYING } from '../../ingest/chains/ask-addresses.js'
import {
  type AddressSnapshotsSummary,
  runAddressSnapshots,
} from '../../ingest/datasets/onchain/run-address-snapshots.js'
import { UsageError } from '../usage-error.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'

/** Runs `address-snapshots`, which reads the labelled addresses from their chains. */
export async function ingestAddressSnapshots(world: World, options: Options): Promise<Outcome> {
  assertNoCandleOptions(options)
  if (options.files.length > 0) throw new UsageError('address-snapshots has only the option --json')
  const summary = await runAddressSnapshots({
    ...world,
    chainReader: createChainReader({ ...world, ...RETRYING }),
  })
  return { summary, text: textOf(summary), isEmpty: summary.rows === 0 }
}

function textOf(run: AddressSnapshotsSummary): string {
  const seed = run.removedSeed > 0 ? `; ${run.removedSeed} seed rows removed` : ''
  const counts = `${run.added} added, ${run.revised} revised, ${run.unchanged} unchanged, ${run.absent} absent`
  const out = run.rejections.map(({ position, reason }) => `  no answer from ${position}: ${reason}\n`)
  return `address-snapshots: ${run.rows} labelled addresses: ${counts}${seed}\n${out.join('')}`
}
