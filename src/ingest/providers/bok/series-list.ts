import type { BokCycle } from './cycles.js'

/** A requested series with an English title, because ECOS has Korean names. */
export interface BokListedSeries {
  /** Table of ECOS, e.g. 731Y001. */
  readonly table: string
  /** Item of the table; a table with several dimensions has one code for each. */
  readonly items: readonly string[]
  readonly cycle: Exclude<BokCycle, 'S' | 'SM'>
  readonly unit: string
  readonly title: string
}

/** The series that the feed requests; other series can come from a file. */
// biome-ignore format: one series a line
export const BOK_SERIES: readonly BokListedSeries[] = [
  { table: '722Y001', items: ['0101000'], cycle: 'D', unit: '% per year', title: 'Bank of Korea base rate' },
  { table: '817Y002', items: ['010200000'], cycle: 'D', unit: '% per year', title: 'Yield of treasury bonds, 3 years' },
  { table: '731Y001', items: ['0000001'], cycle: 'D', unit: 'KRW per USD', title: 'Won per US dollar, basic rate' },
  { table: '731Y001', items: ['0000002'], cycle: 'D', unit: 'KRW per 100 JPY', title: 'Won per 100 Japanese yen, basic rate' },
  { table: '731Y001', items: ['0000003'], cycle: 'D', unit: 'KRW per EUR', title: 'Won per euro, basic rate' },
  { table: '121Y002', items: ['BEABAA2'], cycle: 'M', unit: '% per year', title: 'Deposit rate of banks, newly extended, savings deposits' },
  { table: '121Y006', items: ['BECBLA01'], cycle: 'M', unit: '% per year', title: 'Loan rate of banks, newly extended, average' },
  { table: '161Y006', items: ['BBHA00'], cycle: 'M', unit: 'KRW_B', title: 'M2, average balance' },
  { table: '901Y009', items: ['0'], cycle: 'M', unit: 'INDEX_2020=100', title: 'Consumer price index, all items' },
  { table: '151Y001', items: ['1000000'], cycle: 'Q', unit: 'KRW_B', title: 'Household credit, total' },
  { table: '200Y104', items: ['1400'], cycle: 'Q', unit: 'KRW_B', title: 'Gross domestic product, real, seasonally adjusted' },
  { table: '200Y101', items: ['10101'], cycle: 'A', unit: 'KRW_B', title: 'Gross domestic product, nominal' },
]

/** The key of a series within its table: its items and its cycle, e.g. 0000001_D. */
export function toSeriesKey({
  items,
  cycle,
}: Pick<BokListedSeries, 'items'> & { readonly cycle: BokCycle }): string {
  return [...items, cycle].join('_')
}

/** UNIT_NAME in English; unknown units stay as they are. */
export const BOK_UNITS: Readonly<Record<string, string>> = {
  원: 'KRW',
  십억원: 'KRW_B',
  '연%': '% per year',
  백만달러: 'USD_M',
  천달러: 'USD_K',
}
