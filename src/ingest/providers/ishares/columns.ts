import type { CsvRecord } from '../../bodies/csv/csv.js'
import type { DecimalMark } from '../../bodies/local-text.js'
import { BrokenBody } from '../../feed.js'

/** Names of each column in older, newer and German files. */
const NAMES = {
  ticker: ['Ticker', 'Issuer Ticker', 'Emittententicker'],
  name: ['Name'],
  assetClass: ['Asset Class', 'Anlageklasse'],
  marketValue: ['Market Value', 'Marktwert'],
  weight: ['Weight (%)', 'Weight(%)', 'Weight', 'Market Weight', 'Gewichtung (%)'],
  quantity: ['Quantity', 'Shares', 'Nominal', 'Par Value', 'Nominale'],
  isin: ['ISIN'],
  location: ['Location', 'Country', 'Standort'],
  exchange: ['Exchange', 'Börse'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Column = keyof typeof NAMES

const COLUMNS = Object.keys(NAMES) as readonly Column[] // the keys of the table above

const GERMAN = ['Gewichtung (%)', 'Anlageklasse', 'Marktwert']

/** The table of holdings: the positions of its columns, and its number format. */
export interface Columns {
  readonly decimalMark: DecimalMark
  /** The number of cells per row. */
  readonly width: number
  cell(record: CsvRecord, column: Column): string
}

/** The columns of a header record; null for another record. Throws BrokenBody for a repeated column. */
export function parseHeaderColumns({ cells }: CsvRecord): Columns | null {
  const places = new Map<Column, number>()
  for (const column of COLUMNS) {
    const names: readonly string[] = NAMES[column]
    const [first, second] = cells.flatMap((cell, at) => (names.includes(cell) ? [at] : []))
    if (second !== undefined) throw new BrokenBody(`the table has the column ${cells[second]} twice`)
    if (first !== undefined) places.set(column, first)
  }
  if (!places.has('name') || !places.has('weight')) return null
  return {
    decimalMark: cells.some((cell) => GERMAN.includes(cell)) ? 'comma' : 'point',
    width: cells.length,
    cell: (record, column) => record.cells[places.get(column) ?? -1] ?? '',
  }
}

/** Markets by their lower-case names in the files. A name must match exactly. */
const MARKETS: Readonly<Record<string, string>> = {
  nasdaq: 'XNAS',
  'new york stock exchange inc.': 'XNYS',
  'new york stock exchange': 'XNYS',
  'nyse arca': 'ARCX',
  'nyse mkt llc': 'XASE',
  'cboe bzx formerly known as bats': 'BATS',
  xetra: 'XETR',
  'london stock exchange': 'XLON',
  'nyse euronext - euronext paris': 'XPAR',
  'euronext paris': 'XPAR',
  'euronext amsterdam': 'XAMS',
  'six swiss exchange': 'XSWX',
  'six swiss exchange ag': 'XSWX',
  'tokyo stock exchange': 'XTKS',
  'nasdaq omx nordic': 'XSTO',
  'nasdaq omx helsinki ltd.': 'XHEL',
  'omx nordic exchange copenhagen a/s': 'XCSE',
}

/** The MIC (ISO 10383) of a market by that name; null for an unknown name. */
export function marketCodeOf(exchange: string): string | null {
  const name = exchange.trim().toLowerCase()
  return Object.hasOwn(MARKETS, name) ? (MARKETS[name] ?? null) : null
}
