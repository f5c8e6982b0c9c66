import { explainIsoDate } from '../../core/time.js'
import { shownValue } from './shown-value.js'

/** The JSON type of a custom scalar, and how errors describe it. */
export interface ScalarForm {
  readonly jsonType: 'string' | 'object'
  readonly format?: string
  /** Completes "must be …". */
  readonly expected: string
  /** Returns a more precise problem of a rejected text, or null if `expected` is enough. */
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
  URL: { jsonType: 'string', format: 'uri', expected: 'an absolute URL' },
  JSONObject: { jsonType: 'object', expected: 'a JSON object' },
  _Any: { jsonType: 'object', expected: 'an object with __typename and a key of that type' },
}

/** Returns the form of a custom scalar; by default a string. */
export function scalarForm(name: string): ScalarForm {
  return FORMS[name] ?? { jsonType: 'string', expected: `a valid ${name}` }
}

/** Matches an instant whose offset lost its plus sign: an unescaped + in a query string means a space. */
const BLANK_OFFSET = /^\d{4}-\d{2}-\d{2}T[\d:.]+ \d{2}:?\d{2}$/

function explainInstant(text: string): string | null {
  if (!BLANK_OFFSET.test(text)) return null
  return `has a space instead of the + of its offset; write + as %2B in a URL; got ${shownValue(text)}`
}
