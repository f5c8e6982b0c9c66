import { runTokenSupplies, type TokenSupplySummary } from '../../ingest/datasets/market/run-token-supplies.js'
import { UsageError } from '../usage-error.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'

/** Runs `supply-tokens`, which reads the units of tokens from their contracts. */
export async function ingestTokenSupplies(world: World, options: Options): Promise<Outcome> {
  assertNoCandleOptions(options)
  if (options.files.length > 0) throw new UsageError('supply-tokens has only the option --json')
  const summary = await runTokenSupplies(world)
  return { summary, text: textOf(summary), isEmpty: summary.rows === 0 }
}

function textOf(run: TokenSupplySummary): string {
  const seed = run.removedSeed > 0 ? `; ${run.removedSeed} seed rows removed` : ''
  const counts = `${run.added} added, ${run.revised} revised, ${run.unchanged} unchanged, ${run.rejected} rejected, ${run.absent} absent`
  const seconds = (run.durationMs / 1000).toFixed(1)
  const rejections = run.rejections.map(({ position, reason }) => `  rejected ${position}: ${reason}\n`)
  const leftOut = run.chainsLeftOut.map(
    (chainId) => `  skipped chain ${chainId}: RPC_URLS_${chainId} is not set\n`,
  )
  return `supply-tokens: ${run.rows} tokens counted: ${counts}${seed} (${seconds} s)\n${[...rejections, ...leftOut].join('')}`
}
