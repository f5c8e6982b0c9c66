import type { CsvRecord } from '../../bodies/csv/csv.js'
import { textOrNull } from '../../bodies/etf/holding-identifiers.js'
import type { DecimalMark } from '../../bodies/local-text.js'
import { BrokenBody } from '../../feed.js'

/** Names of each column in older, newer and German files. A file may have several: the first with a value counts. */
const NAMES = {
  ticker: ['Ticker', 'Issuer Ticker', 'Emittententicker'],
  name: ['Name'],
  assetClass: ['Asset Class', 'Anlageklasse'],
  marketValue: ['Market Value', 'Marktwert'],
  weight: ['Weight (%)', 'Weight(%)', 'Weight', 'Market Weight', 'Gewichtung (%)'],
  quantity: ['Quantity', 'Shares', 'Nominal', 'Nominale', 'Par Value'],
  isin: ['ISIN'],
  location: ['Location', 'Country', 'Standort'],
  exchange: ['Exchange', 'Börse'],
  currency: ['Currency', 'Währung'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Column = keyof typeof NAMES

const COLUMNS = Object.keys(NAMES) as readonly Column[] // the keys of the table above

const GERMAN = ['Gewichtung (%)', 'Anlageklasse', 'Marktwert']

/** Beside one of these, the currency of a row is that of its market value; alone it is that of the security. */
const CURRENCIES_OF_SECURITIES = ['Market Currency', 'FX Rate', 'Marktwährung']

/** The table of holdings: the positions of its columns, and its number format. */
export interface Columns {
  readonly decimalMark: DecimalMark
  /** The number of cells per row. */
  readonly width: number
  cell(record: CsvRecord, column: Column): string
  /** The currency of the market value as the row states it; null if it does not. */
  valueCurrency(record: CsvRecord): string | null
}

/** The columns of a header record; null for another record. Throws BrokenBody for a repeated column. */
export function parseHeaderColumns({ cells }: CsvRecord): Columns | null {
  const places = new Map<Column, readonly number[]>()
  for (const column of COLUMNS) {
    const names = NAMES[column].filter((name) => cells.includes(name))
    const repeated = names.find((name) => cells.indexOf(name) !== cells.lastIndexOf(name))
    if (repeated !== undefined) throw new BrokenBody(`the table has the column ${repeated} twice`)
    if (names.length > 0)
      places.set(
        column,
        names.map((name) => cells.indexOf(name)),
      )
  }
  if (!places.has('name') || !places.has('weight')) return null
  const cell = (record: CsvRecord, column: Column) => {
    const texts = (places.get(column) ?? []).map((place) => record.cells[place] ?? '')
    return texts.find((text) => textOrNull(text) !== null) ?? texts[0] ?? ''
  }
  const hasValueCurrency = CURRENCIES_OF_SECURITIES.some((name) => cells.includes(name))
  return {
    decimalMark: cells.some((name) => GERMAN.includes(name)) ? 'comma' : 'point',
    width: cells.length,
    cell,
    valueCurrency: (record) => (hasValueCurrency ? textOrNull(cell(record, 'currency')) : null),
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
