import type { DataPart } from '../../../platform/database/data-parts.js'
import { type DatasetStates, haveSameStates } from '../../../platform/database/data-version.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { readsOf } from '../../../platform/response-cache/cached-response.js'
import type { CacheHit, ResponseCache } from '../../../platform/response-cache/response-cache.js'
import type { Principal } from '../../../policy/principal.js'
import { isReadMethod } from '../read-method.js'
import type { CallerStates } from './caller-states.js'
import { type CurrentTag, findCurrentTag } from './entity-tag.js'
import { mayCache } from './may-cache.js'

/** An answer that needs no run: a response of the client that is still valid, or a cached one. */
export type KnownAnswer =
  | { readonly tag: CurrentTag; readonly hit: null; readonly shown: ShownStates }
  | { readonly tag: null; readonly hit: CacheHit; readonly shown: ShownStates }

/** The states that an answer has. */
export interface ShownStates {
  readonly reads: readonly DataPart[]
  readonly states: DatasetStates
  /** Whether the primary has newer data. */
  readonly isOutdated: boolean
}

export interface KnownAnswerQuery {
  readonly exchange: Exchange
  readonly principal: Principal
  readonly caller: CallerStates
  readonly key: string
  /** The states of the primary. */
  readonly primary: DatasetStates
  readonly cache: ResponseCache
}

/** Finds the answer: a current one first, then one of the older states that the caller may get. */
export function findKnownAnswer(query: KnownAnswerQuery): KnownAnswer | null {
  const { exchange, principal, caller, key, primary } = query
  const older = caller.olderThan(primary)
  const tag = tagIn(exchange, key, primary)
  if (tag !== null) {
    // The same answer is that of the older states, so that the caller may get these again.
    const isOfBoth = older !== null && haveSameStates(tag.reads, older, primary)
    return {
      tag,
      hit: null,
      shown: { reads: tag.reads, states: isOfBoth ? older : primary, isOutdated: false },
    }
  }
  const hit = mayCache(principal) ? findHit(query, older) : null
  if (older !== null && hit?.isOutdated !== false) {
    const outdated = tagIn(exchange, key, older)
    if (outdated !== null)
      return { tag: outdated, hit: null, shown: { reads: outdated.reads, states: older, isOutdated: true } }
  }
  if (hit === null) return null
  const { states, isOutdated } = hit
  return { tag: null, hit, shown: { reads: readsOf(hit.response), states, isOutdated } }
}

/** A cached response of the current states or of the older ones. The cache has one response by key. */
export function findHit(
  { cache, key, primary, exchange }: Pick<KnownAnswerQuery, 'cache' | 'key' | 'primary' | 'exchange'>,
  older: DatasetStates | null,
): CacheHit | null {
  const current = cache.get(key, primary, exchange.now)
  const hit = older === null ? null : cache.get(key, older, exchange.now)
  if (hit === null) return current
  return current === null ? { ...hit, isOutdated: true } : hit
}

function tagIn(exchange: Exchange, key: string, states: DatasetStates): CurrentTag | null {
  const tags = exchange.header('if-none-match')
  if (tags === null || !isReadMethod(exchange.method)) return null
  return findCurrentTag(tags, key, states, exchange.now)
}
