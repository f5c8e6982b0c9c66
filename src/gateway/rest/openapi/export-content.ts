import type { Table } from '../response/table.js'
import { csvLine, type ExportMediaType, exampleRow } from '../response/table-export.js'
import { HEADER_TEXT } from './bounds.js'
import type { JsonSchema } from './json-schema.js'

/** Of a file that carries no envelope: what the envelope would say of its rows. */
export const EXPORT_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'Content-Disposition': header('Name for the file.', 'attachment; filename="series.csv"'),
  'X-Data-Source': header('Provider of the rows; `seed` is synthetic.', 'ecb'),
  'X-Is-Dev-Dataset': header('`true` for synthetic rows.', 'false', { enum: ['true', 'false'] }),
  'X-Data-Freshness': header('fresh, stale or expired.', 'fresh', { enum: ['fresh', 'stale', 'expired'] }),
  'X-Last-Updated': header('Instant of the newest fact.', '2026-11-20T15:00:00.000Z', {
    format: 'date-time',
  }),
  'X-Data-Quality': header('full, partial or empty.', 'full', { enum: ['full', 'partial', 'empty'] }),
  'X-Ended-On': header('Last day of a series that has ended.', '2025-12-31', { format: 'date' }),
}

function header(description: string, example: string, form: JsonSchema = {}): JsonSchema {
  return { description, schema: { ...HEADER_TEXT, ...form }, example }
}

/** The content of a file; its length follows from the rows that are asked for. */
export function fileContent({ row, columns }: Table, file: ExportMediaType): JsonSchema {
  const example = exampleRow(row)
  const contents: Readonly<Record<ExportMediaType, JsonSchema>> = {
    'text/csv': {
      schema: {
        type: 'string',
        contentMediaType: 'text/csv',
        description: `RFC 4180 in UTF-8 with a header row: one record per ${row.name}. Null is an empty cell, the empty text is \`""\`. A text that a spreadsheet would run as a formula (it begins with = + - @, their full-width forms, a tab or a line end, and is no number) gets a leading apostrophe.`,
      },
      example: csvLine(columns) + csvLine(columns.map((column) => example[column])),
    },
    'application/x-ndjson': {
      schema: {
        type: 'string',
        contentMediaType: 'application/x-ndjson',
        description: `One ${row.name} a line, as JSON has it.`,
      },
      example: `${JSON.stringify(example)}\n`,
    },
  }
  return { [file]: contents[file] }
}
