import { DIVIDEND_FREQUENCIES, type DividendKey, type DividendRow } from '../../../domains/stocks/model.js'
import { type Read, readOn } from '../../bodies/read.js'
import type { Feed } from '../../feed.js'
import {
  cellOneOf,
  dayCell,
  decimalCellIn,
  neededColumn,
  ownColumn,
  readColumns,
  type TableRow,
  type TableTexts,
  WITHDRAWN,
} from './columns.js'
import { currencyCell } from './instrument-cells.js'
import { tableFeed } from './keyed-lines.js'
import { type ByTicker, listedByTicker, type NamedListing, tickerColumns } from './listing-cells.js'

const KEYS = {
  ...tickerColumns<NamedListing>(),
  exDate: neededColumn('ex_date', '', dayCell),
  frequency: ownColumn('frequency', DIVIDEND_FREQUENCIES.join(', '), cellOneOf(DIVIDEND_FREQUENCIES), true),
  isWithdrawn: WITHDRAWN,
}

/** Far above any dividend of one share in any currency. */
const MAX_AMOUNT = 1e9

/** A line that withdraws a dividend needs none of these cells. */
const VALUES = {
  payDate: ownColumn('pay_date', '', dayCell),
  amount: ownColumn('amount', 'of one share, before taxes', decimalCellIn(0, MAX_AMOUNT, 'above zero'), true),
  currency: ownColumn('currency', '', currencyCell, true),
}

const COLUMNS = { ...KEYS, ...VALUES }

export const DIVIDENDS_TABLE: TableTexts = { columns: COLUMNS, notes: [] }

/** A dividend of the operator, or its withdrawal. */
export type OwnDividend =
  | { readonly kind: 'stated'; readonly row: DividendRow }
  | { readonly kind: 'withdrawn'; readonly row: DividendKey }

/** The operator's table of dividends. */
export function dividendsFile(listings: readonly NamedListing[]): Feed<OwnDividend> {
  const listed = listedByTicker(listings)
  return tableFeed(
    {
      id: 'dividends',
      dataset: 'dividends',
      description: 'Dividends of stocks and ETFs as you know them, from a CSV file',
    },
    {
      columns: COLUMNS,
      nameColumn: 'ticker',
      read: (row) => readDividend(row, listed),
      keyOf: ({ row: { assetId, exDate, frequency } }) => `${assetId} ${exDate} ${frequency}`,
    },
  )
}

function readDividend(row: TableRow, listed: ByTicker<NamedListing>): Read<OwnDividend> {
  return readOn(readColumns(KEYS, row, listed), ({ listing, exDate, frequency, isWithdrawn }) => {
    const key = { assetId: listing.assetId, exDate, frequency }
    if (isWithdrawn) return { value: { kind: 'withdrawn', row: key } }
    return readOn(
      readColumns(VALUES, row, null),
      (values): Read<OwnDividend> =>
        values.payDate !== null && values.payDate < exDate
          ? { wrong: 'pay_date must not be before ex_date' }
          : { value: { kind: 'stated', row: { ...key, ...values } } },
    )
  })
}
