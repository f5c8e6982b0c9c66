import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../core/errors.js'
import type { Credentials } from '../../domains/access/model.js'
import { requestHeader } from '../http/connection/request-header.js'
import { parseTarget } from '../http/connection/request-target.js'
import { assertNoCredentialInQuery, parseCredentials } from '../http/identity/credentials.js'

/** Credential headers. Browsers cannot set them on a WebSocket, so `connection_init` may contain them. */
const NAMES = ['x-api-key', 'authorization'] as const

/**
 * Reads credentials from the headers or from the payload of `connection_init`, whose names are case-insensitive. Throws
 * 401 without credentials, and 400 if the two differ or a member is not a string.
 */
export function socketCredentials(
  request: IncomingMessage,
  payload: Readonly<Record<string, unknown>> | undefined,
): Credentials {
  const given = new Map(NAMES.map((name) => [name as string, oneOf(name, request, payload)]))
  const { search, urlKey } = parseTarget(request)
  if (urlKey !== null) assertNoCredentialInQuery({ search, urlKey })
  const credentials = parseCredentials({ header: (name) => given.get(name) ?? null, search })
  if (credentials.apiKey === null && credentials.bearer === null) {
    throw new ApiError('unauthorized', {
      message:
        'Send X-API-Key or Authorization as a header or in connection_init. The page /account creates keys.',
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
    if (typeof value !== 'string')
      throw new ApiError('bad_request', { message: `${member} must be a string.` })
    return [value]
  })
  const header = requestHeader(request, name)
  const different = new Set([...texts, ...(header === null ? [] : [header])].filter((text) => text !== ''))
  if (different.size > 1)
    throw new ApiError('bad_request', { message: `${name} is given twice with different values; send one.` })
  return [...different][0] ?? null
}
