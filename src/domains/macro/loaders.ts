import { asOfText } from '../../core/as-of.js'
import { groupBy } from '../../core/group-by.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import type { MacroProvider } from '../../core/providers.js'
import type { MacroObservation, MacroSeries } from '../../generated/prisma/client.js'
import {
  defineLoader,
  defineSharedLoader,
  groupedLoad,
} from '../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { loadHeadlines, loadSeriesLists, type SeriesListKey } from './catalogue-store.js'
import {
  type Knowledge,
  loadObservedSeries,
  loadRevisions,
  loadSeriesPages,
  type ObservationKey,
  type SeriesPageKey,
  type SeriesPageRows,
} from './series/series-store.js'

export type KnownSeriesPageKey = SeriesPageKey & Knowledge

function knowledgeText({ asOf, hasVintages }: KnownSeriesPageKey): string {
  return `${asOfText(asOf)} ${hasVintages}`
}

/** All pages of one instant share one statement. */
const PAGES = groupedLoad<KnownSeriesPageKey, SeriesPageRows>({
  groupText: knowledgeText,
  itemText: ({ provider, dataset, seriesKey, first, last, limit, offset }) =>
    [provider, dataset, seriesKey, first, last, limit, offset].join(' '),
  load: (keys, { database }) => loadSeriesPages(database, keys, keys[0]),
})

/** A longer page is loaded by a separate statement, so that its rows do not delay other requests. */
const MAX_SHARED_ROWS = 100

const shortPages = defineSharedLoader({ ...PAGES, batchKey: knowledgeText })
const longPages = defineLoader(PAGES.load, PAGES.keyText)

/** The series whose pages a request has loaded, by key. */
const loadedSeries = memoizeByObject((_context: RequestContext) => new Map<number, MacroSeries>())

/** A page of a series, or null for an unknown series. A caller with a clock knows the series that had an observation then. */
export async function loadSeriesPage(
  key: KnownSeriesPageKey,
  context: RequestContext,
): Promise<SeriesPageRows | null> {
  const page = await (key.limit <= MAX_SHARED_ROWS ? shortPages : longPages)(context).load(key)
  if (page === null || (page.total === 0 && (await seriesKnown([page.series], context)).length === 0))
    return null
  loadedSeries(context).set(page.series.seriesId, page.series)
  return page
}

/** The series of which an observation was known at the instant of the context's clock; all of them without a clock. */
async function seriesKnown(
  series: readonly MacroSeries[],
  { clock, database }: RequestContext,
): Promise<readonly MacroSeries[]> {
  if (clock === undefined) return series
  const ids = series.map(({ seriesId }) => seriesId)
  const known = await loadObservedSeries(database.prisma, ids, clock.at)
  return series.filter(({ seriesId }) => known.has(seriesId))
}

/** The series of an observation of a page that the request has loaded. */
export function seriesOf(
  { seriesId }: Pick<ObservationKey, 'seriesId'>,
  context: RequestContext,
): MacroSeries {
  const series = loadedSeries(context).get(seriesId)
  if (series === undefined) throw new Error(`no page of series ${seriesId} was loaded`)
  return series
}

const observationText = ({ seriesId, periodStart }: ObservationKey) => `${seriesId} ${periodStart}`

/** The revisions of an observation, oldest first. All observations of a response share one statement. */
export const revisionsLoader = defineLoader<ObservationKey, readonly MacroObservation[]>(
  (keys, { database, clock }) => loadRevisions(database.prisma, keys, clock?.at ?? null),
  observationText,
)

/** The series in the catalogue of a provider. All providers of a response share one statement. */
export const headlinesLoader = defineLoader<MacroProvider, readonly MacroSeries[]>(
  async (providers, context) => {
    const series = await loadHeadlines(context.database.prisma, providers)
    return groupBy(await seriesKnown(series, context), ({ provider }) => provider)
  },
)

const listText = ({ provider, dataset, country, limit, offset }: SeriesListKey) =>
  [provider, dataset, country, limit, offset].join(' ')

/** A page of the series of a dataset. All datasets of a response share one statement. */
export const seriesListLoader = defineLoader<SeriesListKey, readonly MacroSeries[]>(
  (keys, { database }) => loadSeriesLists(database, keys),
  listText,
)
