import { shownText } from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import { fullTextOf } from '../../core/providers.js'
import { didYouMean, suggest } from '../../core/suggest.js'
import type { MacroSeries } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { headlinesLoader, loadSeriesPage } from './loaders.js'
import { type IdPublisher, parseSeriesId, toSeriesId } from './series/series-id.js'
import type { DayQuery } from './series/series-query.js'
import type { SeriesPageRows } from './series/series-store.js'

/** The requested series and the requested part of it. */
export interface SeriesIdQuery extends DayQuery {
  readonly seriesId: string
}

/** Every series of the publisher, sorted by dataset and key, loaded once per request. */
export async function listCatalogue(
  { id }: IdPublisher,
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
  const near = didYouMean(suggest(seriesId, known))
  const text = fullTextOf(publisher)
  const publisherText = text.charAt(0).toUpperCase() + text.slice(1)
  return notFound(
    (name) =>
      `${publisherText} has no series ${shownText(seriesId)}${near} Use ${name(`${publisher.id}_catalogue`)} to list all series.`,
  )
}
