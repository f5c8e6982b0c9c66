import { createHash } from 'node:crypto'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { prefersMinimal, RETURN_MINIMAL } from '../../../platform/request/preference.js'
import type { Principal } from '../../../policy/principal.js'
import type { Scope } from '../../../policy/scopes.js'
import { GRAPHQL_PATH, isRest } from '../../paths.js'
import { isReadMethod } from '../read-method.js'

/** Larger requests are not cached, because their keys would take too much memory. */
const MAX_BODY_BYTES = 8 * 1024
const MAX_TARGET_LENGTH = 2_048
const MAX_ACCEPT_LENGTH = 256

/** Replaces the hash of the scopes for anonymous callers, who differ from callers without scopes. */
const ANYBODY = 'anybody'

const scopeKeyOf = memoizeByObject((scopes: ReadonlySet<Scope>) =>
  createHash('sha256')
    .update([...scopes].sort().join(' '))
    .digest('base64url'),
)

/**
 * Everything that a response depends on besides the data: the request and the caller's scopes, but not the caller. Null for
 * requests whose responses are never cached. A key alone does not mean that a response is cached:
 * `PreparedOperation.isCacheable` decides that.
 */
export function toCacheKey(exchange: Exchange, principal: Principal): string | null {
  const { method, path, search, body } = exchange
  const accept = exchange.header('accept') ?? ''
  if (path.length + search.length > MAX_TARGET_LENGTH || accept.length > MAX_ACCEPT_LENGTH) return null
  const seer = principal.kind === 'anonymous' ? ANYBODY : scopeKeyOf(principal.scopes)
  if (isReadMethod(method)) {
    const preference = isRest(path) && prefersMinimal(exchange) ? `\n${RETURN_MINIMAL}` : ''
    return `${seer}\n${path}${search}\n${accept}${preference}`
  }
  if (method !== 'POST' || path !== GRAPHQL_PATH || body === null || body.length > MAX_BODY_BYTES) return null
  const type = exchange.header('content-type') ?? ''
  return `${seer}\nPOST ${search}\n${accept}\n${type.slice(0, MAX_ACCEPT_LENGTH)}\n${body.toString()}`
}
