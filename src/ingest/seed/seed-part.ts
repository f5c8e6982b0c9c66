import { sha256Hex } from '../../core/canonical-json.js'
import { fixedClock } from '../../core/time.js'
import { loadDatasetState } from '../../platform/database/versions/dataset-states-store.js'
import type { SeedFeed } from '../ingestion.js'
import { loadLastBodyHash } from '../run/ledger.js'
import { type RunDeps, type RunSummary, runFeed } from '../run/run-feed.js'

/**
 * Runs a feed of synthetic data; an empty dataset gets its earlier vintages first. Returns the last run with the
 * rows of all runs. Null if the dataset is live or already has this body.
 */
export async function runSeedFeed(deps: RunDeps, seed: SeedFeed): Promise<RunSummary | null> {
  const state = await loadDatasetState(deps.database, seed.bound.feed.dataset)
  if (state !== null && !state.isDevDataset) return null
  const earlier = state === null ? await runVintages(deps, seed) : []
  const current = await runCurrent(deps, seed)
  const summaries = current === null ? earlier : [...earlier, current]
  return summaries.reduce<RunSummary | null>((sum, one) => (sum === null ? one : withRowsOf(one, sum)), null)
}

async function runVintages(deps: RunDeps, { bound, vintages }: SeedFeed): Promise<readonly RunSummary[]> {
  const summaries: RunSummary[] = []
  for (const { knownAt, body } of vintages(deps.clock.now())) {
    const then = { ...deps, clock: fixedClock(knownAt) }
    summaries.push(await runFeed(then, bound, { kind: 'bytes', bytes: body, origin: 'generated' }))
  }
  return summaries
}

async function runCurrent(deps: RunDeps, { bound, body, mends }: SeedFeed): Promise<RunSummary | null> {
  const state = await loadDatasetState(deps.database, bound.feed.dataset)
  const bytes = body(deps.clock.now(), state?.observedAt ?? null)
  if (bytes === null) return null
  if (!mends && sha256Hex(bytes) === (await loadLastBodyHash(deps.database, bound.feed.id))) return null
  return runFeed(deps, bound, { kind: 'bytes', bytes, origin: 'generated' })
}

function withRowsOf(last: RunSummary, earlier: RunSummary): RunSummary {
  return {
    ...last,
    read: last.read + earlier.read,
    rows: last.rows + earlier.rows,
    added: last.added + earlier.added,
    revised: last.revised + earlier.revised,
    unchanged: last.unchanged + earlier.unchanged,
    rejected: last.rejected + earlier.rejected,
    absent: last.absent + earlier.absent,
    alsoChanged: last.alsoChanged + earlier.alsoChanged,
    rejections: [...earlier.rejections, ...last.rejections],
    durationMs: last.durationMs + earlier.durationMs,
  }
}
