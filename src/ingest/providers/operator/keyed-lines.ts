import { isDeepStrictEqual } from 'node:util'
import { PROVIDERS } from '../../../core/providers.js'
import type { Read } from '../../bodies/read.js'
import { withoutContradicted } from '../../bodies/without-contradicted.js'
import { type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import type { OwnColumns, TableRow } from './columns.js'
import { readTable } from './table.js'

interface KeyedLines<Row> {
  /** The column that names the line in a rejection. */
  readonly nameColumn: string
  readonly read: (row: TableRow, now: Date) => Read<Row>
  readonly keyOf: (row: Row) => string
}

/** The lines of one table by key. An equal line counts once, and lines of one key that differ are all rejected. */
export function keyedRows<Row>(
  rows: Iterable<TableRow | Parsed<never>>,
  now: Date,
  { nameColumn, read, keyOf }: KeyedLines<Row>,
): readonly Parsed<Row>[] {
  const taken = new Map<string, { readonly line: number; readonly row: Row }>()
  const parsed = Array.from(rows, (row): Parsed<Row> => {
    if ('kind' in row) return row
    const position = `line ${row.line}, ${quoted(row.cell(nameColumn) ?? '')}`
    const line = read(row, now)
    if ('wrong' in line) return { kind: 'rejected', position, reason: line.wrong }
    const key = keyOf(line.value)
    const earlier = taken.get(key)
    if (earlier === undefined) {
      taken.set(key, { line: row.line, row: line.value })
      return { kind: 'row', row: line.value, position }
    }
    const isOther = !isDeepStrictEqual(earlier.row, line.value)
    const reason = `it repeats line ${earlier.line}${isOther ? ' with different content' : ''}`
    return { kind: 'rejected', position, reason, ...(isOther ? { contradicts: earlier.row } : {}) }
  })
  return withoutContradicted(parsed, keyOf)
}

/** Like `keyedRows`, for a table in memory. */
export function keyedLines<Row>(
  body: Uint8Array,
  { now, onRead }: ParseContext,
  { columns, ...keyed }: KeyedLines<Row> & { readonly columns: OwnColumns },
): readonly Parsed<Row>[] {
  return keyedRows(readTable(body, columns, onRead), now, keyed)
}

/** What all files of the operator have in common as feeds. */
export const OPERATOR_FEED = {
  provider: PROVIDERS.operator,
  cadence: 'when you give it a file',
} as const

/** The feed of a table in memory. */
export function tableFeed<Row>(
  facts: Pick<Feed<Row>, 'id' | 'dataset' | 'description'>,
  table: Parameters<typeof keyedLines<Row>>[2],
): Feed<Row> {
  return { ...OPERATOR_FEED, ...facts, parse: (body, context) => keyedLines(body, context, table) }
}
