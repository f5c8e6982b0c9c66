import type { DataPart } from '../../../platform/database/data-parts.js'
import { type DatasetStates, haveSameStates } from '../../../platform/database/data-version.js'
import type { Exchange } from '../../../platform/request/exchange.js'
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
    const { reads } = tag
    // The same answer is that of the older states, so that the caller may get these again.
    const same = older.find(
      (states) => haveSameStates(reads, states, primary) && caller.allows(reads, states),
    )
    return { tag, hit: null, shown: { reads, states: same ?? primary, isOutdated: false } }
  }
  const hit = mayCache(principal) ? findHit(query, older) : null
  if (hit !== null && !hit.isOutdated) return { tag: null, hit, shown: hit }
  for (const states of older) {
    const outdated = tagIn(exchange, key, states)
    if (outdated !== null && caller.allows(outdated.reads, states))
      return { tag: outdated, hit: null, shown: { reads: outdated.reads, states, isOutdated: true } }
  }
  return hit === null ? null : { tag: null, hit, shown: hit }
}

/** A cached response of older states that the caller may get, or else of the current ones. The cache has one response by key. */
export function findHit(
  { cache, caller, key, primary, exchange }: Omit<KnownAnswerQuery, 'principal'>,
  older: readonly DatasetStates[],
): CacheHit | null {
  const current = cache.get(key, primary, exchange.now)
  for (const states of older) {
    const hit = cache.get(key, states, exchange.now)
    if (hit !== null && caller.allows(hit.reads, states))
      return current === null ? { ...hit, isOutdated: true } : hit
  }
  return current
}

function tagIn(exchange: Exchange, key: string, states: DatasetStates): CurrentTag | null {
  const tags = exchange.header('if-none-match')
  if (tags === null || !isReadMethod(exchange.method)) return null
  return findCurrentTag(tags, key, states, exchange.now)
}
