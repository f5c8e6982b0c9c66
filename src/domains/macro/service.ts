import { shownText } from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import { didYouMean, suggest } from '../../core/suggest.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { bisCatalogue } from './bis-catalogue.js'
import { loadKeysNear } from './catalogue-store.js'
import { loadSeriesPage } from './loaders.js'
import { BIS_DATASETS, type BisDataset } from './model.js'
import type { SeriesQuery } from './series-query.js'
import type { SeriesPageRows } from './series-store.js'

/** The series that is asked for, and which part of it. */
export interface BisSeriesQuery extends SeriesQuery {
  readonly datasetCode: string
  readonly seriesKey: string
}

export interface BisSeries {
  readonly dataset: BisDataset
  readonly page: SeriesPageRows
}

/** A page of a series; 404 for an unknown dataset or key, with the nearest one and where they are listed. */
export async function getBisSeries(query: BisSeriesQuery, context: RequestContext): Promise<BisSeries> {
  const { datasetCode, seriesKey } = query
  const dataset = BIS_DATASETS.find(({ code }) => code === datasetCode)
  if (dataset === undefined) throw await noSuchDataset(datasetCode, context)
  const page = await loadSeriesPage({ ...query, provider: 'bis', dataset: datasetCode }, context)
  if (page === null) throw await noSuchKey(dataset, seriesKey, context)
  return { dataset, page }
}

async function noSuchDataset(datasetCode: string, context: RequestContext) {
  const { datasets } = await bisCatalogue(context)
  const near = suggest(
    datasetCode,
    datasets.map(({ code }) => code),
  )
  return notFound(
    (name) =>
      `There is no BIS dataset ${shownText(datasetCode)}${didYouMean(near)} All are listed by ${name('bis_datasets')}.`,
  )
}

async function noSuchKey({ code }: BisDataset, seriesKey: string, { database }: RequestContext) {
  const parts = seriesKey.split('.', MAX_KEY_PARTS)
  const near = suggest(seriesKey, await loadKeysNear(database, { provider: 'bis', dataset: code, parts }))
  return notFound(
    (name) =>
      `${code} has no series ${shownText(seriesKey)}${didYouMean(near)} The key of each country is listed by ${name('bis_countries')}.`,
  )
}

/** More than any key has. */
const MAX_KEY_PARTS = 20
