import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
} from 'graphql'
import type { Reply } from '../../../platform/request/exchange.js'
import type { ArgumentValues } from '../parameters/parameters.js'
import { preferredType } from './accept.js'
import { toProvenanceHeaders } from './provenance-headers.js'
import { memberOf, type Row, rowsOf, type Table } from './table.js'

/** The export formats of a table. */
export const EXPORT_MEDIA_TYPES = ['text/csv', 'application/x-ndjson'] as const

export type ExportMediaType = (typeof EXPORT_MEDIA_TYPES)[number]

/** Large enough for cheap writes, and small enough to be written within one or two milliseconds. */
const CHUNK_CHARACTERS = 64 * 1024

/** No file system has a shorter limit. */
const MAX_FILE_NAME = 100

const CONTENT_TYPES: Readonly<Record<ExportMediaType, string>> = {
  'text/csv': 'text/csv; charset=utf-8; header=present',
  'application/x-ndjson': 'application/x-ndjson; charset=utf-8',
}

/** The path extension of each format. */
export const EXTENSIONS: Readonly<Record<ExportMediaType, string>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  Int: 4,
  Float: 1.25,
  Boolean: true,
  Date: '2026-01-02',
  DateTime: '2026-01-02T00:00:00.000Z',
}

/** Creates a row with a plausible value in each column, for the documentation. */
export function exampleRow(row: GraphQLObjectType): Row {
  const fields = Object.values(row.getFields())
  return Object.fromEntries(fields.map((field) => [field.name, exampleOf(field.type)]))
}

function exampleOf(type: GraphQLOutputType): unknown {
  const value = getNullableType(type)
  if (isListType(value)) return [exampleOf(value.ofType)]
  if (isObjectType(value)) return exampleRow(value)
  if (isEnumType(value)) return value.getValues()[0]?.name
  return EXAMPLES[getNamedType(value).name] ?? 'text'
}

/** The format that an Accept header prefers to JSON; null for JSON. */
export function negotiateExportType(accept: string | null): ExportMediaType | null {
  const preferred = preferredType(accept, ['application/json', ...EXPORT_MEDIA_TYPES])
  return preferred === 'application/json' ? null : preferred
}

/**
 * Exports the rows of a body in the order of JSON, as a stream that is written only as fast as the client reads. Headers
 * contain the source and age from the envelope. `data` is the body of the JSON response.
 */
export function exportTable(
  table: Table,
  type: ExportMediaType,
  data: unknown,
  values: ArgumentValues,
): Reply {
  const rows = rowsOf(table, data)
  const lines = type === 'text/csv' ? csvLines(table.columns, rows) : jsonLines(rows)
  return {
    status: 200,
    headers: [
      'content-type',
      CONTENT_TYPES[type],
      'content-disposition',
      `attachment; filename="${fileName(table, values)}.${EXTENSIONS[type]}"`,
      ...toProvenanceHeaders(data),
      ...Object.entries(provenanceHeaders(data)).flat(),
    ],
    body: inChunks(lines),
  }
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

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

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

/** The file name: the operation and the arguments that distinguish files, e.g. forex-USD or forex-USD-inverse. */
function fileName({ operation, naming }: Table, values: ArgumentValues): string {
  const words = naming.flatMap(({ name, texts }) => {
    const value = values[name]
    if (value === true) return [name]
    return typeof value === 'string' ? [(texts.get(value) ?? value).replaceAll(/[^\w.-]+/g, '_')] : []
  })
  return [operation, ...words].join('-').slice(0, MAX_FILE_NAME)
}

/** Source, freshness, completeness and end of the series, from an envelope or a bare body. Unknown values are omitted. */
function provenanceHeaders(data: unknown): Record<string, string> {
  const meta = memberOf(data, 'meta')
  const freshness = memberOf(data, '_meta')
  const sources = memberOf(freshness, 'sources')
  const listed = Array.isArray(sources) ? sources.join(', ') : null
  const source = memberOf(meta, 'source') ?? memberOf(data, 'source') ?? listed
  const known = {
    'x-data-source': source,
    'x-data-freshness': memberOf(freshness, 'freshness_status'),
    'x-last-updated': memberOf(freshness, 'last_updated_at'),
    'x-data-quality': memberOf(meta, 'data_quality') ?? memberOf(data, 'data_quality'),
    'x-ended-on': memberOf(data, 'ended_on'),
  }
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) => (value === null ? [] : [[name, headerText(value)]])),
  )
}

function headerText(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value)
  return text.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent)
}
