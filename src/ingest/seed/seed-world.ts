import { fixedClock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import { createLogger } from '../../platform/logger.js'
import { seedAnalysis } from '../datasets/analysis/seed-analysis.js'
import { IngestError } from '../feed.js'
import type { Ingestion, SeedFeed } from '../ingestion.js'
import { INGESTED } from '../registry.js'
import type { RunDeps, RunSummary } from '../run/run-feed.js'
import { analyzeNewTables } from './analyze-new-tables.js'
import { runSeedFeed } from './seed-part.js'

type Ingested = (typeof INGESTED)[number]

/** The parts of one domain, or of any. */
type PartOf<Domain> = Domain extends Ingestion ? keyof Domain['seed'] : never

export type SeedPart = PartOf<Ingested> | 'analysis'

/** Which part is about to be made. */
export interface SeedProgress {
  readonly part: SeedPart
  readonly number: number
  readonly of: number
}

type OutcomeOf<Feeds> = Feeds extends readonly unknown[] ? readonly (RunSummary | null)[] : RunSummary | null

/** What came of each part; null: it was left alone, as its dataset is live or holds just that already. */
export type SeedSummary = {
  readonly [Part in PartOf<Ingested>]: OutcomeOf<
    Extract<Ingested, { readonly seed: Readonly<Record<Part, unknown>> }>['seed'][Part]
  >
} & { readonly analysis: Awaited<ReturnType<typeof seedAnalysis>> }

/** Makes a part; null where there is nothing to do. */
type Make = (deps: RunDeps) => Promise<unknown>

const MAKERS: ReadonlyMap<SeedPart, Make> = new Map<SeedPart, Make>([
  ...INGESTED.flatMap(({ seed }) =>
    Object.entries<SeedFeed | readonly SeedFeed[]>(seed).map(
      ([part, feeds]) => [part as SeedPart, (deps: RunDeps) => runAll(deps, feeds)] as const, // its own key
    ),
  ),
  ['analysis', seedAnalysis],
])

const PARTS = [...MAKERS.keys()]

async function runAll(deps: RunDeps, feeds: SeedFeed | readonly SeedFeed[]): Promise<unknown> {
  if ('bound' in feeds) return runSeedFeed(deps, feeds)
  const summaries: (RunSummary | null)[] = []
  for (const feed of feeds) summaries.push(await runSeedFeed(deps, feed))
  return summaries
}

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
  for (const [part, make] of MAKERS) {
    const isAsked = parts.includes(part)
    if (isAsked) onPart({ part, number: parts.indexOf(part) + 1, of: parts.length })
    summaries.push([part, isAsked ? await make(deps) : null])
  }
  await analyzeNewTables(database)
  return Object.fromEntries(summaries) as SeedSummary // each part as its feed answers
}
