import { duplicateMember } from './duplicate-member.js'
import { ApiError } from './errors.js'

const MAX_SHOWN_NAME = 60

/**
 * Parses JSON of a client; `name` names it in errors. Throws 400 for a byte order mark too, and for an object with a member
 * twice, because parsers differ in how they read both.
 */
export function parseJson(text: string, name: string): unknown {
  const value = parsed(text, name)
  const twice = duplicateMember(text)
  if (twice === null) return value
  throw new ApiError('bad_request', {
    message: `${name} has the member ${JSON.stringify(twice.slice(0, MAX_SHOWN_NAME))} more than once.`,
  })
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('bad_request', { message: `${name} is not valid JSON.`, cause })
  }
}
