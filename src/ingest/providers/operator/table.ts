import { suggest } from '../../../core/suggest.js'
import { type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { BrokenBody, type Parsed, quoted } from '../../feed.js'

/** Files of this kind are written by people; 16 MiB are about 100,000 lines. */
const MAX_BYTES = 16 * 2 ** 20
const MAX_ROWS = 100_000

export interface TableColumns {
  /** All allowed names of the header. */
  readonly known: readonly string[]
  /** The required names of the header. */
  readonly required: readonly string[]
}

/** One line of a table, with its cells by column name. */
export interface TableRow {
  readonly line: number
  /** Null if the table has no such column; an empty cell is an empty text. */
  cell(name: string): string | null
}

/**
 * The lines of a CSV table (RFC 4180, UTF-8) whose first line names its columns in any order. A line with another
 * number of cells is rejected. Throws BrokenBody if the body is not such a table, has unknown columns or is too
 * large.
 */
export function* readTable(
  body: Uint8Array,
  columns: TableColumns,
  onRead: (fraction: number) => void,
): Generator<TableRow | Extract<Parsed<never>, { readonly kind: 'rejected' }>> {
  if (body.length > MAX_BYTES) throw new BrokenBody(`the file is larger than ${MAX_BYTES / 2 ** 20} MB`)
  const records = csvRecords(body, onRead)
  const header = records.next()
  if (header.done) throw new BrokenBody('the file is empty')
  const places = readHeader(header.value, columns)
  let rows = 0
  for (const { line, cells } of records) {
    rows += 1
    if (rows > MAX_ROWS) throw new BrokenBody(`the file has more than ${MAX_ROWS} lines; give it in parts`)
    if (cells.length === places.size) {
      yield { line, cell: (name) => cellOf(cells, places.get(name)) }
      continue
    }
    const reason = `the line has ${cells.length} cells, but the header has ${places.size}`
    yield { kind: 'rejected', position: `line ${line}`, reason }
  }
}

function cellOf(cells: readonly string[], place: number | undefined): string | null {
  return place === undefined ? null : (cells[place] ?? '')
}

function readHeader({ cells }: CsvRecord, { known, required }: TableColumns): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [place, cell] of cells.entries()) {
    const name = cell.toLowerCase()
    if (!known.includes(name))
      throw new BrokenBody(`the header has the unknown column ${unknownName(name, known)}`)
    if (places.has(name)) throw new BrokenBody(`the header has the column ${name} twice`)
    places.set(name, place)
  }
  const missing = required.filter((name) => !places.has(name))
  if (missing.length > 0) throw new BrokenBody(`the header lacks ${missing.join(', ')}`)
  return places
}

function unknownName(name: string, known: readonly string[]): string {
  const likely = suggest(name, known)
  const hint = likely === null ? `known are ${known.join(', ')}` : `did you mean ${likely}?`
  return `${quoted(name)}; ${hint}`
}
