import type { GraphQLParams } from 'graphql-yoga'
import { ApiError } from '../../../core/errors.js'
import { parseJson } from '../../../core/parse-json.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { isJsonType } from '../../../platform/request/json-type.js'
import { parseBody } from '../../../platform/request/parse-body.js'

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST']
const NAMES: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions'])
const MAX_SHOWN_NAME = 60
const SHA_256 = /^[0-9a-f]{64}$/

/**
 * Parses the parameters of an operation (GraphQL over HTTP, §5). They contain its text, or the SHA-256 of its text in
 * `extensions.persistedQuery`. Throws 405, 415 or 400 for an invalid request.
 */
export function parseParameters(exchange: Exchange): GraphQLParams {
  if (!METHODS.includes(exchange.method)) {
    const message = 'Send operations by POST; queries also by GET.'
    throw new ApiError('method_not_allowed', { message, allow: ['GET', 'POST'] })
  }
  return check(exchange.method === 'POST' ? membersOfBody(exchange) : membersOfSearch(exchange.search))
}

/** Other sites can send forms and plain text without a preflight, so the body must have a JSON type. */
function membersOfBody(exchange: Pick<Exchange, 'header' | 'body'>): ReadonlyMap<string, unknown> {
  const type = exchange.header('content-type') ?? ''
  if (!isJsonType(type)) {
    const got = type === '' ? '' : `, not ${shown(type)}`
    throw new ApiError('unsupported_media_type', {
      message: `Send the operation as application/json${got}.`,
    })
  }
  const value = parseBody(exchange)
  if (Array.isArray(value)) throw bad('Batches are not supported; send one operation per request.')
  if (typeof value !== 'object' || value === null) throw bad('The body must be a JSON object.')
  return new Map(Object.entries(value))
}

function membersOfSearch(search: string): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>()
  if (isMalformed(search))
    throw bad('The query string has malformed percent-encoding; write a literal % as %25.')
  for (const [name, text] of new URLSearchParams(search)) {
    if (members.has(name)) throw bad(`${shown(name)} is given more than once.`)
    members.set(name, name === 'variables' || name === 'extensions' ? objectText(name, text) : text)
  }
  return members
}

/** An empty parameter counts as absent. */
function objectText(name: string, text: string): unknown {
  return text === '' ? null : parseJson(text, name)
}

function isMalformed(search: string): boolean {
  try {
    decodeURIComponent(search)
    return false
  } catch {
    return true
  }
}

function check(members: ReadonlyMap<string, unknown>): GraphQLParams {
  for (const [name, value] of members) {
    if (!NAMES.has(name) && value !== null)
      throw bad(`${shown(name)} is not a known member; use ${[...NAMES].join(', ')}.`)
  }
  const query = members.get('query') ?? ''
  if (typeof query !== 'string') throw bad('query must be a string.')
  const hash = persistedHash(objectOf('extensions', members))
  if (query === '' && hash === null)
    throw bad('query is required. Send the text of the operation, or its hash in extensions.persistedQuery.')
  const operationName = members.get('operationName') ?? null
  if (operationName !== null && typeof operationName !== 'string')
    throw bad('operationName must be a string.')
  return {
    ...(query === '' ? {} : { query }),
    ...(operationName ? { operationName } : {}),
    variables: objectOf('variables', members),
    ...(hash === null ? {} : { extensions: { persistedQuery: { version: 1, sha256Hash: hash } } }),
  }
}

function persistedHash({ persistedQuery }: Readonly<Record<string, unknown>>): string | null {
  if (persistedQuery === undefined || persistedQuery === null) return null
  const { version, sha256Hash } = Object(persistedQuery) as { version?: unknown; sha256Hash?: unknown }
  if (version === 1 && typeof sha256Hash === 'string' && SHA_256.test(sha256Hash)) return sha256Hash
  throw bad(
    'extensions.persistedQuery must be {"version": 1, "sha256Hash": …}: the SHA-256 of the text of the operation, 64 lower-case hex digits.',
  )
}

function objectOf(name: string, members: ReadonlyMap<string, unknown>): Readonly<Record<string, unknown>> {
  const value = members.get(name) ?? null
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw bad(`${name} must be a JSON object.`)
  return value as Readonly<Record<string, unknown>> // parsed JSON that is neither null nor a list
}

function shown(name: string): string {
  return name.slice(0, MAX_SHOWN_NAME)
}

function bad(message: string): ApiError {
  return new ApiError('bad_request', { message })
}
