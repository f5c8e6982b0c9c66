import { shownText } from '../../../core/argument-parsers.js'
import { notFound } from '../../../core/errors.js'
import { didYouMean, suggest } from '../../../core/suggest.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { loadKeysNear } from '../catalogue-store.js'
import { loadSeriesPage } from '../loaders.js'
import type { SeriesQuery } from '../series/series-query.js'
import type { SeriesPageRows } from '../series/series-store.js'
import { bisCatalogue } from './catalogue.js'
import { BIS_DATASETS, type BisDataset } from './datasets-model.js'

/** The requested series and the requested part of it. */
export interface BisSeriesQuery extends SeriesQuery {
  readonly datasetCode: string
  readonly seriesKey: string
}

export interface BisSeries {
  readonly dataset: BisDataset
  readonly page: SeriesPageRows
}

/** A page of a series. The 404 for an unknown dataset or key suggests a similar one and names the list. */
export async function getBisSeries(query: BisSeriesQuery, context: RequestContext): Promise<BisSeries> {
  const { datasetCode, seriesKey } = query
  const dataset = BIS_DATASETS.find(({ code }) => code === datasetCode)
  if (dataset === undefined) throw await unknownDataset(datasetCode, context)
  const page = await loadSeriesPage({ ...query, provider: 'bis', dataset: datasetCode }, context)
  if (page === null) throw await unknownKey(dataset, seriesKey, context)
  return { dataset, page }
}

async function unknownDataset(datasetCode: string, context: RequestContext) {
  const { datasets } = await bisCatalogue(context)
  const near = suggest(
    datasetCode,
    datasets.map(({ code }) => code),
  )
  return notFound(
    (name) =>
      `The BIS has no dataset ${shownText(datasetCode)}${didYouMean(near)} Use ${name('bis_datasets')} to list all datasets.`,
  )
}

/** A caller with a clock gets no suggestion, which might be of a later series. */
async function unknownKey({ code }: BisDataset, seriesKey: string, { clock, database }: RequestContext) {
  const parts = seriesKey.split('.', MAX_KEY_PARTS)
  const keys =
    clock === undefined ? await loadKeysNear(database, { provider: 'bis', dataset: code, parts }) : []
  const near = suggest(seriesKey, keys)
  return notFound(
    (name) =>
      `The dataset ${code} has no series ${shownText(seriesKey)}${didYouMean(near)} Use ${name('bis_countries')} to list the key of each country.`,
  )
}

/** No key has more parts. */
const MAX_KEY_PARTS = 20
