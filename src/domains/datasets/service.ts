import type { DatasetName } from '../../core/datasets.js'
import { computeFreshness } from '../../core/freshness.js'
import { MINUTE_MS } from '../../core/time.js'
import type { DatasetPart, DatasetState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Dataset } from './model.js'
import { DATASETS, kindOfDataset } from './registry-model.js'
import { loadNewestRuns } from './run-store.js'
import { loadBestTier } from './store.js'

/** A run that changed no data leaves the data version as it is, so an answer with runs is valid for this long only. */
const RUNS_VALID_MS = MINUTE_MS

/** Lists all datasets in the order of their names, including empty ones. */
export async function listDatasets(context: RequestContext): Promise<readonly Dataset[]> {
  const [tier, runs] = await Promise.all([
    loadBestTier(context.database.prisma),
    loadNewestRuns(context.database),
  ])
  context.validity?.endsBy(new Date(context.now.getTime() + RUNS_VALID_MS))
  return DATASETS.map((dataset) => {
    const state = context.datasets.get(dataset)
    const facts = state === undefined ? emptyDataset(dataset) : datasetOf(state, tier, context)
    return { ...facts, lastRuns: runs.filter((run) => run.dataset === dataset) }
  })
}

type DatasetFacts = Omit<Dataset, 'lastRuns'>

function emptyDataset(dataset: DatasetName): DatasetFacts {
  return {
    dataset,
    version: 0,
    sources: [],
    freshnessStatus: null,
    lastUpdatedAt: null,
    nextRefreshAt: null,
    isDevDataset: null,
    licence: null,
    attribution: null,
    licensedForCommercialUse: null,
  }
}

function datasetOf(
  state: DatasetState,
  tier: number | null,
  { now, validity }: Pick<RequestContext, 'now' | 'validity'>,
): DatasetFacts {
  const { dataset, version, observedAt, isDevDataset } = state
  const freshness = computeFreshness(kindOfDataset(dataset, tier), observedAt, now)
  if (freshness.changesAt !== null) validity?.endsBy(freshness.changesAt)
  const parts = state.parts.toSorted((a, b) => b.observedAt.getTime() - a.observedAt.getTime())
  return {
    dataset,
    version,
    sources: distinct(parts.map(({ source }) => source)),
    freshnessStatus: freshness.freshness_status,
    lastUpdatedAt: observedAt,
    nextRefreshAt: freshness.next_refresh_at,
    isDevDataset,
    licence: joined(parts.map(({ licence }) => licence)),
    attribution: joined(parts.map(({ attribution }) => attribution)),
    licensedForCommercialUse: allowsCommercialUse(parts),
  }
}

/** False when a part forbids it; null when a part does not say and no part forbids it. */
function allowsCommercialUse(parts: readonly DatasetPart[]): boolean | null {
  const answers = parts.map(({ licensedForCommercialUse }) => licensedForCommercialUse)
  if (answers.includes(false)) return false
  return answers.includes(null) ? null : true
}

function joined(texts: readonly (string | null)[]): string | null {
  const known = distinct(texts.filter((text) => text !== null))
  return known.length === 0 ? null : known.join('; ')
}

function distinct<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)]
}
