import { escapeHtml } from '../../../core/escape-html.js'
import type { CompatBody } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import { parseChoice } from './parameters.js'

type Attributes = Readonly<Record<string, string | number>>

/** An answer of FRED: in XML an element with attributes and children, in JSON an object with a list. */
export interface FredAnswer {
  /** The element, and the member of the list. */
  readonly name: string
  readonly attributes: Attributes
  readonly rowName: string
  /** Rows with attributes, or texts. */
  readonly rows: readonly (Attributes | string)[]
}

export type FileType = 'xml' | 'json'

export function parseFileType(query: URLSearchParams): FileType {
  return parseChoice(query, 'file_type', ['xml', 'json'])
}

export function toFredBody({ name, attributes, rowName, rows }: FredAnswer, type: FileType): CompatBody {
  if (type === 'json') return jsonBody({ ...attributes, [name]: rows })
  const lines = rows.map((row) =>
    typeof row === 'string' ? `<${rowName}>${escapeHtml(row)}</${rowName}>` : element(rowName, row, '/'),
  )
  return xmlBody([element(name, attributes, ''), ...lines.map((line) => `  ${line}`), `</${name}>`])
}

export function toErrorBody(status: number, message: string, type: FileType): CompatBody {
  if (type === 'json') return jsonBody({ error_code: status, error_message: message })
  return xmlBody([element('error', { code: status, message }, '/')])
}

function xmlBody(lines: readonly string[]): CompatBody {
  const text = ['<?xml version="1.0" encoding="utf-8" ?>', ...lines].map((line) => `${line}\n`).join('')
  return { type: 'text/xml; charset=UTF-8', text }
}

function element(name: string, attributes: Attributes, end: '' | '/'): string {
  const texts = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(String(value))}"`)
  return `<${name}${texts.join('')}${end}>`
}
