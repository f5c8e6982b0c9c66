/** The series of all three providers. BIS lists one headline series per dataset and country. */
export const MACRO_CATALOGUE = `query MacroCatalogue {
  bis_datasets { data { code name frequency unit } }
  bis_countries { data { code name series_keys } }
  boj_catalogue { data { series_id description frequency unit } }
  bok_catalogue { data { series_id description frequency unit } }
}`

interface CentralBankEntry {
  readonly series_id: string
  readonly description: string
  readonly frequency: string | null
  readonly unit: string | null
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
  readonly boj_catalogue: { readonly data: readonly CentralBankEntry[] }
  readonly bok_catalogue: { readonly data: readonly CentralBankEntry[] }
}

export type SeriesProvider = 'bis' | 'boj' | 'bok'

export const PROVIDER_NAMES: Readonly<Record<SeriesProvider, string>> = {
  bis: 'Bank for International Settlements',
  boj: 'Bank of Japan',
  bok: 'Bank of Korea',
}

export interface CatalogueSeries {
  /** Names the series in the address of its page: provider, then dataset and key at BIS, else the series_id. */
  readonly id: string
  readonly name: string
  readonly providerName: string
  /** Null for a central bank, whose series belong to no dataset. */
  readonly datasetName: string | null
  readonly country: string
  readonly frequency: string | null
  readonly unit: string | null
  readonly seriesKey: string
}

/** Every series of the catalogues: BIS by dataset and country, then Japan and Korea. */
export function listMacroSeries(catalogue: MacroCatalogue): readonly CatalogueSeries[] {
  const datasets = new Map(catalogue.bis_datasets.data.map((dataset) => [dataset.code, dataset]))
  const ofBis = catalogue.bis_countries.data.flatMap((country) =>
    Object.entries(country.series_keys).flatMap(([code, seriesKey]) => {
      const dataset = datasets.get(code)
      if (dataset === undefined) return []
      return {
        id: `bis:${code}:${seriesKey}`,
        name: `${country.name}: ${dataset.name}`,
        providerName: PROVIDER_NAMES.bis,
        datasetName: dataset.name,
        country: country.name,
        frequency: dataset.frequency,
        unit: dataset.unit,
        seriesKey,
      }
    }),
  )
  const ofCentralBank = (provider: 'boj' | 'bok', country: string) =>
    catalogue[`${provider}_catalogue`].data.map((entry) => ({
      id: `${provider}:${entry.series_id}`,
      name: entry.description,
      providerName: PROVIDER_NAMES[provider],
      datasetName: null,
      country,
      frequency: entry.frequency,
      unit: entry.unit,
      seriesKey: entry.series_id,
    }))
  return [...ofBis, ...ofCentralBank('boj', 'Japan'), ...ofCentralBank('bok', 'South Korea')]
}
