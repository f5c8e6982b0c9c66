import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
} from 'graphql'
import type { Reply } from '../../platform/request/exchange.js'
import type { ArgumentValues } from '../parameters/parameters.js'
import { preferredType } from './accept.js'

/** What a series is exported as. */
export const EXPORT_MEDIA_TYPES = ['text/csv', 'application/x-ndjson'] as const

export type ExportMediaType = (typeof EXPORT_MEDIA_TYPES)[number]

/** Where the rows of an answer lie and what they are called, worked out once. */
export interface Series {
  /** The root field; the exported file is named after it. */
  readonly operation: string
  /** Members that lead from the body to the list of rows. */
  readonly path: readonly string[]
  /** Type of a row: its fields, in order, are the columns. */
  readonly row: GraphQLObjectType
  readonly columns: readonly string[]
  /** Arguments that tell one file from another: words and flags, not the bounds, which the rows themselves show. */
  readonly naming: readonly string[]
}

/** Enough rows a write to be cheap, few enough to be made within a millisecond or two. */
const CHUNK_CHARACTERS = 64 * 1024

/** Shorter than any file system's limit. */
const MAX_FILE_NAME = 100

const CONTENT_TYPES: Readonly<Record<ExportMediaType, string>> = {
  'text/csv': 'text/csv; charset=utf-8; header=present',
  'application/x-ndjson': 'application/x-ndjson; charset=utf-8',
}

const EXTENSIONS: Readonly<Record<ExportMediaType, string>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
}

/** Throws for a dotted path that does not lead to a list of objects. */
export function compileSeries(field: GraphQLField<unknown, unknown>, rows: string): Series {
  const path = rows.split('.')
  const list = getNullableType(path.reduce((type, name) => memberType(field, type, name), field.type))
  const row = isListType(list) ? getNullableType(list.ofType) : null
  if (!isObjectType(row)) throw new Error(`the series of ${field.name} is no list of objects: ${rows}`)
  const columns = Object.keys(row.getFields())
  const naming = field.args.filter(({ type }) => {
    const named = getNamedType(type)
    return isEnumType(named) || ['String', 'ID', 'Boolean'].includes(named.name)
  })
  return { operation: field.name, path, row, columns, naming: naming.map(({ name }) => name) }
}

function memberType(field: GraphQLField<unknown, unknown>, type: GraphQLOutputType, name: string) {
  const parent = getNullableType(type)
  const member = isObjectType(parent) ? parent.getFields()[name] : undefined
  if (!member) throw new Error(`the series of ${field.name} has no member ${name}`)
  return member.type
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  Int: 4,
  Float: 1.25,
  Boolean: true,
  Date: '2026-01-02',
  DateTime: '2026-01-02T00:00:00.000Z',
}

/** A row with a plausible value in each column, for the documentation. */
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

/** The export an Accept header prefers to JSON; null where JSON is as good. */
export function exportTypeOf(accept: string | null): ExportMediaType | null {
  const preferred = preferredType(accept, ['application/json', ...EXPORT_MEDIA_TYPES])
  return preferred === 'application/json' ? null : preferred
}

/**
 * The rows of a body as a file, in the order of JSON: a stream that is made only as fast as it is read. What the
 * envelope says of the rows' origin and age goes into headers. `data` is the body that JSON would carry.
 */
export function exportSeries(
  series: Series,
  type: ExportMediaType,
  data: unknown,
  values: ArgumentValues,
): Reply {
  const rows = rowsOf(series, data)
  const lines = type === 'text/csv' ? csvLines(series.columns, rows) : jsonLines(rows)
  return {
    status: 200,
    headers: [
      'content-type',
      CONTENT_TYPES[type],
      'content-disposition',
      `attachment; filename="${fileName(series, values)}.${EXTENSIONS[type]}"`,
      ...Object.entries(provenanceHeaders(data)).flat(),
    ],
    body: inChunks(lines),
  }
}

/** A row as the execution gave it: values by field name. */
type Row = Readonly<Record<string, unknown>>

function rowsOf({ operation, path }: Series, data: unknown): readonly Row[] {
  const rows = path.reduce(memberOf, data)
  // The schema says that they are objects; graphql made them.
  if (Array.isArray(rows)) return rows as readonly Row[]
  throw new Error(`${operation} answered no list at ${path.join('.')}`)
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

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/**
 * A cell of RFC 4180. Null is nothing at all, the empty text is `""`; instants are ISO 8601 in UTC; lists and objects
 * are their JSON. A text that a spreadsheet would run as a formula, one that begins with = + - or @ and is no
 * number, gets a leading apostrophe.
 */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return value.toISOString()
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const harmless = /^[=+\-@]/.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return harmless === '' || /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Lines put together to writes; between two of them other requests have their turn. */
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

/** The operation and what was asked of it, as far as it tells files apart: forex-USD, forex-USD-inverse. */
function fileName({ operation, naming }: Series, values: ArgumentValues): string {
  const words = naming.flatMap((name) => {
    const value = values[name]
    if (value === true) return [name]
    return typeof value === 'string' ? [value.replaceAll(/[^\w.-]+/g, '_')] : []
  })
  return [operation, ...words].join('-').slice(0, MAX_FILE_NAME)
}

/** Source, synthetic or not, freshness and last update, from an envelope or a bare body; what it does not say is left out. */
function provenanceHeaders(data: unknown): Record<string, string> {
  const meta = memberOf(data, 'meta')
  const freshness = memberOf(data, '_meta')
  const sources = memberOf(freshness, 'sources')
  const listed = Array.isArray(sources) ? sources.join(', ') : null
  const source = memberOf(meta, 'source') ?? memberOf(data, 'source') ?? listed
  // A bare body has no flag, but synthetic data always names its source so.
  const isDev = memberOf(meta, 'is_dev_dataset') ?? (source === null ? null : source === 'seed')
  const known = {
    'x-data-source': source,
    'x-is-dev-dataset': isDev,
    'x-data-freshness': memberOf(freshness, 'freshness_status'),
    'x-last-updated': memberOf(freshness, 'last_updated_at'),
  }
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) => (value === null ? [] : [[name, headerText(value)]])),
  )
}

function headerText(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value)
  return text.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent)
}

/** A member of what may be an object; null where it is missing. */
function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? ((value as Row)[name] ?? null) : null
}
