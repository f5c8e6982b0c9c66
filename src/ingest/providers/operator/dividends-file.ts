import type { DecimalText } from '../../../core/decimal.js'
import { DIVIDEND_FREQUENCIES, type DividendKey, type DividendRow } from '../../../domains/stocks/model.js'
import type { Read } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { INSTRUMENT_CELLS, oneOf } from './instrument-cells.js'
import { keyedLines } from './keyed-lines.js'
import {
  cellFaultsOf,
  type NamedListing,
  readDay,
  readStock,
  readWithdrawn,
  type StocksByTicker,
  stocksByTicker,
} from './listing-cells.js'
import { operator } from './provider.js'
import type { TableRow } from './table.js'

const COLUMNS = {
  known: ['ticker', 'mic', 'ex_date', 'pay_date', 'amount', 'currency', 'frequency', 'withdrawn'],
  required: ['ticker', 'ex_date', 'amount', 'currency', 'frequency'],
} as const

/** The columns of the file and what they mean, for the help text. */
export const DIVIDENDS_FILE_HELP = [
  'header: ticker, ex_date, amount (of one share, before taxes), currency, frequency (monthly, quarterly, semi_annual,',
  'annual, special), and where you like mic (needed where several markets list the ticker), pay_date, withdrawn (yes:',
  'takes the line with the same ticker, ex_date and frequency back)',
] as const

/** A dividend of the operator's, or that there is none any more. */
export type OwnDividend =
  | { readonly kind: 'stated'; readonly row: DividendRow }
  | { readonly kind: 'withdrawn'; readonly row: DividendKey }

/** The operator's own table of dividends. */
export function dividendsFile(listings: readonly NamedListing[]): Feed<OwnDividend> {
  const stocks = stocksByTicker(listings)
  return {
    id: 'dividends',
    provider: operator,
    dataset: 'dividends',
    description: 'Dividends of stocks as you know them, from a CSV file',
    cadence: 'when you give it a file',
    fileNames: [],
    request: () => null,
    parse: (body, context) => parseDividends(body, context, stocks),
  }
}

/** The rows of such a file; the synthetic ones are read the same way. */
export function parseDividends(
  body: Uint8Array,
  context: ParseContext,
  stocks: StocksByTicker,
): Generator<Parsed<OwnDividend>> {
  return keyedLines(body, context, { columns: COLUMNS, read: (row) => readDividend(row, stocks), keyOf })
}

function keyOf({ row: { assetId, exDate, frequency } }: OwnDividend): string {
  return `${assetId} ${exDate} ${frequency}`
}

function readDividend(row: TableRow, stocks: StocksByTicker): Read<OwnDividend> {
  const stock = readStock(row, stocks)
  const exDate = readExDate(row)
  const frequency = named('frequency', frequencyCell(row.cell('frequency') ?? ''))
  const isWithdrawn = readWithdrawn(row)
  const keyFaults = cellFaultsOf([stock, exDate, frequency, isWithdrawn])
  if ('wrong' in stock || 'wrong' in exDate || 'wrong' in frequency || 'wrong' in isWithdrawn)
    return { wrong: keyFaults.join('; ') }
  const key = { assetId: stock.value.assetId, exDate: exDate.value, frequency: frequency.value }
  if (isWithdrawn.value) return { value: { kind: 'withdrawn', row: key } }
  const payDate = readDay(row, 'pay_date')
  const amount = readAmount(row.cell('amount') ?? '')
  const currency = named('currency', INSTRUMENT_CELLS.currency(row.cell('currency') ?? ''))
  if ('wrong' in payDate || 'wrong' in amount || 'wrong' in currency)
    return { wrong: cellFaultsOf([payDate, amount, currency]).join('; ') }
  if (payDate.value !== null && payDate.value < key.exDate)
    return { wrong: 'pay_date must not be before ex_date' }
  const values = { payDate: payDate.value, amount: amount.value, currency: currency.value }
  return { value: { kind: 'stated', row: { ...key, ...values } } }
}

const frequencyCell = oneOf(DIVIDEND_FREQUENCIES)

function readExDate(row: TableRow): Read<DividendKey['exDate']> {
  const read = readDay(row, 'ex_date')
  if ('wrong' in read) return read
  return read.value === null ? { wrong: 'ex_date is missing' } : { value: read.value }
}

function named<Value>(name: string, read: Read<Value>): Read<Value> {
  return 'wrong' in read ? { wrong: `${name} ${read.wrong}` } : read
}

/** Far above any dividend of one share, in any currency. */
const MAX_AMOUNT = 1e9

function readAmount(cell: string): Read<DecimalText> {
  const read = readDecimal(cell)
  if ('wrong' in read) return { wrong: `amount: ${read.wrong}` }
  const isAmount = Number(read.value) > 0 && Number(read.value) < MAX_AMOUNT
  return isAmount ? read : { wrong: `amount ${quoted(cell)} must be above zero` }
}
