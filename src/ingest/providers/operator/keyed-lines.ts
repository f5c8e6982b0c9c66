import type { Read } from '../../bodies/read.js'
import { type ParseContext, type Parsed, quoted } from '../../feed.js'
import { readTable, type TableRow } from './table.js'

interface KeyedLines<Row> {
  /** The column that a rejection names the line by. */
  readonly nameColumn: string
  readonly read: (row: TableRow) => Read<Row>
  /** What no two lines may share. */
  readonly keyOf: (row: Row) => string
}

/**
 * Reads the lines of one table, in order, of which each has a key of its own: a later line with the same one is rejected.
 */
export function keyedReader<Row>({
  nameColumn,
  read,
  keyOf,
}: KeyedLines<Row>): (row: TableRow | Parsed<never>) => Parsed<Row> {
  const lineOf = new Map<string, number>()
  return (row) => {
    if ('kind' in row) return row
    const position = `line ${row.line}, ${quoted(row.cell(nameColumn) ?? '')}`
    const line = read(row)
    if ('wrong' in line) return { kind: 'rejected', position, reason: line.wrong }
    const key = keyOf(line.value)
    const earlier = lineOf.get(key)
    if (earlier !== undefined)
      return { kind: 'rejected', position, reason: `it is there already, on line ${earlier}` }
    lineOf.set(key, row.line)
    return { kind: 'row', row: line.value }
  }
}

/** The lines of a table about listings. */
export function* keyedLines<Row>(
  body: Uint8Array,
  context: ParseContext,
  {
    columns,
    ...keyed
  }: Omit<KeyedLines<Row>, 'nameColumn'> & {
    readonly columns: Parameters<typeof readTable>[1]
  },
): Generator<Parsed<Row>> {
  const parsed = keyedReader({ nameColumn: 'ticker', ...keyed })
  for (const row of readTable(body, columns, (fraction) => context.onRead(fraction))) yield parsed(row)
}
