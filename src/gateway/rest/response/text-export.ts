import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Row } from './table.js'

/** Large enough for cheap writes, and small enough to be written within one or two milliseconds. */
const CHUNK_CHARACTERS = 64 * 1024

/** CSV with a header line, in chunks. */
export function csvChunks(columns: readonly string[], rows: readonly Row[]): AsyncGenerator<Uint8Array> {
  return inChunks(csvLines(columns, rows))
}

/** One JSON object per line, in chunks. */
export function ndjsonChunks(rows: readonly Row[]): AsyncGenerator<Uint8Array> {
  return inChunks(jsonLines(rows))
}

function* csvLines(columns: readonly string[], rows: readonly Row[]): Generator<string> {
  yield csvLine(columns)
  for (const row of rows) yield csvLine(columns.map((column) => row[column]))
}

function* jsonLines(rows: readonly Row[]): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`
}

/** One record of RFC 4180 with its CRLF. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** Matches text that spreadsheets treat as a formula, including full-width signs and skipped whitespace. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/**
 * Writes a cell of RFC 4180. Null is an empty cell, and the empty text is `""`. Instants are ISO 8601 in UTC; lists and
 * objects are JSON. Text that a spreadsheet would run as a formula, and that is no number, gets a leading apostrophe.
 */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return value.toISOString()
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return harmless === '' || /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Joins lines to chunks. Yields to the event loop between chunks, so that other requests are not delayed. */
async function* inChunks(lines: Iterable<string>): AsyncGenerator<Uint8Array> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < CHUNK_CHARACTERS) continue
    yield Buffer.from(text)
    text = ''
    await nextTurn()
  }
  if (text !== '') yield Buffer.from(text)
}
