import { fixedClock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import { createLogger } from '../../platform/logger.js'
import { seedAnalysis } from '../datasets/analysis/seed-analysis.js'
import { IngestError } from '../feed.js'
import type { Ingestion, SeedFeed } from '../ingestion.js'
import { INGESTED } from '../registry.js'
import { countRows } from '../run/count-rows.js'
import type { RunDeps, RunSummary } from '../run/run-feed.js'
import { analyzeNewTables } from './analyze-new-tables.js'
import { runSeedFeed } from './seed-part.js'

type Ingested = (typeof INGESTED)[number]

type PartOf<Domain> = Domain extends Ingestion ? keyof Domain['seed'] : never

export type SeedPart = PartOf<Ingested> | 'analysis'

/** Called before each part. */
export interface SeedProgress {
  readonly part: SeedPart
  readonly number: number
  readonly of: number
}

type OutcomeOf<Feeds> = Feeds extends readonly unknown[] ? readonly (RunSummary | null)[] : RunSummary | null

/** The result of each part; null if its dataset is live or already has this body. */
export type SeedSummary = {
  readonly [Part in PartOf<Ingested>]: OutcomeOf<
    Extract<Ingested, { readonly seed: Readonly<Record<Part, unknown>> }>['seed'][Part]
  >
} & { readonly analysis: Awaited<ReturnType<typeof seedAnalysis>> }

/** Creates a part; null if nothing has to be done. */
type Make = (deps: RunDeps) => Promise<unknown>

const MAKERS: ReadonlyMap<SeedPart, Make> = new Map<SeedPart, Make>([
  ...INGESTED.flatMap(({ seed }) =>
    Object.entries<SeedFeed | readonly SeedFeed[]>(seed).map(
      ([part, feeds]) => [part as SeedPart, (deps: RunDeps) => runAll(deps, feeds)] as const, // the key comes from the same record
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
 * Writes the synthetic data, or the named parts of it, through the same feeds and rules as live data. `now`
 * determines which days it has; `onPart` is called before each part. On a later day it adds what is new. Datasets
 * with live data do not change.
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
    fetchBody: () => Promise.reject(new IngestError('synthetic data has no live source')),
    log: createLogger('silent'),
  }
  const summaries: [SeedPart, unknown][] = []
  for (const [part, make] of MAKERS) {
    const isAsked = parts.includes(part)
    if (isAsked) onPart({ part, number: parts.indexOf(part) + 1, of: parts.length })
    summaries.push([part, isAsked ? await make(deps) : null])
  }
  await analyzeNewTables(database)
  if (summaries.some(([, summary]) => summary !== null)) await countRows(database, now, deps.log)
  return Object.fromEntries(summaries) as SeedSummary // each part has the result of its feed
}
