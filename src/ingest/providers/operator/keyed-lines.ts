import { isDeepStrictEqual } from 'node:util'
import type { Read } from '../../bodies/read.js'
import { withoutContradicted } from '../../bodies/without-contradicted.js'
import { type ParseContext, type Parsed, quoted } from '../../feed.js'
import { readTable, type TableRow } from './table.js'

interface KeyedLines<Row> {
  /** The column that names the line in a rejection. */
  readonly nameColumn: string
  readonly read: (row: TableRow) => Read<Row>
  /** The key of a line. */
  readonly keyOf: (row: Row) => string
}

/** The lines of one table by key. An equal line counts once, and lines of one key that differ are all rejected. */
export function keyedRows<Row>(
  rows: Iterable<TableRow | Parsed<never>>,
  { nameColumn, read, keyOf }: KeyedLines<Row>,
): readonly Parsed<Row>[] {
  const taken = new Map<string, { readonly line: number; readonly row: Row }>()
  const parsed = Array.from(rows, (row): Parsed<Row> => {
    if ('kind' in row) return row
    const position = `line ${row.line}, ${quoted(row.cell(nameColumn) ?? '')}`
    const line = read(row)
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

/** Like `keyedLines`, for a table in memory. */
export function keyedLines<Row>(
  body: Uint8Array,
  context: ParseContext,
  { columns, ...keyed }: KeyedLines<Row> & { readonly columns: Parameters<typeof readTable>[1] },
): readonly Parsed<Row>[] {
  return keyedRows(
    readTable(body, columns, (fraction) => context.onRead(fraction)),
    keyed,
  )
}
