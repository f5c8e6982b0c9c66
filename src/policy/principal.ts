import type { AsOf } from '../core/as-of.js'
import type { Scope } from './scopes.js'
import type { Tier } from './tiers.js'

/** A caller without key or token, who may use open fields only. */
export interface Anonymous {
  readonly kind: 'anonymous'
}

/** What a key may read that may stand in an address. It may nothing else. */
export interface UrlUse {
  /** Operations, by any address that reads them. */
  readonly operations: readonly string[]
  /** Compatible interfaces. */
  readonly interfaces: readonly string[]
  /** Units per clock hour, of those of the account. */
  readonly hourlyUnits: number
}

/** A caller known by API key or access token. */
export interface Caller {
  readonly kind: 'key' | 'token'
  readonly accountId: string
  /**
   * The id that meters count by: the account's, so that more keys do not mean more quota. For the demo key it is that of the
   * account and the client address, so that visitors do not share one quota.
   */
  readonly meterId: string
  readonly keyId: string | null
  readonly tier: Tier
  readonly scopes: ReadonlySet<Scope>
  /** Whether the owner restricted the key to some of the account's scopes. */
  readonly isNarrowed: boolean
  /** When the key expires or was revoked; null for a token and for a key without an end. */
  readonly endsAt: Date | null
  /** Contract quotas of an enterprise account; null: the tier's published ones. */
  readonly contract: { readonly month: number; readonly hour: number } | null
  /** Present for a key for addresses. */
  readonly urlUse?: UrlUse
  /** Present for a key with a clock, to which everything is answered as of then. */
  readonly clock?: AsOf
  /** Present for a visitor of the pages with the demo key, who may only read market data. */
  readonly isDemo?: true
}

/**
 * The ids by which meters count the networks of a visitor with the demo key, the larger first. The hash of a client address names
 * its networks before each dot.
 */
export function visitorNetworks({ meterId }: Pick<Caller, 'meterId'>): readonly [string, string] {
  const [large = meterId, ...rest] = meterId.split('.')
  return [large, [large, ...rest.slice(0, 1)].join('.')]
}

export type Principal = Anonymous | Caller

export const ANONYMOUS: Anonymous = { kind: 'anonymous' }

/** The id of the key, or of the account for a token. Each visitor with the demo key counts separately. */
export function callerKey({ keyId, accountId, meterId, isDemo }: Caller): string {
  return isDemo ? meterId : (keyId ?? accountId)
}

/** The clock that every answer to the principal is as of; undefined without one. */
export function clockOf(principal: Principal): AsOf | undefined {
  return principal.kind === 'anonymous' ? undefined : principal.clock
}
