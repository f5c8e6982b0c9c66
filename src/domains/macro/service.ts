import { shownText } from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import type { OffsetPage } from '../../core/page.js'
import {
  fullTextOf,
  MACRO_PUBLISHERS,
  type MacroProvider,
  type MacroPublisher,
  toPublisher,
} from '../../core/providers.js'
import { didYouMean, suggest } from '../../core/suggest.js'
import type { MacroSeries } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { headlinesLoader, loadSeriesPage } from './loaders.js'
import { MACRO_PROVIDERS } from './model.js'
import { areaName } from './names/area-names-model.js'
import { seriesName } from './names/series-names-model.js'
import { parseMacroKey, toMacroKey } from './series/macro-key.js'
import { type IdPublisher, parseSeriesId, toSeriesId } from './series/series-id.js'
import type { DayQuery, SeriesQuery } from './series/series-query.js'
import type { SeriesPageRows } from './series/series-store.js'

/** The requested series and the requested part of it. */
export interface SeriesIdQuery extends DayQuery {
  readonly seriesId: string
}

/** Every series of the catalogue of a publisher, sorted by country, dataset and key, loaded once per request. */
export async function listCatalogue(
  { id }: Pick<MacroPublisher, 'id'>,
  context: RequestContext,
): Promise<readonly MacroSeries[]> {
  return (await headlinesLoader(context).load(id)) ?? []
}

/** A page of a series. The 404 for an unknown one suggests a similar one and names the catalogue. */
export async function getSeriesPage(
  publisher: IdPublisher,
  query: SeriesIdQuery,
  context: RequestContext,
): Promise<SeriesPageRows> {
  const key = parseSeriesId(publisher, query.seriesId)
  const page = key && (await loadSeriesPage({ ...query, ...key }, context))
  if (page === null) throw await unknownSeries(publisher, query.seriesId, context)
  return page
}

async function unknownSeries(publisher: IdPublisher, seriesId: string, context: RequestContext) {
  const known = (await listCatalogue(publisher, context)).map((series) => toSeriesId(publisher, series))
  return noSeries(publisher, seriesId, known, `${publisher.id}_catalogue`)
}

function noSeries(publisher: MacroPublisher, asked: string, known: readonly string[], catalogue: string) {
  const near = didYouMean(suggest(asked, known))
  const text = fullTextOf(publisher)
  const publisherText = text.charAt(0).toUpperCase() + text.slice(1)
  return notFound(
    (name) =>
      `${publisherText} has no series ${shownText(asked)}${near} Use ${name(catalogue)} to list all series.`,
  )
}

/** The requested series of any publisher and the requested part of it. */
export interface MacroSeriesQuery extends SeriesQuery {
  readonly provider: MacroProvider
  readonly key: string
}

/** A page of a series of any publisher. The 404 for an unknown one suggests a similar one and names the catalogue. */
export async function getMacroSeriesPage(
  query: MacroSeriesQuery,
  context: RequestContext,
): Promise<SeriesPageRows> {
  const { provider, key } = query
  const series = parseMacroKey(key)
  const page = series && (await loadSeriesPage({ ...query, ...series }, context))
  if (page !== null) return page
  const publisher = toPublisher(provider, MACRO_PUBLISHERS)
  const known = (await listCatalogue(publisher, context)).map(toMacroKey)
  throw noSeries(publisher, key, known, 'macro_catalogue')
}

/** Which series of the catalogues are listed. Null selects all. */
export interface CatalogueFilter {
  readonly provider: MacroProvider | null
  /** Each word must begin a word of the name, the title, the country or the key of a series. */
  readonly words: readonly string[]
  readonly country: string | null
}

/** A page of the series in the catalogues of all publishers, and the number of series on all pages. */
export async function listCatalogueSeries(
  { provider, words, country }: CatalogueFilter,
  { limit, offset }: OffsetPage,
  context: RequestContext,
): Promise<{ readonly series: readonly MacroSeries[]; readonly total: number }> {
  const providers = provider === null ? MACRO_PROVIDERS : [provider]
  const catalogues = await Promise.all(providers.map((id) => listCatalogue({ id }, context)))
  const found = catalogues
    .flat()
    .filter((series) => (country === null || series.country === country) && hasWords(series, words))
  return { series: found.slice(offset, offset + limit), total: found.length }
}

function hasWords(series: MacroSeries, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const { country, description } = series
  const area = country === null ? '' : areaName(country)
  const own = seriesWords([seriesName(series), description, area, toMacroKey(series)].join(' '))
  return words.every((word) => own.some((one) => one.startsWith(word)))
}

/** The words of a text in lower case, without the s of a plural. */
export function seriesWords(text: string): readonly string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}€%]+/u)
  return words.filter((word) => word !== '').map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))
}
