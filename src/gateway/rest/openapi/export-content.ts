import { type GraphQLObjectType, type GraphQLOutputType, getNullableType, isObjectType } from 'graphql'
import { RELEASE_EXAMPLE } from '../../../schema-kit/pinned-release.js'
import type { ExportMediaType, TextMediaType } from '../response/export-type.js'
import type { Table } from '../response/table.js'
import { exampleRow } from '../response/table-export.js'
import { csvLine } from '../response/text-export.js'
import { HEADER_TEXT } from './bounds.js'
import { headerReferences } from './components.js'
import type { JsonSchema } from './json-schema.js'
import { componentReference } from './types.js'

/** Headers of an export, which has no envelope. They say what the envelope would say. */
export const EXPORT_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'Content-Disposition': header('Suggested file name.', 'attachment; filename="series.csv"'),
  'X-Data-Source': header('Provider of the rows; `seed` is synthetic.', 'ecb'),
  ...headerReferences(['X-Is-Dev-Dataset']),
  'X-Data-Freshness': header('Freshness: fresh, stale or expired.', 'fresh', {
    enum: ['fresh', 'stale', 'expired'],
  }),
  'X-Last-Updated': header('When the newest data was published or observed.', '2026-11-20T15:00:00.000Z', {
    format: 'date-time',
  }),
  'X-Data-Quality': header('Completeness: full, partial or empty.', 'full', {
    enum: ['full', 'partial', 'empty'],
  }),
  'X-Ended-On': header('Last day of a series that has ended.', '2025-12-31', { format: 'date' }),
  'X-Release': header('The release that the rows are read by.', RELEASE_EXAMPLE),
}

/** The header of a JSON body that has sources, but no `meta.is_dev_dataset`. */
export function provenanceHeaders(type: GraphQLOutputType): JsonSchema {
  const members = membersOf(type)
  const isInMeta = members.meta !== undefined && 'is_dev_dataset' in membersOf(members.meta.type)
  const hasSource = members.source !== undefined || members._meta !== undefined
  return hasSource && !isInMeta ? headerReferences(['X-Is-Dev-Dataset']) : {}
}

function membersOf(type: GraphQLOutputType): ReturnType<GraphQLObjectType['getFields']> {
  const body = getNullableType(type)
  return isObjectType(body) ? body.getFields() : {}
}

function header(description: string, example: string, form: JsonSchema = {}): JsonSchema {
  return { description, schema: { ...HEADER_TEXT, ...form }, example }
}

const CSV_TEXT =
  'RFC 4180 in UTF-8 with a header row. Null is an empty cell; the empty text is `""`. Text that a spreadsheet would run as a formula gets a leading apostrophe: text that is not a number and begins with = + - @, their full-width forms, a tab or a line break.'

const COLUMNAR_TEXT =
  'Integers are int32, other numbers double, whole numbers beyond int32 decimal(38, 0). Days are dates, instants are timestamps in UTC (milliseconds). Lists of values are lists; objects are their JSON text. The metadata of the file names source, freshness, data version, release and whether the data is synthetic.'

/** What all files of a format share. Headers say what the envelope would say. */
export const FILE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  CsvFile: {
    type: 'string',
    contentMediaType: 'text/csv',
    description: `The rows of the page as CSV: ${CSV_TEXT} ${headersText()}`,
  },
  NdjsonFile: {
    type: 'string',
    contentMediaType: 'application/x-ndjson',
    description: `The rows of the page, one per line, as JSON. ${headersText()}`,
  },
  // A binary body has no type in OpenAPI 3.1.
  ParquetFile: {
    contentMediaType: 'application/vnd.apache.parquet',
    description: `The rows of the page as Apache Parquet, compressed with Snappy. ${COLUMNAR_TEXT} ${headersText()}`,
  },
  ArrowFile: {
    contentMediaType: 'application/vnd.apache.arrow.stream',
    description: `The rows of the page as an Apache Arrow stream (IPC streaming format). ${COLUMNAR_TEXT} ${headersText()}`,
  },
}

function headersText(): string {
  const names = Object.keys(EXPORT_HEADERS).map((name) => `\`${name}\``)
  return `The response also has the headers ${names.join(', ')}.`
}

/** Media types of the files that a list or series can be read as. */
export const FILE_REFERENCES: Readonly<Record<ExportMediaType, JsonSchema>> = {
  'text/csv': { schema: componentReference('schemas', 'CsvFile') },
  'application/x-ndjson': { schema: componentReference('schemas', 'NdjsonFile') },
  'application/vnd.apache.parquet': { schema: componentReference('schemas', 'ParquetFile') },
  'application/vnd.apache.arrow.stream': { schema: componentReference('schemas', 'ArrowFile') },
}

/** Describes the content of an export as text. */
export function fileContent({ row, columns }: Table, file: TextMediaType): JsonSchema {
  const example = exampleRow(row)
  const contents: Readonly<Record<TextMediaType, readonly [description: string, example: string]>> = {
    'text/csv': [
      `One record per ${row.name}: ${CSV_TEXT}`,
      csvLine(columns) + csvLine(columns.map((column) => example[column])),
    ],
    'application/x-ndjson': [`One ${row.name} per line, as JSON.`, `${JSON.stringify(example)}\n`],
  }
  const [description, text] = contents[file]
  return { [file]: { schema: { type: 'string', contentMediaType: file, description }, example: text } }
}
