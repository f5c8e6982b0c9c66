import type { StoredSeries } from '../series-store.js'

/** A central bank that publishes series. */
export interface CentralBank {
  readonly provider: 'boj' | 'bok'
  readonly name: string
  /** Prefix of the identifiers of its series. */
  readonly prefix: string
  /** Route of the catalogue. */
  readonly path: string
}

export const BANK_OF_JAPAN: CentralBank = {
  provider: 'boj',
  name: 'Bank of Japan',
  prefix: 'BOJ',
  path: '/v1/macro/japan/series',
}

export const BANK_OF_KOREA: CentralBank = {
  provider: 'bok',
  name: 'Bank of Korea',
  prefix: 'BOK',
  path: '/v1/macro/kr/series',
}

export type SeriesKeyParts = Pick<StoredSeries, 'dataset' | 'seriesKey'>

/** BOJ_FM08_FXERD04: the series FXERD04 of the dataset FM08. */
export function toSeriesId({ prefix }: CentralBank, { dataset, seriesKey }: SeriesKeyParts): string {
  return `${prefix}_${dataset}_${seriesKey}`
}

/** The series of an identifier, or null for a malformed one. Codes of datasets have no underscore. */
export function parseSeriesId({ prefix }: CentralBank, text: string): SeriesKeyParts | null {
  const [, given, dataset, seriesKey] = /^([A-Z]+)_([^_]+)_(.+)$/.exec(text) ?? []
  if (given !== prefix || dataset === undefined || seriesKey === undefined) return null
  return { dataset, seriesKey }
}

/** The name of a series, or its identifier if the bank gives no name. */
export function descriptionOf(bank: CentralBank, series: StoredSeries): string {
  return series.description ?? toSeriesId(bank, series)
}
