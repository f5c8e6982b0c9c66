import { groupBy } from '../../core/group-by.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { loadHeadlines, loadSeriesLists, type SeriesListKey } from './catalogue-store.js'
import type { MacroProvider } from './model.js'
import {
  loadRevisions,
  loadSeriesPages,
  type ObservationKey,
  type Revision,
  type SeriesPageKey,
  type SeriesPageRows,
  type StoredSeries,
} from './series-store.js'

/** A page as it was known at an instant; null: now. */
export interface KnownSeriesPageKey extends SeriesPageKey {
  readonly asOf: Date | null
}

function pageText({
  provider,
  dataset,
  seriesKey,
  first,
  last,
  limit,
  offset,
  asOf,
}: KnownSeriesPageKey): string {
  return [provider, dataset, seriesKey, first, last, limit, offset, asOf?.getTime()].join(' ')
}

function asOfText({ asOf }: KnownSeriesPageKey): string {
  return String(asOf?.getTime())
}

/** All pages of one instant are one statement. */
async function loadPages(
  keys: readonly KnownSeriesPageKey[],
  context: RequestContext,
): Promise<ReadonlyMap<string, SeriesPageRows>> {
  const found = new Map<string, SeriesPageRows>()
  for (const group of groupBy(keys, asOfText).values()) {
    const pages = await loadSeriesPages(context.database, group, group[0].asOf)
    group.forEach((key, at) => {
      const page = pages[at]
      if (page) found.set(pageText(key), page)
    })
  }
  return found
}

/** A longer page has a statement of its own, so that its rows hold up no other request. */
const MAX_SHARED_ROWS = 100

const ofShortPage = defineSharedLoader({ load: loadPages, keyText: pageText, batchKey: asOfText })
const ofLongPage = defineLoader(loadPages, pageText)

/** A page of a series, or null where there is no such series. */
export function loadSeriesPage(
  key: KnownSeriesPageKey,
  context: RequestContext,
): Promise<SeriesPageRows | null> {
  return (key.limit <= MAX_SHARED_ROWS ? ofShortPage : ofLongPage)(context).load(key)
}

const observationText = ({ seriesId, periodStart }: ObservationKey) => `${seriesId} ${periodStart}`

/** What was known of an observation, oldest first; one statement for all observations of an answer. */
export const revisionsLoader = defineLoader<ObservationKey, readonly Revision[]>(async (keys, context) => {
  const revisions = await loadRevisions(context.database, keys)
  return new Map(keys.map((key, at) => [observationText(key), revisions[at] ?? []]))
}, observationText)

/** The series that a provider's catalogue shows; one statement for all providers of an answer. */
export const headlinesLoader = defineLoader<MacroProvider, readonly StoredSeries[]>(
  async (providers, { database }) =>
    groupBy(await loadHeadlines(database, providers), ({ provider }) => provider) as ReadonlyMap<
      MacroProvider,
      readonly StoredSeries[]
    >, // grouped by just that
)

const listText = ({ provider, dataset, country, limit, offset }: SeriesListKey) =>
  [provider, dataset, country, limit, offset].join(' ')

/** A page of the series of a dataset; one statement for all datasets of an answer. */
export const seriesListLoader = defineLoader<SeriesListKey, readonly StoredSeries[]>(
  async (keys, context) => {
    const lists = await loadSeriesLists(context.database, keys)
    return new Map(keys.map((key, at) => [listText(key), lists[at] ?? []]))
  },
  listText,
)
