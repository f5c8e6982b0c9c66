import { sha256Hex } from '../../core/canonical-json.js'
import { fixedClock } from '../../core/time.js'
import { readDatasetState } from '../../platform/database/data-version.js'
import type { Database } from '../../platform/database/database.js'
import { createLogger } from '../../platform/logger.js'
import { type BoundFeed, bindFeed, IngestError } from '../feed.js'
import { readLastBody } from '../ledger.js'
import { candlesSink, forexSink, instrumentsSink, supplySink } from '../registry.js'
import { type RunDeps, type RunSummary, runFeed } from '../run-feed.js'
import { type AnalysisSeedSummary, seedAnalysis } from './seed-analysis.js'
import { seedCandles, seedCandlesBody } from './seed-candles.js'
import { seedForex, seedForexBody } from './seed-forex.js'
import { seedInstruments, seedInstrumentsBody } from './seed-instruments.js'
import { seedSupply, seedSupplyBody } from './seed-supply.js'

const PARTS = ['instruments', 'forex', 'candles', 'supply', 'analysis'] as const

export type SeedPart = (typeof PARTS)[number]

/** What came of each part; null: it was left alone, as its dataset is live or holds just that already. */
export type SeedSummary = Readonly<Record<Exclude<SeedPart, 'analysis'>, RunSummary | null>> & {
  readonly analysis: AnalysisSeedSummary | null
}

/**
 * Puts the synthetic world, or only the parts named, into the database through the same feeds and rules as live data;
 * `now` decides which days it has. Again on another day it adds what is new. A dataset with live data is left alone.
 */
export async function seedWorld(
  database: Database,
  now: Date,
  parts: readonly SeedPart[] = PARTS,
): Promise<SeedSummary> {
  const deps: RunDeps = {
    database,
    clock: fixedClock(now),
    fetchBody: () => Promise.reject(new IngestError('the seed has no live source')),
    log: createLogger('silent'),
  }
  const run = async <Summary>(part: SeedPart, seeding: () => Promise<Summary | null>) =>
    parts.includes(part) ? seeding() : null
  return {
    instruments: await run('instruments', () =>
      seed(deps, bindFeed(seedInstruments, instrumentsSink), seedInstrumentsBody()),
    ),
    forex: await run('forex', () => seedNew(deps, bindFeed(seedForex, forexSink), seedForexBody(now))),
    candles: await run('candles', () => seedNewCandles(deps, now)),
    supply: await run('supply', () => seedNew(deps, bindFeed(seedSupply, supplySink), seedSupplyBody(now))),
    analysis: await run('analysis', () => seedAnalysis(database, now)),
  }
}

/** Only the windows that ended since the last time. */
async function seedNewCandles(deps: RunDeps, now: Date): Promise<RunSummary | null> {
  const state = await readDatasetState(deps.database, 'candles')
  const body = seedCandlesBody(state?.observedAt ?? null, now)
  return body === null ? null : seed(deps, bindFeed(seedCandles, candlesSink), body)
}

async function seedNew(deps: RunDeps, bound: BoundFeed, bytes: Uint8Array): Promise<RunSummary | null> {
  const isKnown = (await readLastBody(deps.database, bound.feed.id)) === sha256Hex(bytes)
  return isKnown ? null : seed(deps, bound, bytes)
}

async function seed(deps: RunDeps, bound: BoundFeed, bytes: Uint8Array): Promise<RunSummary | null> {
  const state = await readDatasetState(deps.database, bound.feed.dataset)
  if (state !== null && !state.isDevDataset) return null
  return runFeed(deps, bound, { kind: 'bytes', bytes, origin: 'generated' })
}
