import type { StoredSeries } from '../series-store.js'

/** A central bank that publishes series; each has an identifier of its own here. */
export interface CentralBank {
  readonly provider: 'boj' | 'bok'
  readonly name: string
  /** What identifiers begin with. */
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

/** Dataset and key of a series. */
export type SeriesPlace = Pick<StoredSeries, 'dataset' | 'seriesKey'>

/** BOJ_FM08_FXERD04: the series FXERD04 of the dataset FM08. */
export function toSeriesId({ prefix }: CentralBank, { dataset, seriesKey }: SeriesPlace): string {
  return `${prefix}_${dataset}_${seriesKey}`
}

/** The series of an identifier; null for any other text. No dataset has an underscore in its code. */
export function parseSeriesId({ prefix }: CentralBank, text: string): SeriesPlace | null {
  const [, given, dataset, seriesKey] = /^([A-Z]+)_([^_]+)_(.+)$/.exec(text) ?? []
  if (given !== prefix || dataset === undefined || seriesKey === undefined) return null
  return { dataset, seriesKey }
}

/** The name of a series; its identifier where the bank gives none. */
export function descriptionOf(bank: CentralBank, series: StoredSeries): string {
  return series.description ?? toSeriesId(bank, series)
}
