import { duplicateMember } from './duplicate-member.js'
import { ApiError } from './errors.js'

const MAX_SHOWN = 60

/**
 * Parses JSON of a client; `name` names it in errors. Throws 400 for what parsers read differently: a byte order mark, an object
 * with a member twice, and a number that JavaScript would change.
 */
export function parseJson(text: string, name: string): unknown {
  const value = parsed(text, name)
  const twice = duplicateMember(text)
  if (twice !== null)
    throw refused(`${name} has the member ${JSON.stringify(twice.slice(0, MAX_SHOWN))} more than once.`)
  const changed = changedNumber(text)
  if (changed !== null)
    throw refused(
      `${name} has the number ${changed.slice(0, MAX_SHOWN)}, which is not exact as a JSON number: integers go up to ${Number.MAX_SAFE_INTEGER}.`,
    )
  return value
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refused(`${name} is not valid JSON.`, cause)
  }
}

/** No shorter text has a number that is not exact. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** The first integer beyond the exact ones, or number too large for any, of valid JSON; null without one. */
function changedNumber(json: string): string | null {
  if (!LONG_NUMBER.test(json)) return null
  for (const [token] of json.matchAll(TEXT_OR_NUMBER)) {
    if (token.startsWith('"')) continue
    const value = Number(token)
    if (!Number.isFinite(value) || (/^-?\d+$/.test(token) && !Number.isSafeInteger(value))) return token
  }
  return null
}

function refused(message: string, cause?: unknown): ApiError {
  return new ApiError('bad_request', { message, cause })
}
