import type { DecimalText } from '../../../core/decimal.js'
import { explainTicker, parseTicker } from '../../../core/identifiers.js'
import type { TickerChange } from '../../../domains/instruments/model.js'
import { ACTION_TYPES, type ActionRow } from '../../../domains/stocks/model.js'
import { type Read, readOn } from '../../bodies/read.js'
import type { Feed } from '../../feed.js'
import {
  type CellReader,
  cellOneOf,
  dayCell,
  decimalCellIn,
  neededColumn,
  optional,
  ownColumn,
  parsedCell,
  plainTextCell,
  readColumns,
  type TableRow,
  type TableTexts,
  WITHDRAWN,
} from './columns.js'
import { tableFeed } from './keyed-lines.js'
import { type ByTicker, listedByTicker, type NamedListing, tickerColumns } from './listing-cells.js'

/** No split in history exceeds this ratio in either direction. */
const MAX_RATIO = 100_000

const MAX_DESCRIPTION_LENGTH = 500

const COLUMNS = {
  ...tickerColumns<NamedListing>(),
  actionType: ownColumn('action_type', ACTION_TYPES.join(', '), cellOneOf(ACTION_TYPES), true),
  ratio: ownColumn('ratio', 'shares after for each share before: 4, or 0.1', optional(readRatio)),
  valueRatio: ownColumn(
    'value_ratio',
    'of a spin_off, and only of one: value of a share after for its value before, such as 0.8',
    optional(onlyOf('spin_off', decimalCellIn(0, 1, 'above 0 and below 1'))),
  ),
  formerTicker: ownColumn(
    'former_ticker',
    'of a ticker_change, and only of one; list every change of a former ticker that the share had several times',
    readFormerTicker,
  ),
  description: ownColumn('description', '', plainTextCell(MAX_DESCRIPTION_LENGTH)),
  isWithdrawn: WITHDRAWN,
  exDate: neededColumn('ex_date', '', dayCell),
}

export const ACTIONS_TABLE: TableTexts = { columns: COLUMNS, notes: [] }

/** A line of the file: a corporate action or a changed ticker, possibly withdrawn. */
export type OwnAction =
  | { readonly kind: 'stated'; readonly row: ActionRow; readonly isWithdrawn: boolean }
  | { readonly kind: 'ticker'; readonly change: TickerChange; readonly isWithdrawn: boolean }

/** The operator's table of corporate actions. */
export function actionsFile(listings: readonly NamedListing[]): Feed<OwnAction> {
  const listed = listedByTicker(listings)
  return tableFeed(
    {
      id: 'corporate-actions',
      dataset: 'corporate_actions',
      description: 'Corporate actions of stocks and ETFs as you know them, from a CSV file',
    },
    { columns: COLUMNS, nameColumn: 'ticker', read: (row) => readAction(row, listed), keyOf },
  )
}

function keyOf(action: OwnAction): string {
  if (action.kind === 'ticker') {
    const { assetId, formerTicker, day } = action.change
    return `${assetId} ${day} ${formerTicker}`
  }
  const { assetId, exDate, actionType } = action.row
  return `${assetId} ${exDate} ${actionType}`
}

function readAction(row: TableRow, listed: ByTicker<NamedListing>): Read<OwnAction> {
  return readOn(
    readColumns(COLUMNS, row, listed),
    ({
      listing: { assetId, ticker },
      mic: _mic,
      isWithdrawn,
      formerTicker,
      actionType,
      ...facts
    }): Read<OwnAction> => {
      if (actionType !== 'ticker_change')
        return { value: { kind: 'stated', row: { assetId, actionType, ...facts }, isWithdrawn } }
      if (formerTicker === ticker) return { wrong: `former_ticker must not be ${ticker} itself` }
      const change = { assetId, ticker, formerTicker: formerTicker ?? '', day: facts.exDate }
      return { value: { kind: 'ticker', change, isWithdrawn } }
    },
  )
}

function typeOf(row: TableRow): string | null {
  return row.cell('action_type')
}

function onlyOf<Value>(type: (typeof ACTION_TYPES)[number], read: CellReader<Value>): CellReader<Value> {
  return (cell, context, row) =>
    typeOf(row) === type ? read(cell, context, row) : { wrong: `is for a ${type} only` }
}

const anyRatio = decimalCellIn(1 / MAX_RATIO, MAX_RATIO, 'above zero')

const RATIOS = {
  split: decimalCellIn(1, MAX_RATIO, 'above 1 and below 100,000 for a split'),
  reverse_split: decimalCellIn(1 / MAX_RATIO, 1, 'above zero and below 1 for a reverse_split'),
}

function readRatio(cell: string, _context: unknown, row: TableRow): Read<DecimalText> {
  const type = typeOf(row)
  if (type === 'ticker_change') return { wrong: 'is not for a ticker_change' }
  const read = type === 'split' || type === 'reverse_split' ? RATIOS[type] : anyRatio
  return read(cell)
}

function readFormerTicker(cell: string, context: unknown, row: TableRow): Read<string | null> {
  if (cell === '' && typeOf(row) !== 'ticker_change') return { value: null }
  return onlyOf('ticker_change', parsedCell(parseTicker, explainTicker))(cell, context, row)
}
