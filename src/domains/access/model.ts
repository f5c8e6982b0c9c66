import type { ApiKeyMode, ApiKeyText } from '../../core/api-key-format.js'
import { ApiError, type FieldProblem, invalid, notFound } from '../../core/errors.js'
import { suggest } from '../../core/suggest.js'
import type { Clock } from '../../core/time.js'
import type { Counters } from '../../platform/counters.js'
import type { Database } from '../../platform/database.js'
import { definePort } from '../../platform/ports.js'
import type { AccessTokens, Passwords } from '../../platform/secrets.js'
import type { Throttle } from '../../platform/throttle.js'
import type { Principal } from '../../policy/principal.js'
import { isScope, SCOPE_NAMES, type Scope, scopesOfTier } from '../../policy/scopes.js'
import type { Tier } from '../../policy/tiers.js'

/** What a request showed; null where the header is absent. */
export interface Credentials {
  readonly apiKey: string | null
  readonly bearer: string | null
}

/** A key as it is made: the text for its owner, the digest and prefix for the database. */
export interface NewKey {
  readonly rawKey: ApiKeyText
  readonly digest: Buffer
  readonly keyPrefix: string
}

/** Secrets, caches and clock of access control: one per process, made by `createAccess`. */
export interface Access {
  readonly database: Database
  readonly clock: Clock
  readonly tokens: AccessTokens
  readonly passwords: Passwords
  /** Who asks. Anonymous without credentials; 401 with one public text for everything that does not hold. */
  authenticate(credentials: Credentials, now?: Date): Promise<Principal>
  /** The same, at once for a caller that was read within the last half second. */
  recognise(credentials: Credentials, now?: Date): Principal | Promise<Principal>
  newKey(mode?: ApiKeyMode): NewKey
  /** Keyed hash of an e-mail, for the throttle. */
  emailHash(email: string): string
  /** Makes a change known at once on this node (the others see it within half a second). */
  forget(accountId: string, digests: readonly Uint8Array[]): void
  /** Writes what is pending; the database must still be open. */
  close(): Promise<void>
}

export const accessPort = definePort<Access>('access')

export const throttlePort = definePort<Pick<Throttle, 'hit'>>('throttle')

export const countersPort = definePort<Pick<Counters, 'peek'>>('counters')

const MINUTES_15 = 15 * 60
export const LOGINS_PER_ACCOUNT = { limit: 10, windowSeconds: MINUTES_15 } as const
export const LOGINS_PER_ORIGIN = { limit: 60, windowSeconds: MINUTES_15 } as const
export const REGISTRATIONS_PER_ORIGIN = { limit: 10, windowSeconds: 3_600 } as const

/** Bounds what one account can make the database hold and list. */
export const MAX_ACTIVE_KEYS = 100
export const MAX_LABEL_LENGTH = 100
/** A week: long enough to roll a key out everywhere, short enough that a leaked one ends. */
export const MAX_GRACE_SECONDS = 604_800
/** RFC 5321 §4.5.3.1.3 less the angle brackets. */
const MAX_EMAIL_LENGTH = 254
/** NIST SP 800-63B asks for at least 8; 12 since there is no second factor. The upper bound limits hashing. */
const PASSWORD_LENGTH = { min: 12, max: 128 } as const
const MAX_IDEMPOTENCY_KEY_LENGTH = 255

/** What decides an account's rights. */
export interface Rights {
  readonly tier: Tier
  readonly grants: readonly string[]
}

/** Whether a key that ends at these instants works at `now`. */
export function isActive(
  ends: { readonly expiresAt: Date | null; readonly revokedAt: Date | null },
  now: Date,
): boolean {
  return !(ends.expiresAt && ends.expiresAt <= now) && !(ends.revokedAt && ends.revokedAt <= now)
}

/** The tier's scopes and the account's grants, less what the key is narrowed to (null: not narrowed). */
export function effectiveScopes(rights: Rights, narrowing: readonly string[] | null): ReadonlySet<Scope> {
  const all = new Set([...scopesOfTier(rights.tier), ...rights.grants.filter(isScope)])
  return narrowing === null ? all : new Set(narrowing.filter(isScope).filter((scope) => all.has(scope)))
}

/** Refuses (403, naming the scope) to hand out a scope that is not held. */
export function refuseBeyond(held: ReadonlySet<Scope>, scopes: Iterable<Scope>): void {
  for (const scope of scopes) {
    if (held.has(scope)) continue
    throw new ApiError('forbidden', {
      message: `A key cannot grant what it lacks: the scope ${scope}.`,
      requiredScope: scope,
    })
  }
}

export interface Registration {
  readonly email: string
  readonly password: string
}

/** Checks a registration; 422 names every wrong field. The e-mail comes back in lower case. */
export function parseRegistration(asked: Registration): Registration {
  const email = parseEmail(asked.email)
  const { password } = asked
  const length = Array.from(password).length
  const problems: FieldProblem[] = []
  if (email === null)
    problems.push({ field: 'email', message: 'must be an e-mail address of at most 254 characters' })
  if (length < PASSWORD_LENGTH.min || length > PASSWORD_LENGTH.max) {
    problems.push({
      field: 'password',
      message: `must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`,
    })
  } else if (password.trim().toLowerCase() === email) {
    problems.push({ field: 'password', message: 'must not be the e-mail address' })
  }
  refuse(problems)
  return { email: email ?? '', password }
}

