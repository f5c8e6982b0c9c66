import { groupBy } from '../../../core/group-by.js'
import { PROVIDERS } from '../../../core/providers.js'
import { toIsoDate } from '../../../core/time.js'
import { LABELLED_ADDRESSES } from '../../../domains/onchain/labels-model.js'
import {
  type AddressKey,
  type AddressSnapshot,
  ChainDown,
  type ChainReader,
  MAX_ADDRESSES,
} from '../../../domains/onchain/model.js'
import { createChainReader, RETRYING } from '../../chains/ask-addresses.js'
import { IngestError } from '../../feed.js'
import type { FeedGroup } from '../../feed-group.js'
import { errorText, MAX_REJECTIONS_KEPT, type Rejection } from '../../run/ledger.js'
import { type IngestDeps, type OpenRun, runOneInLedger } from '../../run/run.js'
import { type DatasetCounts, writeDataset } from '../../run/write-dataset.js'
import { jobCounts } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { onchainSink } from './ingestion.js'

const FEED = { id: 'address-snapshots', provider: PROVIDERS.evm, dataset: 'onchain' } as const

interface AddressSnapshotsDeps extends IngestDeps {
  readonly chainReader: ChainReader
}

/** Takes the daily snapshot of each labelled address, at the configured nodes of its chain. */
export const addressSnapshotsGroup: FeedGroup<AddressSnapshotsSummary> = {
  name: FEED.id,
  job: {
    dataset: FEED.dataset,
    cadence: 'every day, where RPC_URLS_<chain_id> are set',
    schedule: byCron('20 0 * * *', 600_000),
    isOn: ({ rpcUrls }) => rpcUrls.size > 0,
  },
  command: { options: [], help: ['The daily snapshot of each labelled address, from the same nodes'] },
  run: async (deps) => {
    const { rpcUrls, etherscanKey } = deps.settings
    const chainReader = createChainReader({ ...deps, rpcUrls, etherscanKey, ...RETRYING })
    const summary = await runAddressSnapshots({ ...deps, chainReader })
    const silent = summary.rejections.map(({ position }) => `${position} did not answer`)
    return {
      summary,
      text: textOf(summary),
      isEmpty: summary.rows === 0,
      counts: jobCounts(summary),
      note: silent.length === 0 ? null : silent.join('; '),
    }
  },
}

function textOf(run: AddressSnapshotsSummary): string {
  const seed = run.removedSeed > 0 ? `; ${run.removedSeed} seed rows removed` : ''
  const counts = `${run.added} added, ${run.revised} revised, ${run.unchanged} unchanged, ${run.absent} absent`
  const out = run.rejections.map(({ position, reason }) => `  no answer from ${position}: ${reason}\n`)
  return `${FEED.id}: ${run.rows} labelled addresses: ${counts}${seed}\n${out.join('')}`
}

interface AddressSnapshotsSummary extends DatasetCounts {
  /** Requested addresses and failed chains: rows + rejected + absent. */
  readonly read: number
  readonly rows: number
  readonly rejected: number
  /** Addresses of the chains that did not answer. */
  readonly absent: number
  /** The first rejections. */
  readonly rejections: readonly Rejection[]
}

/**
 * Takes a snapshot of each labelled address on the configured chains, all in one transaction. A chain that does not
 * answer is reported, and the others go on. Throws IngestError if no chain is configured or none answers.
 */
function runAddressSnapshots(deps: AddressSnapshotsDeps): Promise<AddressSnapshotsSummary> {
  const { chainIds } = deps.chainReader
  if (chainIds.size === 0)
    throw new IngestError('address-snapshots is not configured: set RPC_URLS_1 (Ethereum), RPC_URLS_56 …')
  const origin = `chains ${[...chainIds].sort((a, b) => a - b).join(', ')}`
  return runOneInLedger(deps, { feed: FEED, origin }, (run) => load(deps, run))
}

async function load(
  { database, chainReader, log }: AddressSnapshotsDeps,
  run: OpenRun,
): Promise<AddressSnapshotsSummary> {
  const now = run.startedAt
  const addresses = LABELLED_ADDRESSES.filter(({ chainId }) => chainReader.chainIds.has(chainId))
  const chains = [...groupBy(addresses, ({ chainId }) => String(chainId)).values()]
  const harvests = await Promise.all(chains.map((keys) => takeSnapshots(chainReader, keys, now)))
  const rows = harvests.flatMap(({ snapshots }) => snapshots)
  const rejections = harvests.flatMap(({ failures }) => failures)
  if (rows.length === 0) throw new IngestError(`no chain answered: ${rejections[0]?.reason ?? 'no answer'}`)
  const others = {
    rejected: rejections.length,
    absent: addresses.length - rows.length,
    rejections: rejections.slice(0, MAX_REJECTIONS_KEPT),
  }
  const counts = await database.transaction(async (tx) => {
    const written = await writeDataset(tx, { ...FEED, sink: onchainSink }, [rows], now)
    await run.succeed(tx, { ...written, ...others })
    return written
  })
  log.info({ ...counts, rejected: rejections.length }, 'snapshots of labelled addresses taken')
  return { read: addresses.length + rejections.length, rows: rows.length, ...counts, ...others }
}

interface Harvest {
  readonly snapshots: readonly AddressSnapshot[]
  readonly failures: readonly Rejection[]
}

/** Requests run one after another; a chain that fails one gets no more. */
async function takeSnapshots(reader: ChainReader, keys: readonly AddressKey[], now: Date): Promise<Harvest> {
  const snapshots: AddressSnapshot[] = []
  const facts = { snapshotDate: toIsoDate(now), fetchedAt: now, source: PROVIDERS.evm.id }
  for (let start = 0; start < keys.length; start += MAX_ADDRESSES) {
    const batch = keys.slice(start, start + MAX_ADDRESSES)
    const chainId = batch[0]?.chainId ?? 0
    try {
      const addresses = batch.map(({ address }) => address)
      const readings = await reader.read(chainId, addresses, now)
      snapshots.push(...readings.map((reading) => ({ ...reading, ...facts })))
    } catch (error) {
      if (!(error instanceof ChainDown)) throw error
      return { snapshots, failures: [{ position: `chain ${chainId}`, reason: errorText(error) }] }
    }
  }
  return { snapshots, failures: [] }
}
