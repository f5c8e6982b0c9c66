import { Problems } from '../../core/problems.js'
import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { Counters } from '../../platform/quota/counters.js'
import type { Throttle } from '../../platform/quota/throttle.js'
import { definePort } from '../../platform/request/ports.js'
import type { ApiKeyMode, ApiKeyText } from '../../platform/secrets/api-key-format.js'
import type { AccessTokens, Passwords } from '../../platform/secrets/secrets.js'
import type { UsageRecorder } from '../../platform/usage/usage.js'
import type { Caller, Principal } from '../../policy/principal.js'
import { isScope, type Scope, scopesOfTier } from '../../policy/scopes.js'
import type { Tier } from '../../policy/tiers.js'
import type { AccountRow } from './account-store.js'
import type { AccountListeners } from './listener-model.js'

/** The credentials of a request; null where the header is absent. */
export interface Credentials {
  readonly apiKey: string | null
  readonly bearer: string | null
}

/** A new key: its text for the owner, the rest for the database. */
interface NewKey {
  readonly rawKey: ApiKeyText
  readonly digest: Buffer
  readonly keyPrefix: string
}

/** Secrets, caches and clock of access control. `createAccess` creates one per process. */
export interface Access extends AccountListeners {
  readonly database: Database
  readonly clock: Clock
  /** The scopes that give access to something in this version. */
  readonly servedScopes: ReadonlySet<Scope>
  readonly tokens: AccessTokens
  readonly passwords: Passwords
  /** Argon2id hash of a password with the salt of its e-mail, as PHC text. */
  hashLogin(login: Registration): Promise<string>
  /** Returns the principal of a request: anonymous without credentials. All invalid credentials give the same 401. */
  authenticate(credentials: Credentials, now?: Date): Promise<Principal>
  /** Like `authenticate`, but without a promise for a caller that was read within the last half second. */
  recognise(credentials: Credentials, now?: Date): Principal | Promise<Principal>
  newKey(mode?: ApiKeyMode): NewKey
  /** Keyed hash of an e-mail, for the throttle. */
  emailHash(email: string): string
  /** Drops cached callers, so that this node sees a change at once. Other nodes see it within half a second. */
  forget(accountId: string, digests: readonly Uint8Array[]): void
  /** Writes pending uses of keys; the database must still be open. */
  close(): Promise<void>
}

export const accessPort = definePort<Access>('access')

export const throttlePort = definePort<Pick<Throttle, 'hit' | 'giveBack'>>('throttle')

export const countersPort = definePort<Pick<Counters, 'peek' | 'consume' | 'refund'>>('counters')

export const usagePort = definePort<UsageRecorder>('usage')

const MINUTES_15 = 15 * 60
/** Attempts per account and client address: guesses from another address do not lock the owner out. */
export const LOGINS_PER_ACCOUNT_AND_ADDRESS = { limit: 10, windowSeconds: MINUTES_15 } as const
/**
 * Attempts per e-mail from all addresses: limits guesses from many machines. Over it, only an account that logged in from an
 * address before may log in from there.
 */
export const LOGINS_PER_ACCOUNT = { limit: 100, windowSeconds: MINUTES_15 } as const
export const LOGINS_PER_ADDRESS = { limit: 60, windowSeconds: MINUTES_15 } as const
export const REGISTRATIONS_PER_ADDRESS = { limit: 10, windowSeconds: 3_600 } as const
/** From all addresses. Refused registrations count too, so that the limit does not tell whether the e-mail has an account. */
export const REGISTRATIONS_PER_EMAIL = { limit: 10, windowSeconds: 30 * 24 * 3_600 } as const

/** RFC 5321 §4.5.3.1.3 less the angle brackets. */
const MAX_EMAIL_LENGTH = 254
/** NIST SP 800-63B requires at least 8; 12 because the gateway has no second factor. The upper bound limits the cost of hashing. */
const PASSWORD_LENGTH = { min: 12, max: 128 } as const

/** The part of an account that decides its scopes. */
export interface Rights {
  readonly tier: Tier
  readonly grants: readonly string[]
}

/** The scopes of the tier and the grants of the account, restricted to the narrowing of the key (null: not narrowed). */
export function effectiveScopes(rights: Rights, narrowing: readonly string[] | null): ReadonlySet<Scope> {
  const all = new Set([...scopesOfTier(rights.tier), ...rights.grants.filter(isScope)])
  return narrowing === null ? all : new Set(narrowing.filter(isScope).filter((scope) => all.has(scope)))
}

/** Prisma filter for the rows of an account that a caller may see and change. */
export interface Ownership {
  readonly accountId: string
  /** Omitted: rows of every key and login. */
  readonly keyId?: string
}

/** A narrowed key sees only the rows that it created. Tokens and keys that are not narrowed see all rows of the account. */
export function ownershipOf({ accountId, keyId, isNarrowed }: Caller): Ownership {
  return isNarrowed && keyId !== null ? { accountId, keyId } : { accountId }
}

/** Creator of a row as lists show it: the prefix of a key, or `login` for an access token. */
export function makerText(key: { readonly keyPrefix: string } | null): string {
  return key?.keyPrefix ?? 'login'
}

/** Whether a name has 1 to `most` visible characters. */
export function hasVisibleShape(text: string, most: number): boolean {
  return /^\P{Cc}+$/u.test(text) && Array.from(text).length <= most
}

export interface Registration {
  readonly email: string
  readonly password: string
}

/** Parses a registration; 422 names every wrong field. The returned e-mail is in lower case. */
export function parseRegistration(registration: Registration): Registration {
  const email = parseEmail(registration.email)
  const { password } = registration
  const length = Array.from(password).length
  const problems = new Problems()
  if (email === null) problems.add('email', 'must be an e-mail address of at most 254 characters')
  if (length < PASSWORD_LENGTH.min || length > PASSWORD_LENGTH.max) {
    problems.add('password', `must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`)
  } else if (password.trim().toLowerCase() === email) {
    problems.add('password', 'must not be the e-mail address')
  }
  problems.refuse()
  return { email: email ?? '', password }
}

/** Checks only the size of a login, which bounds the cost of hashing. Other checks would show which accounts can exist. */
export function parseLogin(login: Registration): Registration {
  const problems = new Problems()
  const bounds = { email: MAX_EMAIL_LENGTH, password: PASSWORD_LENGTH.max } as const
  for (const field of ['email', 'password'] as const) {
    if (Array.from(login[field]).length > bounds[field])
      problems.add(field, `must have at most ${bounds[field]} characters`)
  }
  problems.refuse()
  return login
}

/** Parses an e-mail address to lower case; null when the text is not an address. It does not check whether the address exists. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  // Control characters must not reach the database or the audit.
  const hasShape = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]+\.[^\s@.\p{C}]+$/u.test(email)
  return hasShape && email.length <= MAX_EMAIL_LENGTH ? email : null
}

export interface AuthResponse {
  readonly access_token: string
  readonly token_type: 'bearer'
  /** Seconds. */
  readonly expires_in: number
  readonly user: AccountRow
}
