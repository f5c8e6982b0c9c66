import { computeFreshness } from '../../core/freshness.js'
import type { OffsetPage } from '../../core/page.js'
import { DAY_MS } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { loadFailures, MAX_INCIDENTS } from './incident-store.js'
import { type Incident, LEDGER_DAYS } from './model.js'
import { DATASETS, kindOfDataset } from './registry-model.js'
import { endRunsValidity } from './service.js'
import { loadBestTier } from './store.js'

/** A page of the incidents of the last 90 days, the newest first. */
export async function listIncidents(
  { limit, offset }: OffsetPage,
  context: RequestContext,
): Promise<{ readonly incidents: readonly Incident[]; readonly total: number }> {
  const since = new Date(context.now.getTime() - LEDGER_DAYS * DAY_MS)
  const [failures, late] = await Promise.all([loadFailures(context.database, since), listLate(context)])
  endRunsValidity(context)
  const all = [...late, ...failures.map((failure) => ({ ...failure, kind: 'runs_failed' as const }))]
    .sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime())
    .slice(0, MAX_INCIDENTS)
  return { incidents: all.slice(offset, offset + limit), total: all.length }
}

/** The datasets whose newer facts are due. Synthetic data are never refreshed, so they are not late. */
async function listLate({ database, datasets, now }: RequestContext): Promise<readonly Incident[]> {
  const tier = await loadBestTier(database.prisma)
  return DATASETS.flatMap((dataset) => {
    const state = datasets.get(dataset)
    if (state === undefined || state.isDevDataset) return []
    const { freshness_status, next_refresh_at } = computeFreshness(
      kindOfDataset(dataset, tier),
      state.observedAt,
      now,
    )
    if (freshness_status === 'fresh') return []
    const unknown = { feed: null, source: null, failedRuns: null, cause: null }
    return [{ dataset, kind: 'data_late' as const, startedAt: next_refresh_at, endedAt: null, ...unknown }]
  })
}
