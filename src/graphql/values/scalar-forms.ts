/** How a custom scalar looks in JSON and in a query string. */
export interface ScalarForm {
  readonly jsonType: 'string' | 'object'
  readonly format?: string
  /** Completes "must be …". */
  readonly expected: string
}

const FORMS: Readonly<Record<string, ScalarForm>> = {
  Date: { jsonType: 'string', format: 'date', expected: 'a calendar day, YYYY-MM-DD' },
  DateTime: {
    jsonType: 'string',
    format: 'date-time',
    expected: 'a calendar day, or an instant with its zone, such as 2026-01-31T12:00:00Z',
  },
  JSONObject: { jsonType: 'object', expected: 'a JSON object' },
}

/** The form of a custom scalar; one that is not listed is text. */
export function scalarForm(name: string): ScalarForm {
  return FORMS[name] ?? { jsonType: 'string', expected: `a valid ${name}` }
}
