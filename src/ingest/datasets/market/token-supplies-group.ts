import { sha256Hex } from '../../../core/canonical-json.js'
import { groupBy } from '../../../core/group-by.js'
import { PROVIDERS } from '../../../core/providers.js'
import { loadTokens } from '../../../domains/instruments/masters/masters-store.js'
import { askChain, type ChainHarvest } from '../../chains/ask-supplies.js'
import { IngestError, type Parsed } from '../../feed.js'
import type { FeedGroup, GroupDeps } from '../../feed-group.js'
import { MAX_REJECTIONS_KEPT, type Rejection } from '../../run/ledger.js'
import { type OpenRun, runOneInLedger } from '../../run/run.js'
import { type DatasetCounts, writeDataset } from '../../run/write-dataset.js'
import { jobCounts } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { supplySink } from './ingestion.js'

const FEED = { id: 'supply-tokens', provider: PROVIDERS.evm, dataset: 'supply' } as const

export interface TokenSupplySummary extends DatasetCounts {
  readonly runId: string
  /** Requested tokens and failed nodes: rows + rejected + absent. */
  readonly read: number
  /** Tokens with a supply read. */
  readonly rows: number
  /** Chains with tokens whose RPC_URLS_<chain_id> is not set. */
  readonly chainsLeftOut: readonly number[]
  readonly rejected: number
  /** Tokens of the chains that did not answer. */
  readonly absent: number
  /** The first rejections. */
  readonly rejections: readonly Rejection[]
  readonly durationMs: number
}

/** Reads the supplies of tokens at the configured nodes of their chains. */
export const tokenSuppliesGroup: FeedGroup<TokenSupplySummary> = {
  name: FEED.id,
  job: {
    dataset: FEED.dataset,
    cadence: 'every 6 hours, where RPC_URLS_<chain_id> are set',
    schedule: byCron('40 */6 * * *', 60_000),
    needsAssets: true,
    isOn: ({ rpcUrls }) => rpcUrls.size > 0,
  },
  command: {
    options: [],
    help: ['Units of tokens by totalSupply() over JSON-RPC, from the nodes of RPC_URLS_<chain_id>'],
  },
  run: async (deps) => {
    const summary = await readSupplies(deps)
    const unset = summary.chainsLeftOut.map((chainId) => `RPC_URLS_${chainId} is not set`)
    return {
      summary,
      text: textOf(summary),
      isEmpty: summary.rows === 0,
      counts: jobCounts(summary),
      note: unset.length === 0 ? null : unset.join('; '),
    }
  },
}

function textOf(run: TokenSupplySummary): string {
  const seed = run.removedSeed > 0 ? `; ${run.removedSeed} seed rows removed` : ''
  const counts = `${run.added} added, ${run.revised} revised, ${run.unchanged} unchanged, ${run.rejected} rejected, ${run.absent} absent`
  const seconds = (run.durationMs / 1000).toFixed(1)
  const rejections = run.rejections.map(({ position, reason }) => `  rejected ${position}: ${reason}\n`)
  const leftOut = run.chainsLeftOut.map(
    (chainId) => `  skipped chain ${chainId}: RPC_URLS_${chainId} is not set\n`,
  )
  return `${FEED.id}: ${run.rows} tokens counted: ${counts}${seed} (${seconds} s)\n${[...rejections, ...leftOut].join('')}`
}

/**
 * Reads `totalSupply()` of every token with a known contract, chain by chain at the nodes of `RPC_URLS_<chain_id>`,
 * all in one transaction. A chain whose nodes do not answer is reported, and the others go on. Throws IngestError
 * if no chain is configured, no token is on a configured chain, or no chain answers.
 */
async function readSupplies(deps: GroupDeps): Promise<TokenSupplySummary> {
  const { rpcUrls } = deps.settings
  if (rpcUrls.size === 0) {
    throw new IngestError(
      'supply-tokens is not configured: set RPC_URLS_1 (Ethereum), RPC_URLS_10, RPC_URLS_42161 … to JSON-RPC addresses',
    )
  }
  const origin = `chains ${[...rpcUrls.keys()].sort((a, b) => a - b).join(', ')}`
  return runOneInLedger(deps, { feed: FEED, origin }, (run) => load(deps, run))
}

async function load(
  { database, http, settings: { rpcUrls }, log }: GroupDeps,
  run: OpenRun,
): Promise<TokenSupplySummary> {
  const began = performance.now()
  const now = run.startedAt
  const chains = groupBy(await loadTokens(database), ({ contract }) => String(contract.chainId))
  const tokens = [...rpcUrls].flatMap(([chainId, urls]) => {
    const tokens = chains.get(String(chainId))
    return tokens === undefined ? [] : [{ chainId, urls, tokens, now }]
  })
  if (tokens.length === 0) throw new IngestError('no known token is on a configured chain')
  const harvests = await Promise.all(tokens.map((question) => askChain(http, question)))
  run.received(bodyOf(harvests))
  const items = harvests.flatMap((harvest) => harvest.items)
  const rows = items.flatMap((item) => (item.kind === 'row' ? item.row : []))
  const rejections = items.flatMap(rejectionsOf)
  if (harvests.every(({ isOut }) => isOut)) {
    throw new IngestError(`no chain answered: ${rejections[0]?.reason ?? 'no answer'}`)
  }
  const out = tokens.filter((_, at) => harvests[at]?.isOut === true)
  const others = {
    rejected: rejections.length,
    absent: out.reduce((sum, { tokens }) => sum + tokens.length, 0),
    rejections: rejections.slice(0, MAX_REJECTIONS_KEPT),
  }
  const counts = await database.transaction(async (tx) => {
    const written = await writeDataset(tx, { ...FEED, sink: supplySink }, [rows], now)
    await run.succeed(tx, { ...written, ...others })
    return written
  })
  const chainsLeftOut = [...chains.keys()].map(Number).filter((chainId) => !rpcUrls.has(chainId))
  const durationMs = Math.round(performance.now() - began)
  log.info({ ...counts, rejected: rejections.length, chainsLeftOut, durationMs }, 'token supplies ingested')
  const read = items.length + others.absent
  return { runId: run.runId, read, rows: rows.length, ...counts, chainsLeftOut, ...others, durationMs }
}

function rejectionsOf(item: Parsed<unknown>): readonly Rejection[] {
  return item.kind === 'row' ? [] : [{ position: item.position, reason: item.reason }]
}

function bodyOf(harvests: readonly ChainHarvest[]) {
  const bodies = harvests.flatMap((harvest) => harvest.bodies)
  return {
    sha256: sha256Hex(new TextEncoder().encode(bodies.map(({ sha256 }) => sha256).join(''))),
    bytes: bodies.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
