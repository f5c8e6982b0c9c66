import { restGet } from '../client/use-query.js'
import { config } from '../config.js'

/** More series than the catalogues have. */
const MAX_SERIES = 1_000

/** The series of all publishers. BIS lists one headline series per dataset and country. */
export const MACRO_CATALOGUE = {
  document: `query MacroCatalogue($limit: Int!) {
  macro_catalogue(limit: $limit) {
    data { provider key name description country_name dataset_name frequency unit }
  }
}`,
  variables: { limit: MAX_SERIES },
  rest: [restGet('/v1/macro/series', { limit: MAX_SERIES })],
}

export interface MacroCatalogue {
  readonly macro_catalogue: {
    readonly data: readonly {
      readonly provider: string
      readonly key: string
      readonly name: string
      readonly description: string | null
      readonly country_name: string | null
      readonly dataset_name: string | null
      readonly frequency: string
      readonly unit: string | null
    }[]
  }
}

/** The arguments that name the series with that id. */
export function parseMacroId(id: string): { readonly provider: string; readonly key: string } {
  const [provider = '', ...key] = id.split(':')
  return { provider, key: key.join(':') }
}

/** The BIS has quarters and years, of which a chart always shows all. */
export function hasRanges(id: string): boolean {
  return parseMacroId(id).provider !== 'bis'
}

export interface CatalogueSeries {
  /** Names the series in the address of its page: publisher, a colon and the key. */
  readonly id: string
  readonly name: string
  /** Null if the publisher gives none. */
  readonly titleAtPublisher: string | null
  readonly providerName: string
  /** Null for publishers whose datasets have no names. */
  readonly datasetName: string | null
  readonly country: string
  readonly frequency: string
  readonly unit: string | null
  readonly key: string
}

/** Every series of the catalogues. */
export function listMacroSeries({ macro_catalogue }: MacroCatalogue): readonly CatalogueSeries[] {
  const publishers = new Map(config.macroPublishers.map(({ id, name }) => [id, name]))
  return macro_catalogue.data.map(
    ({ provider, key, name, description, country_name, dataset_name, frequency, unit }) => ({
      id: `${provider}:${key}`,
      name,
      titleAtPublisher: description,
      providerName: publishers.get(provider) ?? provider,
      datasetName: dataset_name,
      country: country_name ?? '–',
      frequency,
      unit,
      key,
    }),
  )
}
