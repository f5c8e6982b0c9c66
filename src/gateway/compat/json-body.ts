import type { CompatBody } from './compat-interface.js'

const JSON_TYPE = 'application/json; charset=utf-8'

export function jsonBody(value: unknown): CompatBody {
  return { type: JSON_TYPE, text: JSON.stringify(value) }
}
