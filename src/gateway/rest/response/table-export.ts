import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
} from 'graphql'
import { arrowChunks } from '../../../platform/columnar/arrow.js'
import { parquetChunks } from '../../../platform/columnar/parquet.js'
import type { Reply } from '../../../platform/request/exchange.js'
import type { ArgumentValues } from '../parameters/parameters.js'
import { EXTENSIONS, type ExportMediaType } from './export-type.js'
import {
  METADATA_NAMES,
  provenanceOf,
  textOf,
  toProvenanceHeaders,
  toSourceHeaders,
} from './provenance-headers.js'
import { memberOf, type Row, rowsOf, type Table } from './table.js'
import { csvChunks, ndjsonChunks } from './text-export.js'

/** No file system has a shorter limit. */
const MAX_FILE_NAME = 100

const CONTENT_TYPES: Readonly<Record<ExportMediaType, string>> = {
  'text/csv': 'text/csv; charset=utf-8; header=present',
  'application/x-ndjson': 'application/x-ndjson; charset=utf-8',
  'application/vnd.apache.parquet': 'application/vnd.apache.parquet',
  'application/vnd.apache.arrow.stream': 'application/vnd.apache.arrow.stream',
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

/** What an export is made of. */
export interface ExportSource {
  readonly table: Table
  /** The body of the JSON response. */
  readonly data: unknown
  /** The arguments, which give the file its name. */
  readonly values: ArgumentValues
  /** Versions of the datasets that the response depends on: `instruments=3, candles=17`. Empty without datasets. */
  readonly dataVersion: string
}

/**
 * Exports the rows of a body in the order of JSON, as a stream that is written only as fast as the client reads. Headers
 * contain the source and age from the envelope. Columnar files have them as metadata too.
 */
export function exportTable(type: ExportMediaType, source: ExportSource): Reply {
  const { table, data, values } = source
  return {
    status: 200,
    headers: [
      'content-type',
      CONTENT_TYPES[type],
      'content-disposition',
      `attachment; filename="${fileName(table, values)}.${EXTENSIONS[type]}"`,
      ...toSourceHeaders(data),
    ],
    body: ENCODERS[type](source),
  }
}

const ENCODERS: Readonly<Record<ExportMediaType, (source: ExportSource) => AsyncGenerator<Uint8Array>>> = {
  'text/csv': ({ table, data }) => csvChunks(table.columns, rowsOf(table, data)),
  'application/x-ndjson': ({ table, data }) => ndjsonChunks(rowsOf(table, data)),
  'application/vnd.apache.parquet': (source) => parquetChunks(...columnarOf(source)),
  'application/vnd.apache.arrow.stream': (source) => arrowChunks(...columnarOf(source)),
}

/** Columns, rows and metadata of a columnar file. */
function columnarOf({ table, data, dataVersion }: ExportSource): Parameters<typeof parquetChunks> {
  const [, isDev] = toProvenanceHeaders(data)
  const known = Object.fromEntries(provenanceOf(data).map(([name, text]) => [METADATA_NAMES[name], text]))
  return [
    table.fileColumns,
    rowsOf(table, data),
    {
      operation: table.operation,
      ...known,
      ...furtherMetadata(data),
      ...(isDev === undefined ? {} : { is_dev_dataset: isDev }),
      ...(dataVersion === '' ? {} : { data_version: dataVersion }),
    },
  ]
}

/** Members of the envelope that only the metadata of a columnar file have. Unknown values are omitted. */
function furtherMetadata(data: unknown): Readonly<Record<string, string>> {
  const meta = memberOf(data, 'meta')
  const known = {
    methodology_version: memberOf(meta, 'methodology_version'),
    price_type: memberOf(meta, 'price_type'),
    licensed_for_commercial_use: memberOf(meta, 'licensed_for_commercial_use'),
    next_refresh_at: memberOf(memberOf(data, '_meta'), 'next_refresh_at'),
  }
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) => (value === null ? [] : [[name, textOf(value)]])),
  )
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
