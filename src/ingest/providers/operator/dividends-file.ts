import type { DecimalText } from '../../../core/decimal.js'
import { DIVIDEND_FREQUENCIES, type DividendKey, type DividendRow } from '../../../domains/stocks/model.js'
import { named, type Read, readAll, readOn, required } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { operator } from '../providers.js'
import { cellOneOf, INSTRUMENT_CELLS } from './instrument-cells.js'
import { keyedLines } from './keyed-lines.js'
import {
  type ListedByTicker,
  listedByTicker,
  type NamedListing,
  readDay,
  readListed,
  readWithdrawn,
} from './listing-cells.js'
import type { TableRow } from './table.js'

const COLUMNS = {
  known: ['ticker', 'mic', 'ex_date', 'pay_date', 'amount', 'currency', 'frequency', 'withdrawn'],
  required: ['ticker', 'ex_date', 'amount', 'currency', 'frequency'],
} as const

/** The columns of the file and their meaning, for the help text. */
export const DIVIDENDS_FILE_HELP = [
  'header: ticker, ex_date, amount (of one share, before taxes), currency, frequency (monthly, quarterly, semi_annual,',
  'annual, special), and optionally mic (needed where several markets list the ticker), pay_date, withdrawn (yes:',
  'withdraws the line with the same ticker, ex_date and frequency)',
] as const

/** A dividend of the operator, or its withdrawal. */
export type OwnDividend =
  | { readonly kind: 'stated'; readonly row: DividendRow }
  | { readonly kind: 'withdrawn'; readonly row: DividendKey }

/** The operator's table of dividends. */
export function dividendsFile(listings: readonly NamedListing[]): Feed<OwnDividend> {
  const listed = listedByTicker(listings)
  return {
    id: 'dividends',
    provider: operator,
    dataset: 'dividends',
    description: 'Dividends of stocks and ETFs as you know them, from a CSV file',
    cadence: 'when you give it a file',
    fileNames: [],
    request: () => null,
    parse: (body, context) => parseDividends(body, context, listed),
  }
}

/** Also reads the synthetic rows. */
export function parseDividends(
  body: Uint8Array,
  context: ParseContext,
  listed: ListedByTicker,
): readonly Parsed<OwnDividend>[] {
  return keyedLines(body, context, {
    columns: COLUMNS,
    nameColumn: 'ticker',
    read: (row) => readDividend(row, listed),
    keyOf,
  })
}

function keyOf({ row: { assetId, exDate, frequency } }: OwnDividend): string {
  return `${assetId} ${exDate} ${frequency}`
}

function readDividend(row: TableRow, listed: ListedByTicker): Read<OwnDividend> {
  const keys = readAll({
    stock: readListed(row, listed),
    exDate: required('ex_date', readDay(row, 'ex_date')),
    frequency: named('frequency', frequencyCell(row.cell('frequency') ?? '')),
    isWithdrawn: readWithdrawn(row),
  })
  return readOn(keys, ({ stock, isWithdrawn, ...when }): Read<OwnDividend> => {
    const key = { assetId: stock.assetId, ...when }
    return isWithdrawn ? { value: { kind: 'withdrawn', row: key } } : readStated(row, key)
  })
}

/** A line that withdraws a dividend needs none of these cells. */
function readStated(row: TableRow, key: DividendKey): Read<OwnDividend> {
  const cells = readAll({
    payDate: readDay(row, 'pay_date'),
    amount: readAmount(row.cell('amount') ?? ''),
    currency: named('currency', INSTRUMENT_CELLS.currency(row.cell('currency') ?? '')),
  })
  return readOn(cells, (values) =>
    values.payDate !== null && values.payDate < key.exDate
      ? { wrong: 'pay_date must not be before ex_date' }
      : { value: { kind: 'stated', row: { ...key, ...values } } },
  )
}

const frequencyCell = cellOneOf(DIVIDEND_FREQUENCIES)

/** Far above any dividend of one share in any currency. */
const MAX_AMOUNT = 1e9

function readAmount(cell: string): Read<DecimalText> {
  return readOn(named('amount:', readDecimal(cell)), (value) =>
    Number(value) > 0 && Number(value) < MAX_AMOUNT
      ? { value }
      : { wrong: `amount ${quoted(cell)} must be above zero` },
  )
}
