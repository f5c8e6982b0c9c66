import type { CsvRecord } from '../../../core/csv.js'
import type { DecimalMark } from '../../bodies/local-text.js'
import { BrokenBody } from '../../feed.js'

/** Names of each column in older and newer files, and in German ones. */
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

/** The table of holdings: where its columns are, and how it writes numbers. */
export interface Columns {
  readonly decimalMark: DecimalMark
  /** Cells of each row. */
  readonly width: number
  cell(record: CsvRecord, column: Column): string
}

/** The columns of the header of the table; null where the record is none. Throws BrokenBody for a column that is there twice. */
export function headerColumnsOf({ cells }: CsvRecord): Columns | null {
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

/** Markets by the names that the files give them, as far as they are in the reference. */
const MARKETS: readonly (readonly [RegExp, string])[] = [
  [/^nasdaq/i, 'XNAS'],
  [/^new york stock exchange/i, 'XNYS'],
  [/^xetra/i, 'XETR'],
  [/^london stock exchange/i, 'XLON'],
  [/euronext paris/i, 'XPAR'],
  [/^euronext amsterdam/i, 'XAMS'],
  [/^six swiss exchange/i, 'XSWX'],
  [/^tokyo stock exchange/i, 'XTKS'],
]

/** The code of the market of that name (ISO 10383); null for one that is not known here. */
export function marketCodeOf(exchange: string): string | null {
  return MARKETS.find(([name]) => name.test(exchange))?.[1] ?? null
}
