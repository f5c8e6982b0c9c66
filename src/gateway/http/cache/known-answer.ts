import type { DatasetStates } from '../../../platform/database/versions/data-version.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import type { CacheHit, ResponseCache } from '../../../platform/response-cache/response-cache.js'
import type { Principal } from '../../../policy/principal.js'
import { isReadMethod } from '../read-method.js'
import { type CurrentTag, findCurrentTag } from './entity-tag.js'
import { mayCache } from './may-cache.js'

/** An answer that needs no run: a response of the client that is still valid, or a cached one. */
export type KnownAnswer =
  | { readonly tag: CurrentTag; readonly hit: null }
  | { readonly tag: null; readonly hit: CacheHit }

export interface KnownAnswerQuery {
  readonly exchange: Exchange
  readonly principal: Principal
  readonly key: string
  readonly states: DatasetStates
  readonly cache: ResponseCache
}

/** Finds the answer that is current in these states. */
export function findKnownAnswer({
  exchange,
  principal,
  key,
  states,
  cache,
}: KnownAnswerQuery): KnownAnswer | null {
  const tag = tagIn(exchange, key, states)
  if (tag !== null) return { tag, hit: null }
  const hit = mayCache(principal) ? cache.get(key, states, exchange.now) : null
  return hit === null ? null : { tag: null, hit }
}

function tagIn(exchange: Exchange, key: string, states: DatasetStates): CurrentTag | null {
  const tags = exchange.header('if-none-match')
  if (tags === null || !isReadMethod(exchange.method)) return null
  return findCurrentTag(tags, key, states, exchange.now)
}
