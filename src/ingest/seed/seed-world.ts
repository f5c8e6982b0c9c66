import { sha256Hex } from '../../core/canonical-json.js'
import { fixedClock } from '../../core/time.js'
import { readDatasetState } from '../../platform/data-version.js'
import type { Database } from '../../platform/database.js'
import { createLogger } from '../../platform/logger.js'
import { type BoundFeed, bindFeed, IngestError } from '../feed.js'
import { readLastBody } from '../ledger.js'
import { forexSink, instrumentsSink } from '../registry.js'
import { type RunDeps, type RunSummary, runFeed } from '../run-feed.js'
import { seedForex, seedForexBody } from './seed-forex.js'
import { seedInstruments, seedInstrumentsBody } from './seed-instruments.js'

/** What came of each part; null: it was left alone, as its dataset is live or holds just that already. */
export interface SeedSummary {
  readonly instruments: RunSummary | null
  readonly forex: RunSummary | null
}

/**
 * Puts the synthetic world into the database through the same feeds and rules as live data; `now` decides which
 * days it has. Again on another day it adds what is new. A dataset with live data is left alone.
 */
export async function seedWorld(database: Database, now: Date): Promise<SeedSummary> {
  const deps: RunDeps = {
    database,
    clock: fixedClock(now),
    fetchBody: () => Promise.reject(new IngestError('the seed has no live source')),
    log: createLogger('silent'),
  }
  const instruments = await seed(deps, bindFeed(seedInstruments, instrumentsSink), seedInstrumentsBody())
  const forexBody = seedForexBody(now)
  const isKnown = (await readLastBody(database, seedForex.id)) === sha256Hex(forexBody)
  const forex = isKnown ? null : await seed(deps, bindFeed(seedForex, forexSink), forexBody)
  return { instruments, forex }
}

async function seed(deps: RunDeps, bound: BoundFeed, bytes: Uint8Array): Promise<RunSummary | null> {
  const state = await readDatasetState(deps.database, bound.feed.dataset)
  if (state !== null && !state.isDevDataset) return null
  return runFeed(deps, bound, { kind: 'bytes', bytes, origin: 'generated' })
}
