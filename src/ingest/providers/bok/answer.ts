import { type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import {
  isJsonObject,
  isList,
  type Json,
  type JsonObject,
  readJson,
  shown,
} from '../../bodies/json/json-body.js'
import { BrokenBody, RetryLater } from '../../feed.js'

/** A row of the body: texts by the name of the column, or null. */
export interface BokRow {
  readonly position: string
  /** Why the row is incomplete; null if it is complete. */
  readonly wrong: string | null
  cell(name: string): string | null
}

interface BokAnswer {
  /** Rows in all windows; null if the body does not say. */
  readonly total: number | null
  readonly rows: Iterable<BokRow>
}

/** The code for no data. */
const NO_DATA = 'INFO-200'

/** Throttled (602), timed out (400), or a failure of the server or its database (500, 600, 601). */
const PASSING: ReadonlySet<string> = new Set([
  'ERROR-400',
  'ERROR-500',
  'ERROR-600',
  'ERROR-601',
  'ERROR-602',
])

const BRACE = 0x7b

/**
 * Parses an answer of StatisticSearch in JSON, or the same rows as CSV. Throws BrokenBody and BrokenCsv for other
 * text and for an error of the service, which has status 200; RetryLater for a temporary error.
 */
export function readBokAnswer(body: Uint8Array): BokAnswer {
  return body.find((byte) => byte > 0x20) === BRACE
    ? readJsonAnswer(body)
    : { total: null, rows: csvRows(body) }
}

function readJsonAnswer(body: Uint8Array): BokAnswer {
  const { value, cut } = readJson(body)
  if (!isJsonObject(value)) throw new BrokenBody(`the body is ${shown(value)}, not an object`)
  const result = value.get('RESULT')
  if (isJsonObject(result)) return answerWithoutRows(result)
  const search = value.get('StatisticSearch')
  if (!isJsonObject(search)) throw new BrokenBody('the body is not an answer of StatisticSearch')
  const rows = search.get('row')
  if (!isList(rows)) throw new BrokenBody(`row is ${shown(rows)}, not a list`)
  const total = search.get('list_total_count')
  if (typeof total !== 'string' || !/^\d{1,9}$/.test(total)) {
    throw new BrokenBody(`list_total_count is ${shown(total)}, not a number`)
  }
  const read = rows.map((row, at) => jsonRow(row, `row ${at + 1}`, cut))
  const isCutBehind = cut.has(rows) && !cut.has(rows.at(-1) ?? null)
  return { total: Number(total), rows: isCutBehind ? [...read, cutBehind(rows.length)] : read }
}

function answerWithoutRows(result: JsonObject): BokAnswer {
  const code = result.get('CODE')
  if (code === NO_DATA) return { total: 0, rows: [] }
  const text = `ECOS refuses the request: ${shown(code)}`
  throw typeof code === 'string' && PASSING.has(code) ? new RetryLater(text, null) : new BrokenBody(text)
}

function jsonRow(row: Json, position: string, cut: ReadonlySet<Json>): BokRow {
  if (!isJsonObject(row)) return { position, wrong: `is ${shown(row)}, not an object`, cell: () => null }
  const wrong = cut.has(row) ? 'the body is cut off within the row' : null
  return { position, wrong, cell: (name) => textOf(row.get(name)) }
}

function cutBehind(rows: number): BokRow {
  return { position: `after row ${rows}`, wrong: 'the body is cut off', cell: () => null }
}

function textOf(value: Json | undefined): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : text
}

const REQUIRED = ['STAT_CODE', 'ITEM_CODE1', 'TIME', 'DATA_VALUE'] as const

function* csvRows(body: Uint8Array): Generator<BokRow> {
  let columns: ReadonlyMap<string, number> | null = null
  for (const record of csvRecords(body)) {
    if (columns === null) columns = columnsOf(record.cells)
    else yield csvRow(record, columns)
  }
}

function columnsOf(names: readonly string[]): ReadonlyMap<string, number> {
  const columns = new Map(names.map((name, at) => [name, at]))
  const missing = REQUIRED.find((name) => !columns.has(name))
  if (missing !== undefined)
    throw new BrokenBody(`the first line is not a header of ECOS: it has no column ${missing}`)
  if (columns.size < names.length) throw new BrokenBody('the header has a column twice')
  return columns
}

function csvRow({ line, cells }: CsvRecord, columns: ReadonlyMap<string, number>): BokRow {
  const wrong =
    cells.length === columns.size ? null : `has ${cells.length} cells, but the header has ${columns.size}`
  return { position: `line ${line}`, wrong, cell: (name) => cells[columns.get(name) ?? -1] || null }
}
