import { preferredType } from './accept.js'

/** The export formats of a table. */
export const EXPORT_MEDIA_TYPES = [
  'text/csv',
  'application/x-ndjson',
  'application/vnd.apache.parquet',
  'application/vnd.apache.arrow.stream',
] as const

/** The formats that are text. */
export const TEXT_MEDIA_TYPES = [
  'text/csv',
  'application/x-ndjson',
] as const satisfies readonly ExportMediaType[]

export type TextMediaType = (typeof TEXT_MEDIA_TYPES)[number]

export type ExportMediaType = (typeof EXPORT_MEDIA_TYPES)[number]

/** The path extension of each format. */
export const EXTENSIONS: Readonly<Record<ExportMediaType, string>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/vnd.apache.parquet': 'parquet',
  'application/vnd.apache.arrow.stream': 'arrow',
}

/** The name of each format in texts. */
export const FORMAT_NAMES: Readonly<Record<ExportMediaType, string>> = {
  'text/csv': 'CSV',
  'application/x-ndjson': 'NDJSON',
  'application/vnd.apache.parquet': 'Parquet',
  'application/vnd.apache.arrow.stream': 'Arrow',
}

/** The format that an Accept header prefers to JSON; null for JSON. */
export function negotiateExportType(accept: string | null): ExportMediaType | null {
  const preferred = preferredType(accept, ['application/json', ...EXPORT_MEDIA_TYPES])
  return preferred === 'application/json' ? null : preferred
}
