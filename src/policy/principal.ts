import type { Scope } from './scopes.js'
import type { Tier } from './tiers.js'

/** A caller without key or token, who may use open fields only. */
export interface Anonymous {
  readonly kind: 'anonymous'
}

/** A caller known by API key or access token. */
export interface Caller {
  readonly kind: 'key' | 'token'
  readonly accountId: string
  /** The id that meters count by: the account's, so that more keys do not mean more quota. */
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
}

export type Principal = Anonymous | Caller

export const ANONYMOUS: Anonymous = { kind: 'anonymous' }

/** The id of the key, or of the account for a token. */
export function callerKey({ keyId, accountId }: Caller): string {
  return keyId ?? accountId
}
