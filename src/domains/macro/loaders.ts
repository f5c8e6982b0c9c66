import { groupBy } from '../../core/group-by.js'
import type { MacroProvider } from '../../core/providers.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { loadHeadlines, loadSeriesLists, type SeriesListKey } from './catalogue-store.js'
import {
  type Knowledge,
  loadRevisions,
  loadSeriesPages,
  type ObservationKey,
  type Revision,
  type SeriesPageKey,
  type SeriesPageRows,
  type StoredSeries,
} from './series/series-store.js'

/** A page of a series as it was known. */
export type KnownSeriesPageKey = SeriesPageKey & Knowledge

function pageText(key: KnownSeriesPageKey): string {
  const { provider, dataset, seriesKey, first, last, limit, offset } = key
  return [provider, dataset, seriesKey, first, last, limit, offset, knowledgeText(key)].join(' ')
}

function knowledgeText({ asOf, hasVintages }: KnownSeriesPageKey): string {
  return `${asOf?.getTime()} ${hasVintages}`
}

/** All pages of one instant share one statement. */
async function loadPages(
  keys: readonly KnownSeriesPageKey[],
  context: RequestContext,
): Promise<ReadonlyMap<string, SeriesPageRows>> {
  const found = new Map<string, SeriesPageRows>()
  for (const group of groupBy(keys, knowledgeText).values()) {
    const pages = await loadSeriesPages(context.database, group, group[0])
    group.forEach((key, at) => {
      const page = pages[at]
      if (page) found.set(pageText(key), page)
    })
  }
  return found
}

/** A longer page is loaded by a separate statement, so that its rows do not delay other requests. */
const MAX_SHARED_ROWS = 100

const shortPages = defineSharedLoader({ load: loadPages, keyText: pageText, batchKey: knowledgeText })
const longPages = defineLoader(loadPages, pageText)

/** A page of a series, or null for an unknown series. */
export function loadSeriesPage(
  key: KnownSeriesPageKey,
  context: RequestContext,
): Promise<SeriesPageRows | null> {
  return (key.limit <= MAX_SHARED_ROWS ? shortPages : longPages)(context).load(key)
}

const observationText = ({ seriesId, periodStart }: ObservationKey) => `${seriesId} ${periodStart}`

/** The revisions of an observation, oldest first. All observations of a response share one statement. */
export const revisionsLoader = defineLoader<ObservationKey, readonly Revision[]>(async (keys, context) => {
  const revisions = await loadRevisions(context.database, keys)
  return new Map(keys.map((key, at) => [observationText(key), revisions[at] ?? []]))
}, observationText)

/** The series in the catalogue of a provider. All providers of a response share one statement. */
export const headlinesLoader = defineLoader<MacroProvider, readonly StoredSeries[]>(
  async (providers, { database }) =>
    groupBy(await loadHeadlines(database, providers), ({ provider }) => provider) as ReadonlyMap<
      MacroProvider,
      readonly StoredSeries[]
    >, // safe: the rows are grouped by provider
)

const listText = ({ provider, dataset, country, limit, offset }: SeriesListKey) =>
  [provider, dataset, country, limit, offset].join(' ')

/** A page of the series of a dataset. All datasets of a response share one statement. */
export const seriesListLoader = defineLoader<SeriesListKey, readonly StoredSeries[]>(
  async (keys, context) => {
    const lists = await loadSeriesLists(context.database, keys)
    return new Map(keys.map((key, at) => [listText(key), lists[at] ?? []]))
  },
  listText,
)
