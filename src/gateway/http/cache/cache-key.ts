import { createHash } from 'node:crypto'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import type { Principal } from '../../../policy/principal.js'
import type { Scope } from '../../../policy/scopes.js'
import { GRAPHQL_PATH } from '../../paths.js'
import { isReadMethod } from '../read-method.js'

/** A key of this length is worth its memory, a longer one is not: larger requests are answered, but never cached. */
const MAX_BODY_BYTES = 8 * 1024
const MAX_TARGET_LENGTH = 2_048
const MAX_ACCEPT_LENGTH = 256

/** In place of the hash of a caller's scopes, which may be none either. */
const ANYBODY = 'anybody'

const scopeKeyOf = memoizeByObject((scopes: ReadonlySet<Scope>) =>
  createHash('sha256')
    .update([...scopes].sort().join(' '))
    .digest('base64url'),
)

/**
 * Everything that a response depends on beside the data: the request and what its caller may see, never who it is. Null
 * for requests whose responses are never cached. A key says nothing of whether a response exists: only what
 * `Prepared.isCacheable` allows is ever stored.
 */
export function toCacheKey(exchange: Exchange, principal: Principal): string | null {
  const { method, path, search, body } = exchange
  const accept = exchange.header('accept') ?? ''
  if (path.length + search.length > MAX_TARGET_LENGTH || accept.length > MAX_ACCEPT_LENGTH) return null
  const seer = principal.kind === 'anonymous' ? ANYBODY : scopeKeyOf(principal.scopes)
  if (isReadMethod(method)) return `${seer}\n${path}${search}\n${accept}`
  if (method !== 'POST' || path !== GRAPHQL_PATH || body === null || body.length > MAX_BODY_BYTES) return null
  const type = exchange.header('content-type') ?? ''
  return `${seer}\nPOST ${search}\n${accept}\n${type.slice(0, MAX_ACCEPT_LENGTH)}\n${body.toString()}`
}
