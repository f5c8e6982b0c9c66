import type { DecimalText } from '../../../core/decimal.js'
import { explainTicker, parseTicker } from '../../../core/identifiers.js'
import type { TickerChange } from '../../../domains/instruments/model.js'
import { ACTION_TYPES, type ActionRow, type ActionType } from '../../../domains/stocks/model.js'
import { named, type Read, readAll, readOn, required, valueOr } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { operator } from '../providers.js'
import { cellOneOf } from './instrument-cells.js'
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
  known: [
    'ticker',
    'mic',
    'action_type',
    'ex_date',
    'ratio',
    'value_ratio',
    'former_ticker',
    'description',
    'withdrawn',
  ],
  required: ['ticker', 'action_type', 'ex_date'],
} as const

const MAX_DESCRIPTION_LENGTH = 500

/** The columns of the file and their meaning, for the help text. */
export const ACTIONS_FILE_HELP = [
  'header: ticker, action_type (split, reverse_split, spin_off, merger, ticker_change), ex_date, and optionally mic',
  '(needed where several markets list the ticker), ratio (shares after for each share before: 4, or 0.1), value_ratio (of a',
  'spin_off, and only of one: value of a share after for its value before, such as 0.8), former_ticker (of a ticker_change,',
  'and only of one; list every change of a former ticker that the share had several times), description, withdrawn (yes:',
  'withdraws the line with the same keys)',
] as const

/** A line of the file: a corporate action or a changed ticker, possibly withdrawn. */
export type OwnAction =
  | { readonly kind: 'stated'; readonly row: ActionRow; readonly isWithdrawn: boolean }
  | { readonly kind: 'ticker'; readonly change: TickerChange; readonly isWithdrawn: boolean }

/** The operator's table of corporate actions. */
export function actionsFile(listings: readonly NamedListing[]): Feed<OwnAction> {
  const listed = listedByTicker(listings)
  return {
    id: 'corporate-actions',
    provider: operator,
    dataset: 'corporate_actions',
    description: 'Corporate actions of stocks and ETFs as you know them, from a CSV file',
    cadence: 'when you give it a file',
    fileNames: [],
    request: () => null,
    parse: (body, context) => parseActions(body, context, listed),
  }
}

/** Also reads the synthetic rows. */
export function parseActions(
  body: Uint8Array,
  context: ParseContext,
  listed: ListedByTicker,
): readonly Parsed<OwnAction>[] {
  return keyedLines(body, context, {
    columns: COLUMNS,
    nameColumn: 'ticker',
    read: (row) => readAction(row, listed),
    keyOf,
  })
}

function keyOf(action: OwnAction): string {
  if (action.kind === 'ticker') {
    const { assetId, formerTicker, day } = action.change
    return `${assetId} ${day} ${formerTicker}`
  }
  const { assetId, exDate, actionType } = action.row
  return `${assetId} ${exDate} ${actionType}`
}

function readAction(row: TableRow, listed: ListedByTicker): Read<OwnAction> {
  const actionType = named('action_type', typeCell(row.cell('action_type') ?? ''))
  const knownType = valueOr(actionType, null)
  const cells = readAll({
    stock: readListed(row, listed),
    actionType,
    ratio: readRatio(row, knownType),
    valueRatio: readValueRatio(row, knownType),
    formerTicker: readFormer(row, knownType),
    description: readDescription(row),
    isWithdrawn: readWithdrawn(row),
    exDate: required('ex_date', readDay(row, 'ex_date')),
  })
  return readOn(
    cells,
    ({
      stock: { assetId, ticker },
      isWithdrawn,
      formerTicker,
      actionType: type,
      ...facts
    }): Read<OwnAction> => {
      if (type !== 'ticker_change')
        return { value: { kind: 'stated', row: { assetId, actionType: type, ...facts }, isWithdrawn } }
      if (formerTicker === ticker) return { wrong: `former_ticker must not be ${ticker} itself` }
      const change = { assetId, ticker, formerTicker: formerTicker ?? '', day: facts.exDate }
      return { value: { kind: 'ticker', change, isWithdrawn } }
    },
  )
}

const typeCell = cellOneOf(ACTION_TYPES)

/** No split in history exceeds this ratio in either direction. */
const MAX_RATIO = 100_000

function readRatio(row: TableRow, actionType: ActionType | null): Read<DecimalText | null> {
  const cell = row.cell('ratio') ?? ''
  if (cell === '') return { value: null }
  if (actionType === 'ticker_change') return { wrong: 'a ticker_change has no ratio' }
  return readOn(named('ratio', readDecimal(cell)), (value) => {
    const ratio = Number(value)
    if (!(ratio > 1 / MAX_RATIO && ratio < MAX_RATIO))
      return { wrong: `ratio ${quoted(cell)} must be above zero` }
    if (actionType === 'split' && ratio <= 1)
      return { wrong: `ratio ${quoted(cell)} of a split must be above 1` }
    if (actionType === 'reverse_split' && ratio >= 1)
      return { wrong: `ratio ${quoted(cell)} of a reverse_split must be below 1` }
    return { value }
  })
}

function readValueRatio(row: TableRow, actionType: ActionType | null): Read<DecimalText | null> {
  const cell = row.cell('value_ratio') ?? ''
  if (cell === '') return { value: null }
  if (actionType !== 'spin_off') return { wrong: 'value_ratio is for a spin_off only' }
  return readOn(named('value_ratio', readDecimal(cell)), (value) =>
    Number(value) > 0 && Number(value) < 1
      ? { value }
      : { wrong: `value_ratio ${quoted(cell)} must be above 0 and below 1` },
  )
}

function readFormer(row: TableRow, actionType: ActionType | null): Read<string | null> {
  const cell = row.cell('former_ticker') ?? ''
  if (actionType !== 'ticker_change')
    return cell === '' ? { value: null } : { wrong: 'former_ticker is for a ticker_change only' }
  const ticker = parseTicker(cell)
  return ticker === null
    ? { wrong: `former_ticker ${quoted(cell)} ${explainTicker(cell)}` }
    : { value: ticker }
}

function readDescription(row: TableRow): Read<string | null> {
  const cell = row.cell('description') ?? ''
  if (cell === '') return { value: null }
  const isText = cell.length <= MAX_DESCRIPTION_LENGTH && !/\p{Cc}/u.test(cell)
  return isText
    ? { value: cell }
    : { wrong: `description must have at most ${MAX_DESCRIPTION_LENGTH} characters and no control character` }
}
