import { type Given, parseWhole } from '../../../core/argument-parsers.js'
import type { AsOf } from '../../../core/as-of.js'
import { ApiError, invalid, notFound } from '../../../core/errors.js'
import { parseUuid } from '../../../core/identifiers.js'
import { Problems } from '../../../core/problems.js'
import { suggest } from '../../../core/suggest.js'
import { reasonOf, type ScopeHolder } from '../../../policy/decide.js'
import type { Caller, UrlUse } from '../../../policy/principal.js'
import { isScope, SCOPE_NAMES, type Scope } from '../../../policy/scopes.js'
import type { Tier } from '../../../policy/tiers.js'
import { hasVisibleShape } from '../model.js'

/** Bounds the number of keys that one account can store and list. */
export const MAX_ACTIVE_KEYS = 100
export const MAX_LABEL_LENGTH = 100
/** A week is long enough to roll out a new key and short enough that a leaked key expires. */
export const GRACE_SECONDS = { min: 0, max: 604_800, default: 0 } as const
const MAX_IDEMPOTENCY_KEY_LENGTH = 255

/** When a key expires and when it is revoked; null when not set. */
export interface KeyEnds {
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

/** The instant from which a key is refused; null when it never ends. */
export function keyEndOf({ expiresAt, revokedAt }: KeyEnds): Date | null {
  return earlierEnd(expiresAt, revokedAt)
}

/** The earlier of two ends; null means no end. */
export function earlierEnd(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b
  return a <= b ? a : b
}

/** Whether a key that ends at these instants works at `now`. */
export function isActive(ends: KeyEnds, now: Date): boolean {
  return explainEnd(ends, now) === null
}

/** How and when a key ended that no longer works at `now`; null while it works. */
export function explainEnd({ expiresAt, revokedAt }: KeyEnds, now: Date): string | null {
  const end = keyEndOf({ expiresAt, revokedAt })
  if (end === null || end > now) return null
  return `${end === revokedAt ? 'was revoked' : 'expired'} at ${end.toISOString()}; create a new key`
}

/** Throws 403 with the scope and the reason when the creator of a key lacks one of its scopes. */
export function assertScopesHeld(maker: ScopeHolder, scopes: Iterable<Scope>): void {
  for (const scope of scopes) {
    if (maker.scopes.has(scope)) continue
    throw new ApiError('forbidden', {
      message: `A key cannot hold a scope that its creator lacks, here ${scope}: ${reasonOf(maker, scope)}.`,
      requiredScope: scope,
    })
  }
}

export interface KeyRequest {
  readonly label: string
  /** Null: the same narrowing as the creator. */
  readonly scopes: readonly Scope[] | null
  readonly expiresAt: Date | null
  /** Null or omitted: the key may not stand in addresses. */
  readonly urlUse?: UrlUse | null
  /** Null or omitted: the key has no clock. */
  readonly clock?: AsOf | null
}

interface RequestedKey {
  readonly label: string
  readonly scopes?: readonly string[] | null | undefined
  readonly expires_at?: Date | null | undefined
}

/** The creator of a key. The new key cannot hold more scopes than its creator or expire later. */
export type KeyMaker = ScopeHolder & Pick<Caller, 'endsAt'>

/** Used to check an operator's arguments before the account is known. The rights of the account are checked when the key is created. */
export const OPERATOR: KeyMaker = {
  tier: 'enterprise',
  scopes: new Set(SCOPE_NAMES),
  isNarrowed: false,
  endsAt: null,
}

/** Creation time of a key, and the scopes that give access to something in this version. */
export interface KeyTerms {
  readonly now: Date
  readonly servedScopes: ReadonlySet<Scope>
}

/**
 * Parses a request for a key. 422 names every wrong field, 403 names the first scope that the creator lacks. A scope that
 * gives access to nothing in this version is wrong.
 */
export function parseKeyRequest(
  request: RequestedKey,
  maker: KeyMaker,
  { now, servedScopes }: KeyTerms,
): KeyRequest {
  const label = request.label.trim()
  const asksScopes = request.scopes ?? null
  const expiresAt = request.expires_at ?? null
  const problems = new Problems()
  if (!hasVisibleShape(label, MAX_LABEL_LENGTH)) {
    problems.add('label', `must have 1 to ${MAX_LABEL_LENGTH} visible characters`)
  }
  if (expiresAt !== null && expiresAt <= now) {
    problems.add('expires_at', 'must be in the future')
  } else if (expiresAt !== null && outlives(expiresAt, maker.endsAt)) {
    const message = `must not be after the expiry of the key that creates it: ${maker.endsAt?.toISOString()}`
    problems.add('expires_at', message)
  }
  if (asksScopes !== null && asksScopes.length > SCOPE_NAMES.length) {
    problems.add('scopes', `must name each scope once: only ${SCOPE_NAMES.length} scopes exist`)
  }
  // A list longer than the list of scopes is a mistake; the error does not repeat all of it.
  for (const name of asksScopes?.slice(0, SCOPE_NAMES.length + 1) ?? []) {
    const wrong = wrongScope(name, servedScopes)
    if (wrong !== null) problems.add('scopes', wrong)
  }
  problems.refuse()
  const scopes = asksScopes === null ? null : SCOPE_NAMES.filter((scope) => asksScopes.includes(scope))
  assertScopesHeld(maker, scopes ?? [])
  return { label, scopes, expiresAt: expiresAt ?? maker.endsAt }
}

/** Whether a key with the end `end` works longer than a key with the end `other`; null means no end. */
export function outlives(end: Date | null, other: Date | null): boolean {
  return other !== null && (end === null || end > other)
}

/** The problem of a scope name; null when the name is valid. */
function wrongScope(name: string, servedScopes: ReadonlySet<Scope>): string | null {
  const available = [...servedScopes]
  if (isScope(name)) {
    return servedScopes.has(name)
      ? null
      : `scope "${name}" is not available yet: it gives access to nothing in this version; available are ${available.join(', ')}`
  }
  const near = suggest(name, available)
  const hint = near === null ? `available are ${available.join(', ')}` : `did you mean "${near}"?`
  return `unknown scope "${name.slice(0, 64)}"; ${hint}`
}

/** The Idempotency-Key header, or null when absent; 422 when it is not 1 to 255 printable ASCII characters. */
export function parseIdempotencyKey(text: string | null): string | null {
  if (text === null) return null
  if (/^[\x20-\x7e]+$/.test(text) && text.length <= MAX_IDEMPOTENCY_KEY_LENGTH) return text
  throw invalid({ field: 'Idempotency-Key', message: 'must have 1 to 255 printable ASCII characters' })
}

/** Seconds for which a rotated key still works. The default is 0; 422 when out of range. */
export function parseGraceSeconds(seconds: Given<number>): number {
  const problems = new Problems()
  const grace = parseWhole(problems, 'grace_seconds', seconds, GRACE_SECONDS)
  problems.refuse()
  return grace
}

/** Parses a key id. Text that is not a UUID cannot be the id of a key, so it is a 404. */
export function parseKeyId(text: string): string {
  const keyId = parseUuid(text)
  if (keyId !== null) return keyId
  throw noSuchKey()
}

export function noSuchKey(): ApiError {
  return notFound((name) => `Your account has no such key; ${name('api_keys')} lists its keys.`)
}

export interface ApiKeyListItem {
  readonly key_id: string
  readonly key_prefix: string
  readonly label: string
  readonly tier: Tier
  readonly scopes: readonly Scope[]
  readonly url_use: UrlUse | null
  readonly clock: AsOf | null
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly is_active: boolean
}

export interface ApiKeyListResponse {
  readonly keys: readonly ApiKeyListItem[]
  /** Number of all keys of the account, including those not listed. */
  readonly total: number
}

export interface ApiKeyInfo extends ApiKeyListItem {
  /** The same as `key_id`: both names are published. */
  readonly id: string
  readonly usage_current_window: number
  readonly quota_per_hour: number
}

export interface ApiKeyCreateResponse extends Omit<ApiKeyListItem, 'last_used_at' | 'is_active'> {
  readonly raw_key: string
  readonly warning: string
}

export const RAW_KEY_WARNING = 'Store this key now: it is shown only once and cannot be read again.'
