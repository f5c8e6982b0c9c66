import { fixedClock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import { createLogger } from '../../platform/logger.js'
import { IngestError } from '../feed.js'
import type { RunDeps } from '../run-feed.js'
import { SEED_FEEDS } from './seed-feeds.js'

export type SeedPart = keyof typeof SEED_FEEDS

/** Which part is about to be made. */
export interface SeedProgress {
  readonly part: SeedPart
  readonly number: number
  readonly of: number
}

/** What came of each part; null: it was left alone, as its dataset is live or holds just that already. */
export type SeedSummary = {
  readonly [Part in SeedPart]: Awaited<ReturnType<(typeof SEED_FEEDS)[Part]>>
}

const PARTS = Object.keys(SEED_FEEDS) as readonly SeedPart[] // its own keys

/**
 * Puts the synthetic world, or only the parts named, into the database through the same feeds and rules as live data;
 * `now` decides which days it has; `onPart` is called before each part. Again on another day it adds what is new. A dataset
 * with live data is left alone.
 */
export async function seedWorld(
  database: Database,
  now: Date,
  parts: readonly SeedPart[] = PARTS,
  onPart: (progress: SeedProgress) => void = () => {},
): Promise<SeedSummary> {
  const deps: RunDeps = {
    database,
    clock: fixedClock(now),
    fetchBody: () => Promise.reject(new IngestError('the seed has no live source')),
    log: createLogger('silent'),
  }
  const summaries: [SeedPart, unknown][] = []
  for (const part of PARTS) {
    const isAsked = parts.includes(part)
    if (isAsked) onPart({ part, number: parts.indexOf(part) + 1, of: parts.length })
    summaries.push([part, isAsked ? await SEED_FEEDS[part](deps) : null])
  }
  return Object.fromEntries(summaries) as SeedSummary // each part as its feed answers
}