/** For a login nothing is checked that would tell which accounts can exist; only size is, so that hashing stays cheap. */
export function parseLogin(asked: Registration): Registration {
  const tooLong = [
    ['email', asked.email, MAX_EMAIL_LENGTH] as const,
    ['password', asked.password, PASSWORD_LENGTH.max] as const,
  ]
    .filter(([, text, max]) => Array.from(text).length > max)
    .map(([field, , max]) => ({ field, message: `must have at most ${max} characters` }))
  refuse(tooLong)
  return asked
}

/** The address in lower case, or null when it has not the shape of one. Whether it exists is not asked. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  // Visible characters only: control characters do not go into the database or an audit.
  const hasShape = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]+\.[^\s@.\p{C}]+$/u.test(email)
  return hasShape && email.length <= MAX_EMAIL_LENGTH ? email : null
}

export interface KeyRequest {
  readonly label: string
  /** Null: not narrowed beyond what the creator is. */
  readonly scopes: readonly Scope[] | null
  readonly expiresAt: Date | null
}

interface AskedKey {
  readonly label: string
  readonly scopes?: readonly string[] | null | undefined
  readonly expires_at?: Date | null | undefined
}

/** Checks a request for a key: 422 names every wrong field, 403 the first scope that its maker does not hold. */
export function parseKeyRequest(asked: AskedKey, held: ReadonlySet<Scope>, now: Date): KeyRequest {
  const label = asked.label.trim()
  const asksScopes = asked.scopes ?? null
  const expiresAt = asked.expires_at ?? null
  const problems: FieldProblem[] = []
  const hasLabelShape = /^\P{Cc}+$/u.test(label) && Array.from(label).length <= MAX_LABEL_LENGTH
  if (!hasLabelShape) {
    problems.push({ field: 'label', message: `must have 1 to ${MAX_LABEL_LENGTH} visible characters` })
  }
  if (expiresAt !== null && expiresAt <= now) {
    problems.push({ field: 'expires_at', message: 'must be in the future' })
  }
  // More than there are scopes can only be a mistake, and only so many problems are worth telling.
  for (const name of asksScopes?.slice(0, SCOPE_NAMES.length + 1) ?? []) {
    if (!isScope(name)) problems.push({ field: 'scopes', message: unknownScope(name) })
  }
  refuse(problems)
  const scopes = asksScopes === null ? null : SCOPE_NAMES.filter((scope) => asksScopes.includes(scope))
  refuseBeyond(held, scopes ?? [])
  return { label, scopes, expiresAt }
}

function unknownScope(name: string): string {
  const near = suggest(name, SCOPE_NAMES)
  const hint = near === null ? `known are ${SCOPE_NAMES.join(', ')}` : `did you mean "${near}"?`
  return `unknown scope "${name.slice(0, 64)}"; ${hint}`
}

/** The Idempotency-Key header, or null when absent; 422 when it is not 1 to 255 printable ASCII characters. */
export function parseIdempotencyKey(text: string | null): string | null {
  if (text === null) return null
  if (/^[\x20-\x7e]+$/.test(text) && text.length <= MAX_IDEMPOTENCY_KEY_LENGTH) return text
  throw invalid({ field: 'Idempotency-Key', message: 'must have 1 to 255 printable ASCII characters' })
}

/** Seconds that a rotated key still works; 0 when left out, 422 out of range. */
export function parseGraceSeconds(seconds: number | null | undefined): number {
  const grace = seconds ?? 0
  if (Number.isInteger(grace) && grace >= 0 && grace <= MAX_GRACE_SECONDS) return grace
  throw invalid({
    field: 'grace_seconds',
    message: `must be between 0 and ${MAX_GRACE_SECONDS}; got ${grace}`,
  })
}

/** A key id; what is none cannot exist either: 404. */
export function parseKeyId(text: string): string {
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) return text.toLowerCase()
  throw noSuchKey()
}

export function noSuchKey(): ApiError {
  return notFound('Your account has no such key; GET /auth/keys lists the keys it has.')
}

function refuse(problems: readonly FieldProblem[]): void {
  const [first, ...others] = problems
  if (first !== undefined) throw invalid(first, ...others)
}

export interface UserProfile {
  readonly id: string
  readonly email: string | null
  readonly tier: Tier
  readonly created_at: Date
}

export interface AuthResponse {
  readonly access_token: string
  readonly token_type: 'bearer'
  /** Seconds. */
  readonly expires_in: number
  readonly user: UserProfile
}

export interface ApiKeyListItem {
  readonly key_id: string
  readonly key_prefix: string
  readonly label: string
  readonly tier: Tier
  readonly scopes: readonly Scope[]
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly is_active: boolean
}

export interface ApiKeyListResponse {
  readonly keys: readonly ApiKeyListItem[]
  /** All keys of the account, listed or not. */
  readonly total: number
}

export interface ApiKeyInfo extends ApiKeyListItem {
  readonly usage_current_window: number
  readonly quota_per_hour: number
}

export interface ApiKeyCreateResponse extends Omit<ApiKeyListItem, 'last_used_at' | 'is_active'> {
  readonly raw_key: string
  readonly warning: string
}

export const RAW_KEY_WARNING = 'Store this key now: it is shown this once and cannot be read again.'
