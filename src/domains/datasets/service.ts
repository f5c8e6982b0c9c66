import type { DatasetName } from '../../core/datasets.js'
import { computeFreshness } from '../../core/freshness.js'
import { MINUTE_MS, toIsoDate } from '../../core/time.js'
import type { DatasetExtent } from '../../generated/prisma/client.js'
import { PUBLISHED_RULES } from '../../platform/bi-temporal/published-rules.js'
import type { DatasetPart, DatasetState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { loadExtents } from './extent-store.js'
import { type Dataset, type DatasetFinding, type DatasetFindings, datasetJobsPort } from './model.js'
import { DATASETS, kindOfDataset } from './registry-model.js'
import { loadNewestRuns } from './run-store.js'
import { loadBestTier } from './store.js'
import { type DatasetTexts, textsOf } from './texts-model.js'

/** A run that changed no data leaves the data version as it is, so an answer with runs is valid for this long only. */
const RUNS_VALID_MS = MINUTE_MS

/** Ends the validity of an answer that shows runs. */
export function endRunsValidity({ now, validity }: Pick<RequestContext, 'now' | 'validity'>): void {
  validity?.endsBy(new Date(now.getTime() + RUNS_VALID_MS))
}

/** Lists all datasets in the order of their names, including empty ones. */
export async function listDatasets(context: RequestContext): Promise<readonly Dataset[]> {
  const [tier, runs, extents] = await Promise.all([
    loadBestTier(context.database.prisma),
    loadNewestRuns(context.database),
    loadExtents(context.database),
  ])
  endRunsValidity(context)
  const jobsOf = context.ports.get(datasetJobsPort)
  return DATASETS.map((dataset) => {
    const state = context.datasets.get(dataset)
    const facts = state === undefined ? emptyDataset(dataset) : datasetOf(state, tier, context)
    return {
      ...facts,
      ...textsOf(dataset),
      publishedRule: PUBLISHED_RULES[dataset] ?? null,
      ...(state === undefined ? NO_EXTENT : extentOf(extents.get(dataset))),
      jobs: jobsOf(dataset, context.now),
      lastRuns: runs.filter((run) => run.dataset === dataset),
    }
  })
}

type Extent = Pick<Dataset, 'rows' | 'since' | 'countedAt' | keyof DatasetFindings>

const NO_EXTENT: Extent = { rows: null, since: null, countedAt: null, findings: [], findingsTotal: 0 }

function extentOf(stored: DatasetExtent | undefined): Extent {
  if (stored === undefined) return NO_EXTENT
  const { rows, since, countedAt, findingsTotal } = stored
  const findings = stored.findings as unknown as readonly DatasetFinding[] // written by `storeExtent`
  return {
    rows: Number(rows),
    since: since === null ? null : toIsoDate(since),
    countedAt,
    findings,
    findingsTotal,
  }
}

type DatasetFacts = Omit<Dataset, 'jobs' | 'lastRuns' | 'publishedRule' | keyof DatasetTexts | keyof Extent>

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
