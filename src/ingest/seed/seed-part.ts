import { sha256Hex } from '../../core/canonical-json.js'
import { readDatasetState } from '../../platform/database/data-version.js'
import type { SeedFeed } from '../ingestion.js'
import { readLastBody } from '../ledger.js'
import { type RunDeps, type RunSummary, runFeed } from '../run-feed.js'

/** Runs a feed of the synthetic world. Null where there is nothing to do: its dataset is live, or holds just that already. */
export async function runSeedFeed(
  deps: RunDeps,
  { bound, body, mends }: SeedFeed,
): Promise<RunSummary | null> {
  const state = await readDatasetState(deps.database, bound.feed.dataset)
  if (state !== null && !state.isDevDataset) return null
  const bytes = body(deps.clock.now(), state?.observedAt ?? null)
  if (bytes === null) return null
  if (!mends && sha256Hex(bytes) === (await readLastBody(deps.database, bound.feed.id))) return null
  return runFeed(deps, bound, { kind: 'bytes', bytes, origin: 'generated' })
}
