import { type ChartedPublisher, config } from '../config.js'

const ID_PUBLISHERS = config.macroPublishers.filter(({ hasSeriesIds }) => hasSeriesIds)

const ID_CATALOGUES = ID_PUBLISHERS.map(
  ({ id }) => `  ${id}_catalogue { data { series_id description frequency unit series { country_code } } }`,
)

/** The series of all publishers. BIS lists one headline series per dataset and country. */
export const MACRO_CATALOGUE = `query MacroCatalogue {
  bis_datasets { data { code name frequency unit } }
  bis_countries { data { code name series_keys } }
${ID_CATALOGUES.join('\n')}
}`

interface CatalogueEntry {
  readonly series_id: string
  readonly description: string
  readonly frequency: string | null
  readonly unit: string | null
  readonly series: { readonly country_code: string | null }
}

export interface MacroCatalogue {
  readonly bis_datasets: {
    readonly data: readonly {
      readonly code: string
      readonly name: string
      readonly frequency: string
      readonly unit: string
    }[]
  }
  readonly bis_countries: {
    readonly data: readonly {
      readonly code: string
      readonly name: string
      readonly series_keys: Readonly<Record<string, string>>
    }[]
  }
  readonly [catalogue: `${string}_catalogue`]: { readonly data: readonly CatalogueEntry[] }
}

/** The REST routes of the catalogues. */
export const CATALOGUE_PATHS: readonly string[] = config.macroPublishers.flatMap(({ path, hasSeriesIds }) =>
  hasSeriesIds ? [`${path}/series`] : [`${path}/datasets`, `${path}/countries`],
)

/** The publisher of the series with that id; the BIS for an id without a known publisher. */
export function findPublisher(seriesId: string): ChartedPublisher {
  const [publisher] = seriesId.split(':')
  const found = config.macroPublishers.find(({ id }) => id === publisher) ?? BIS
  if (found === undefined) throw new Error('no publisher of macro series is known')
  return found
}

const BIS = config.macroPublishers.find(({ id }) => id === 'bis')

export interface CatalogueSeries {
  /** Names the series in the address of its page: publisher, then dataset and key at BIS, else the series_id. */
  readonly id: string
  readonly name: string
  readonly providerName: string
  /** Null where identifiers name the series, whose datasets have no names. */
  readonly datasetName: string | null
  readonly country: string
  readonly frequency: string | null
  readonly unit: string | null
  readonly seriesKey: string
}

/** Every series of the catalogues: BIS by dataset and country, then those with identifiers. */
export function listMacroSeries(catalogue: MacroCatalogue): readonly CatalogueSeries[] {
  const datasets = new Map(catalogue.bis_datasets.data.map((dataset) => [dataset.code, dataset]))
  const ofBis = catalogue.bis_countries.data.flatMap((country) =>
    Object.entries(country.series_keys).flatMap(([code, seriesKey]) => {
      const dataset = datasets.get(code)
      if (dataset === undefined) return []
      return {
        id: `bis:${code}:${seriesKey}`,
        name: `${country.name}: ${dataset.name}`,
        providerName: findPublisher('bis').name,
        datasetName: dataset.name,
        country: country.name,
        frequency: dataset.frequency,
        unit: dataset.unit,
        seriesKey,
      }
    }),
  )
  const ofOthers = ID_PUBLISHERS.flatMap(({ id, name }) =>
    (catalogue[`${id}_catalogue`]?.data ?? []).map((entry) => ({
      id: `${id}:${entry.series_id}`,
      name: entry.description,
      providerName: name,
      datasetName: null,
      country: countryName(entry.series.country_code),
      frequency: entry.frequency,
      unit: entry.unit,
      seriesKey: entry.series_id,
    })),
  )
  return [...ofBis, ...ofOthers]
}

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' })

/** The name of a country, or the code of a group that has no name here. */
function countryName(code: string | null): string {
  return code !== null && /^[A-Z]{2}$/.test(code) ? (COUNTRY_NAMES.of(code) ?? code) : (code ?? '–')
}
