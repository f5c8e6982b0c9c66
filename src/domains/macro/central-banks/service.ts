import { shownText } from '../../../core/argument-parsers.js'
import { notFound } from '../../../core/errors.js'
import { didYouMean, suggest } from '../../../core/suggest.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { headlinesLoader, loadSeriesPage } from '../loaders.js'
import type { DayQuery } from '../series-query.js'
import type { SeriesPageRows, StoredSeries } from '../series-store.js'
import { type CentralBank, parseSeriesId, toSeriesId } from './central-bank.js'

/** The requested series and the requested part of it. */
export interface BankSeriesQuery extends DayQuery {
  readonly seriesId: string
}

/** Every series of the bank, sorted by dataset and key, loaded once per request. */
export async function bankCatalogue(
  { provider }: CentralBank,
  context: RequestContext,
): Promise<readonly StoredSeries[]> {
  return (await headlinesLoader(context).load(provider)) ?? []
}

/** A page of a series. The 404 for an unknown one suggests a similar one and names the catalogue. */
export async function getBankSeries(
  bank: CentralBank,
  query: BankSeriesQuery,
  context: RequestContext,
): Promise<SeriesPageRows> {
  const key = parseSeriesId(bank, query.seriesId)
  const page = key && (await loadSeriesPage({ ...query, ...key, provider: bank.provider }, context))
  if (page === null) throw await unknownSeries(bank, query.seriesId, context)
  return page
}

async function unknownSeries(bank: CentralBank, seriesId: string, context: RequestContext) {
  const known = (await bankCatalogue(bank, context)).map((series) => toSeriesId(bank, series))
  const near = didYouMean(suggest(seriesId, known))
  return notFound(
    (name) =>
      `The ${bank.name} has no series ${shownText(seriesId)}${near} Use ${name(`${bank.provider}_catalogue`)} to list all series.`,
  )
}
