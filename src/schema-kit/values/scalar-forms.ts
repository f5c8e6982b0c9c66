import { explainIsoDate } from '../../core/time.js'
import { shownValue } from './shown-value.js'

/** How a custom scalar looks in JSON and in a query string. */
export interface ScalarForm {
  readonly jsonType: 'string' | 'object'
  readonly format?: string
  /** Completes "must be …". */
  readonly expected: string
  /** A better reason for a text that the scalar refuses; null: `expected` says all. */
  readonly explain?: (text: string) => string | null
}

const FORMS: Readonly<Record<string, ScalarForm>> = {
  Date: {
    jsonType: 'string',
    format: 'date',
    expected: 'a calendar day, YYYY-MM-DD',
    explain: explainIsoDate,
  },
  DateTime: {
    jsonType: 'string',
    format: 'date-time',
    expected: 'a calendar day, or an instant with its zone, such as 2026-01-31T12:00:00Z',
    explain: explainInstant,
  },
  UUID: { jsonType: 'string', format: 'uuid', expected: 'a UUID' },
  URL: { jsonType: 'string', format: 'uri', expected: 'an absolute address' },
  JSONObject: { jsonType: 'object', expected: 'a JSON object' },
}

/** The form of a custom scalar; one that is not listed is text. */
export function scalarForm(name: string): ScalarForm {
  return FORMS[name] ?? { jsonType: 'string', expected: `a valid ${name}` }
}

/** An instant whose offset has lost its plus: in a query string an unescaped + is a blank. */
const BLANK_OFFSET = /^\d{4}-\d{2}-\d{2}T[\d:.]+ \d{2}:?\d{2}$/

function explainInstant(text: string): string | null {
  if (!BLANK_OFFSET.test(text)) return null
  return `has a blank for the + of its offset: in a URL write %2B; got ${shownValue(text)}`
}
