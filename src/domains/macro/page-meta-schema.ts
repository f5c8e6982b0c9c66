import type { FreshnessKind } from '../../core/freshness.js'
import { type Frequency, storedFrequency } from '../../core/period.js'
import type { MacroSeries } from '../../generated/prisma/client.js'
import { type DatasetState, newestOfGrains } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { DataQualityType } from '../../schema-kit/api-meta.js'
import { datasetStateOf, type Freshness, freshness } from '../../schema-kit/envelope.js'
import { flag, instant, integer, shownAs, text } from '../../schema-kit/shown-fields.js'
import { storedProvider } from './model.js'
import { seriesGrains } from './series/series-grains-model.js'
import { type SeriesRange, summarizePage } from './series/series-query.js'
import type { SeriesPageRows } from './series/series-store.js'
import { licenceOf, MACRO_DISCLAIMER, MACRO_DISCLAIMER_FR } from './terms.js'

/** The state of a publisher's data, with the age of the series of one of its datasets. A 503 without any series. */
function seriesStateOf(
  series: Pick<MacroSeries, 'provider' | 'dataset'>,
  context: RequestContext,
): DatasetState {
  const group = { provider: storedProvider(series.provider), dataset: series.dataset }
  return newestOfGrains(datasetStateOf(context, group.provider), seriesGrains(group))
}

/** How often a new observation of a series is due. Weeks and half months count as a month. */
const KIND_OF: Readonly<Record<Frequency, FreshnessKind>> = {
  daily: 'daily',
  weekly: 'monthly',
  semi_monthly: 'monthly',
  monthly: 'monthly',
  // Quarterly and annual figures of all publishers appear as late as those of the BIS.
  quarterly: 'bis',
  semi_annual: 'bis',
  annual: 'bis',
}

/** Freshness of a page of a series. */
export function freshnessOfSeries(series: MacroSeries, context: RequestContext): Freshness {
  return freshness(context, seriesStateOf(series, context), KIND_OF[storedFrequency(series.frequency)])
}

/** Metadata of a page of any series. */
export function createPageMeta(query: SeriesRange, page: SeriesPageRows, context: RequestContext) {
  const state = seriesStateOf(page.series, context)
  return {
    ...summarizePage(query, page),
    changedAt: state.changedAt,
    source: state.source,
    license: licenceOf(state),
    disclaimer: MACRO_DISCLAIMER,
    disclaimer_fr: MACRO_DISCLAIMER_FR,
    is_dev_dataset: state.isDevDataset,
  }
}

/** Size of the page and of the range. */
export const PAGE_FIELDS = {
  total: integer('Number of observations in the range, on all pages.'),
  returned: integer('Number of observations on this page.'),
  has_next: flag('True if a further page exists.'),
  page: integer('Requested page, counted from 1.'),
  limit: integer('Rows per page.'),
}

export const CHANGED_FIELD = instant('When the data of this service last changed.', 'changedAt')

/** Provider of the data, and terms of use. */
export const termFields = (provider: string) => ({
  source: text(`Provider of the data: ${provider}, or seed for synthetic data.`),
  license: text('Terms of use of the data.'),
  disclaimer: text('The disclaimer. This English text is binding.'),
  disclaimer_fr: text('Unofficial French translation of the disclaimer.'),
})

/** Whether the page is complete, and whether it is synthetic. */
export const QUALITY_FIELDS = {
  data_quality: shownAs(DataQualityType).orNull(
    'full, or partial if a value on the page is null. Null for an empty page.',
  ),
  is_dev_dataset: flag('True for synthetic seed data, false for live data.'),
}
