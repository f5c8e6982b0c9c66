import type { DecimalText } from '../../../core/decimal.js'
import { suggest } from '../../../core/suggest.js'
import { explainIsoDate, type IsoDate, parseIsoDate } from '../../../core/time.js'
import { type Read, readAll, readOn, required } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { quoted } from '../../feed.js'

/** One line of a table, with its cells by column name. */
export interface TableRow {
  readonly line: number
  /** Null if the table has no such column; an empty cell is an empty text. */
  cell(name: string): string | null
}

/** A column of a table of the operator. */
export interface OwnColumn<Value, Context = unknown> {
  /** In the header. */
  readonly name: string
  /** What its cells are, for the help and the guide. */
  readonly text: string
  /** Whether the header must have it. */
  readonly isRequired: boolean
  /** Parses its cell, also an empty or a missing one. What is wrong names the column. */
  readonly read: (row: TableRow, context: Context) => Read<Value>
}

/** The columns of a table by the name of the value. */
export type OwnColumns<Context = never> = Readonly<Record<string, OwnColumn<unknown, Context>>>

export type CellReader<Value, Context = unknown> = (
  cell: string,
  context: Context,
  row: TableRow,
) => Read<Value>

/** Describes a column whose cell may be empty if `read` allows it. */
export function ownColumn<Value, Context = unknown>(
  name: string,
  text: string,
  read: CellReader<Value, Context>,
  isRequired = false,
): OwnColumn<Value, Context> {
  const ofRow = (row: TableRow, context: Context): Read<Value> => {
    const value = read(row.cell(name) ?? '', context, row)
    return 'wrong' in value ? { wrong: `${name} ${value.wrong}` } : value
  }
  return { name, text, isRequired, read: ofRow }
}

/** Describes a column that the header and each line must have. */
export function neededColumn<Value, Context = unknown>(
  name: string,
  text: string,
  read: CellReader<Value | null, Context>,
): OwnColumn<Value, Context> {
  const { read: readCell, ...facts } = ownColumn(name, text, read, true)
  return { ...facts, read: (row, context) => required(name, readCell(row, context)) }
}

type ValuesOf<Own extends OwnColumns> = {
  readonly [Member in keyof Own]: Own[Member] extends OwnColumn<infer Value, never> ? Value : never
}

/** The values of the columns, or everything that is wrong with them. */
export function readColumns<const Own extends OwnColumns<Context>, Context>(
  columns: Own,
  row: TableRow,
  context: Context,
): Read<ValuesOf<Own>> {
  const reads = Object.entries(columns).map(([member, { read }]) => [member, read(row, context)] as const)
  return readAll(Object.fromEntries(reads)) as Read<ValuesOf<Own>> // each value under the name of its column
}

/** An empty cell is null. */
export function optional<Value, Context = unknown>(
  read: CellReader<Value, Context>,
): CellReader<Value | null, Context> {
  return (cell, context, row) => (cell === '' ? { value: null } : read(cell, context, row))
}

export function cellOneOf<const Value extends string>(values: readonly Value[]) {
  return (cell: string): Read<Value> => {
    const value = values.find((known) => known === cell)
    if (value !== undefined) return { value }
    const likely = suggest(cell, values)
    const hint = likely === null ? `known are ${values.join(', ')}` : `did you mean ${likely}?`
    return { wrong: `${quoted(cell)} is unknown; ${hint}` }
  }
}

/** A cell that `parse` accepts, or else what `explain` says about it. */
export function parsedCell<Value>(
  parse: (text: string) => Value | null,
  explain: (text: string) => string | null,
) {
  return (cell: string): Read<Value> => {
    const value = parse(cell)
    return value === null ? { wrong: `${quoted(cell)} ${explain(cell)}` } : { value }
  }
}

/** A day; null for an empty cell. */
export const dayCell: CellReader<IsoDate | null> = optional(parsedCell(parseIsoDate, explainIsoDate))

/** A text of one line; null for an empty cell. */
export function plainTextCell(maxLength: number): CellReader<string | null> {
  return optional((cell) =>
    cell.length <= maxLength && !/[\p{Cc}\p{Cs}]/u.test(cell)
      ? { value: cell }
      : { wrong: `must have at most ${maxLength} characters and no control character` },
  )
}

export function decimalCell(cell: string): Read<DecimalText> {
  const read = readDecimal(cell)
  return 'wrong' in read ? { wrong: `${quoted(cell)} is not a decimal in the supported range` } : read
}

/** A decimal between two limits, which `range` describes. */
export function decimalCellIn(above: number, below: number, range: string) {
  return (cell: string): Read<DecimalText> =>
    readOn(decimalCell(cell), (value) =>
      Number(value) > above && Number(value) < below
        ? { value }
        : { wrong: `${quoted(cell)} must be ${range}` },
    )
}

/** Whether the line takes back the line with the same keys. */
export const WITHDRAWN = ownColumn('withdrawn', 'yes takes back the line with the same keys', (cell) => {
  if (cell === '' || cell === 'no') return { value: false }
  return cell === 'yes' ? { value: true } : { wrong: `${quoted(cell)} must be yes, no or empty` }
})

/** The texts of a table for the help and the guide. */
export interface TableTexts {
  readonly columns: OwnColumns
  readonly notes: readonly string[]
}

/** The help text of a table: its header, the columns that need an explanation, and the notes. */
export function helpOf({ columns, notes }: TableTexts): readonly string[] {
  const all = Object.values(columns)
  const namesOf = (isRequired: boolean) =>
    all.flatMap((one) => (one.isRequired === isRequired ? one.name : [])).join(', ')
  const header = `header: ${namesOf(true)}, and optionally ${namesOf(false)}`
  const texts = all.flatMap(({ name, text }) => (text === '' ? [] : `${name}: ${text}`))
  return [header, ...texts, ...notes].flatMap(wrap)
}

/** Longer lines of the help are wrapped. */
const MAX_WIDTH = 120

function wrap(text: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= MAX_WIDTH) {
      lines.push(line)
      line = `  ${word}`
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
