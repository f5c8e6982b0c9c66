import { groupBy } from '../../../core/group-by.js'
import type { MacroSeries } from '../../../generated/prisma/client.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { headlinesLoader } from '../loaders.js'
import { areaName } from '../names/area-names-model.js'
import { BIS_DATASETS, type BisDataset } from './datasets-model.js'

/** A country or group of countries with its headline series. */
export interface BisCountry {
  readonly code: string
  readonly name: string
  readonly series: readonly MacroSeries[]
}

interface BisCatalogue {
  /** Only datasets and countries with a series. */
  readonly datasets: readonly BisDataset[]
  readonly countries: readonly BisCountry[]
}

/** The datasets and countries in the data, loaded once per request. */
export async function bisCatalogue(context: RequestContext): Promise<BisCatalogue> {
  return buildCatalogue((await headlinesLoader(context).load('bis')) ?? [])
}

function buildCatalogue(headlines: readonly MacroSeries[]): BisCatalogue {
  const codes = new Set(headlines.map(({ dataset }) => dataset))
  const byCountry = groupBy(headlines, ({ country }) => country ?? '')
  return {
    datasets: BIS_DATASETS.filter(({ code }) => codes.has(code)),
    countries: [...byCountry]
      .map(([code, series]) => ({ code, name: areaName(code), series }))
      .sort((a, b) => (a.code < b.code ? -1 : 1)),
  }
}

/** A country of the catalogue. Null for an unknown code or a series without a country. */
export async function getCountry(code: string | null, context: RequestContext): Promise<BisCountry | null> {
  const { countries } = await bisCatalogue(context)
  return countries.find((country) => country.code === code) ?? null
}
