import { groupBy } from '../../core/group-by.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { BIS_AREAS } from './bis-areas-model.js'
import { headlinesLoader } from './loaders.js'
import { BIS_DATASETS, type BisDataset } from './model.js'
import type { StoredSeries } from './series-store.js'

/** A country or group of countries, with its headline series. */
export interface BisCountry {
  readonly code: string
  readonly name: string
  readonly series: readonly StoredSeries[]
}

interface BisCatalogue {
  /** Those that have any series. */
  readonly datasets: readonly BisDataset[]
  readonly countries: readonly BisCountry[]
}

/** Datasets and countries in the data, read once per request. */
export async function bisCatalogue(context: RequestContext): Promise<BisCatalogue> {
  return catalogueOf((await headlinesLoader(context).load('bis')) ?? [])
}

function catalogueOf(headlines: readonly StoredSeries[]): BisCatalogue {
  const codes = new Set(headlines.map(({ dataset }) => dataset))
  const byCountry = groupBy(headlines, ({ country }) => country ?? '')
  return {
    datasets: BIS_DATASETS.filter(({ code }) => codes.has(code)),
    countries: [...byCountry]
      .map(([code, series]) => ({ code, name: areaName(code), series }))
      .sort((a, b) => (a.code < b.code ? -1 : 1)),
  }
}

/** The BIS's name of an area; its code where it is a new one. */
export function areaName(code: string): string {
  return BIS_AREAS[code] ?? code
}

/** A country of the catalogue; null for a series that has none. */
export async function getCountry(code: string | null, context: RequestContext): Promise<BisCountry | null> {
  const { countries } = await bisCatalogue(context)
  return countries.find((country) => country.code === code) ?? null
}
