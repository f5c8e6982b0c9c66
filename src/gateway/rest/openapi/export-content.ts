import { type GraphQLObjectType, type GraphQLOutputType, getNullableType, isObjectType } from 'graphql'
import { RELEASE_EXAMPLE } from '../../../schema-kit/pinned-release.js'
import type { TextMediaType } from '../response/export-type.js'
import type { Table } from '../response/table.js'
import { exampleRow } from '../response/table-export.js'
import { csvLine } from '../response/text-export.js'
import { HEADER_TEXT } from './bounds.js'
import { headerReferences } from './components.js'
import type { JsonSchema } from './json-schema.js'

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

/** What the files of a list or series contain: the short document says it once, beside the parameter `format`. */
export const FILES_TEXT = [
  `CSV is ${CSV_TEXT}`,
  'NDJSON has one row per line, as JSON.',
  `Parquet is compressed with Snappy; Arrow is a stream (IPC streaming format). ${COLUMNAR_TEXT}`,
  headersText(),
].join(' ')

function headersText(): string {
  const names = Object.keys(EXPORT_HEADERS).map((name) => `\`${name}\``)
  return `A file also has the headers ${names.join(', ')}.`
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
