import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../core/errors.js'
import type { Credentials } from '../../domains/access/model.js'
import { requestHeader } from '../http/connection/request-header.js'
import { parseCredentials } from '../http/identity/credentials.js'

/** The headers that say who asks; browsers can not set them on a WebSocket, so `connection_init` may hold the same. */
const NAMES = ['x-api-key', 'authorization'] as const

/**
 * Who opens a WebSocket, from the headers of its request or the payload of `connection_init`, where the same names in any
 * case are read. Throws 401 where nobody says so, 400 where the two differ or a member is no text.
 */
export function socketCredentials(
  request: IncomingMessage,
  payload: Readonly<Record<string, unknown>> | undefined,
): Credentials {
  const given = new Map(NAMES.map((name) => [name as string, oneOf(name, request, payload)]))
  const credentials = parseCredentials({ header: (name) => given.get(name) ?? null })
  if (credentials.apiKey === null && credentials.bearer === null) {
    throw new ApiError('unauthorized', {
      message: 'Send X-API-Key or Authorization as a header or in the payload of connection_init.',
    })
  }
  return credentials
}

function oneOf(
  name: string,
  request: IncomingMessage,
  payload: Readonly<Record<string, unknown>> = {},
): string | null {
  const texts = Object.entries(payload).flatMap(([member, value]) => {
    if (member.toLowerCase() !== name || value === null) return []
    if (typeof value !== 'string') throw new ApiError('bad_request', { message: `${member} must be a text.` })
    return [value]
  })
  const header = requestHeader(request, name)
  const different = new Set([...texts, ...(header === null ? [] : [header])].filter((text) => text !== ''))
  if (different.size > 1)
    throw new ApiError('bad_request', { message: `${name} is given twice, with two values.` })
  return [...different][0] ?? null
}
