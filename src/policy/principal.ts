import type { Scope } from './scopes.js'
import type { Tier } from './tiers.js'

/** A caller without key or token: may use only what is open. */
export interface Anonymous {
  readonly kind: 'anonymous'
}

/** A caller known by API key or access token. */
export interface Caller {
  readonly kind: 'key' | 'token'
  readonly accountId: string
  /** What the meters count on: the account, so that more keys do not mean more quota. */
  readonly meterId: string
  readonly keyId: string | null
  readonly tier: Tier
  readonly scopes: ReadonlySet<Scope>
  /** The key holds only some of its account's scopes, by its owner's choice. */
  readonly isNarrowed: boolean
  /** When the key ends by expiry or revocation; null for a token, and for a key without an end. */
  readonly endsAt: Date | null
  /** Contract quotas of an enterprise account; null: the tier's published ones. */
  readonly contract: { readonly month: number; readonly hour: number } | null
}

export type Principal = Anonymous | Caller

export const ANONYMOUS: Anonymous = { kind: 'anonymous' }

/** Names the key that asks, or the account where it asks by token. */
export function callerKey({ keyId, accountId }: Caller): string {
  return keyId ?? accountId
}
