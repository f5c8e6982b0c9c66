import { shownText } from '../../../core/argument-parsers.js'
import { notFound } from '../../../core/errors.js'
import { didYouMean, suggest } from '../../../core/suggest.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { headlinesLoader, loadSeriesPage } from '../loaders.js'
import type { DayQuery } from '../series-query.js'
import type { SeriesPageRows, StoredSeries } from '../series-store.js'
import { type CentralBank, parseSeriesId, toSeriesId } from './central-bank.js'

/** The series that is asked for, and which part of it. */
export interface BankSeriesQuery extends DayQuery {
  readonly seriesId: string
}

/** Every series of the bank, by dataset and key; read once per request. */
export async function bankCatalogue(
  { provider }: CentralBank,
  context: RequestContext,
): Promise<readonly StoredSeries[]> {
  return (await headlinesLoader(context).load(provider)) ?? []
}

/** A page of a series; 404 for an unknown one, with the nearest and where they are listed. */
export async function getBankSeries(
  bank: CentralBank,
  query: BankSeriesQuery,
  context: RequestContext,
): Promise<SeriesPageRows> {
  const place = parseSeriesId(bank, query.seriesId)
  const page = place && (await loadSeriesPage({ ...query, ...place, provider: bank.provider }, context))
  if (page === null) throw await noSuchSeries(bank, query.seriesId, context)
  return page
}

async function noSuchSeries(bank: CentralBank, seriesId: string, context: RequestContext) {
  const known = (await bankCatalogue(bank, context)).map((series) => toSeriesId(bank, series))
  const near = didYouMean(suggest(seriesId, known))
  return notFound(
    (name) =>
      `The ${bank.name} has no series ${shownText(seriesId)}${near} All are listed by ${name(`${bank.provider}_catalogue`)}.`,
  )
}
