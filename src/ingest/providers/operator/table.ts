import { suggest } from '../../../core/suggest.js'
import { type CsvRecord, csvRecordStream, csvRecords } from '../../bodies/csv/csv.js'
import { BrokenBody, type Parsed, quoted } from '../../feed.js'
import type { OwnColumns, TableRow } from './columns.js'

/** Files of this kind are written by people; 16 MiB are about 100,000 lines. */
const MAX_BYTES = 16 * 2 ** 20
const MAX_ROWS = 100_000

export type RejectedLine = Extract<Parsed<never>, { readonly kind: 'rejected' }>

/**
 * The lines of a CSV table (RFC 4180, UTF-8) whose first line names its columns in any order. A line with another
 * number of cells is rejected. Throws BrokenBody if the body is not such a table, has unknown columns or is too
 * large.
 */
export function* readTable(
  body: Uint8Array,
  columns: OwnColumns,
  onRead: (fraction: number) => void,
): Generator<TableRow | RejectedLine> {
  if (body.length > MAX_BYTES) throw new BrokenBody(`the file is larger than ${MAX_BYTES / 2 ** 20} MB`)
  const records = csvRecords(body, onRead)
  const header = records.next()
  if (header.done) throw new BrokenBody('the file is empty')
  const places = readHeader(header.value, columns)
  let rows = 0
  for (const record of records) {
    rows += 1
    if (rows > MAX_ROWS) throw new BrokenBody(`the file has more than ${MAX_ROWS} lines; give it in parts`)
    yield rowOf(record, places)
  }
}

/** Like `readTable`, for a body of any length. */
export async function* readTableStream(
  chunks: AsyncIterable<Uint8Array>,
  columns: OwnColumns,
): AsyncGenerator<TableRow | RejectedLine> {
  let places: ReadonlyMap<string, number> | null = null
  for await (const record of csvRecordStream(chunks)) {
    if (places === null) places = readHeader(record, columns)
    else yield rowOf(record, places)
  }
}

function rowOf({ line, cells }: CsvRecord, places: ReadonlyMap<string, number>): TableRow | RejectedLine {
  if (cells.length === places.size) return { line, cell: (name) => cellOf(cells, places.get(name)) }
  const reason = `the line has ${cells.length} cells, but the header has ${places.size}`
  return { kind: 'rejected', position: `line ${line}`, reason }
}

function cellOf(cells: readonly string[], place: number | undefined): string | null {
  return place === undefined ? null : (cells[place] ?? '')
}

function readHeader({ cells }: CsvRecord, columns: OwnColumns): ReadonlyMap<string, number> {
  const known = Object.values(columns).map(({ name }) => name)
  const places = new Map<string, number>()
  for (const [place, cell] of cells.entries()) {
    const name = cell.toLowerCase()
    if (!known.includes(name))
      throw new BrokenBody(`the header has the unknown column ${unknownName(name, known)}`)
    if (places.has(name)) throw new BrokenBody(`the header has the column ${name} twice`)
    places.set(name, place)
  }
  const missing = Object.values(columns).flatMap(({ name, isRequired }) =>
    isRequired && !places.has(name) ? name : [],
  )
  if (missing.length > 0) throw new BrokenBody(`the header lacks ${missing.join(', ')}`)
  return places
}

function unknownName(name: string, known: readonly string[]): string {
  const likely = suggest(name, known)
  const hint = likely === null ? `known are ${known.join(', ')}` : `did you mean ${likely}?`
  return `${quoted(name)}; ${hint}`
}
