import type { IncomingMessage } from 'node:http'
import type { Caller } from '../policy/principal.js'
import type { Scope } from '../policy/scopes.js'
import { GRAPHQL_PATH } from './paths.js'

/** Larger operations are answered, but never kept: a key of this length is worth its memory, a longer one is not. */
const MAX_BODY_BYTES = 8 * 1024
const MAX_URL_LENGTH = 2_048
const MAX_ACCEPT_LENGTH = 256

/** What is sent as it is made. */
const FILE_TYPES = ['text/', 'ndjson'] as const

/** Who waits for what comes next gets an answer that is given once; and nobody may wait for one who waits. */
const WAITS = 'wait_seconds'

/** A request whose answer may be kept, without who asks. */
export interface Question {
  readonly door: 'rest' | 'graphql'
  /** GET and HEAD can be revalidated by an entity tag, an operation by POST can not. */
  readonly isGet: boolean
  /** Everything of the request that the answer depends on. */
  readonly text: string
  /** The JSON of an operation by POST; null where the URL says all. */
  readonly body: string | null
}

/**
 * The question a request asks; null where the answer is never kept: changes, dry runs, files, long polls, and who
 * shows no credentials. Two requests with one text get the same answer, if their callers hold the same scopes.
 */
export function questionOf(request: IncomingMessage): Question | null {
  const { method, headers, url = '' } = request
  if (url.length > MAX_URL_LENGTH || url.includes(WAITS) || headers['x-dry-run'] !== undefined) return null
  if (headers['x-api-key'] === undefined && headers.authorization === undefined) return null
  const accept = headers.accept ?? ''
  if (accept.length > MAX_ACCEPT_LENGTH || FILE_TYPES.some((type) => accept.includes(type))) return null
  if (method === 'GET' || method === 'HEAD') {
    const isOperation = method === 'GET' && url.startsWith(`${GRAPHQL_PATH}?`)
    const door = url.startsWith('/v1/') ? 'rest' : isOperation ? 'graphql' : null
    return door && { door, isGet: true, text: `${url}\n${accept}`, body: null }
  }
  if (method !== 'POST' || url !== GRAPHQL_PATH) return null
  const body = operationText(request)
  return body === null ? null : { door: 'graphql', isGet: false, text: `\n${accept}\n${body}`, body }
}

/** The body that was read in front; null for what may be no query, is too large, or is not JSON by its type. */
function operationText(request: IncomingMessage & { readonly body?: unknown }): string | null {
  const { body, headers } = request
  if (!(body instanceof Buffer) || body.length > MAX_BODY_BYTES) return null
  if (headers['content-type']?.split(';', 1)[0]?.trim() !== 'application/json') return null
  const text = body.toString()
  // A query that merely speaks of one is not kept either.
  return ['mutation', 'subscription', WAITS].some((word) => text.includes(word)) ? null : text
}

const scopeKeys = new WeakMap<ReadonlySet<Scope>, string>()

/** Names what the caller may see, never who it is: answers are kept per question and scope set. */
export function keyOf(question: Question, { scopes }: Caller): string {
  let key = scopeKeys.get(scopes)
  if (key === undefined) {
    key = [...scopes].sort().join(' ')
    scopeKeys.set(scopes, key)
  }
  return `${key}\n${question.text}`
}
