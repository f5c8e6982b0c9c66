import { type Given, parseWhole } from '../../../core/argument-parsers.js'
import { type ApiError, notFound } from '../../../core/errors.js'
import { parseUuid } from '../../../core/identifiers.js'
import { Problems } from '../../../core/problems.js'
import { DAY_MS } from '../../../core/time.js'
import { definePort } from '../../../platform/request/ports.js'
import type { Scope } from '../../../policy/scopes.js'
import { effectiveScopes, hasVisibleShape, type Rights } from '../model.js'

/** Scope that an account needs for SQL credentials. */
export const SQL_SCOPE = 'star:read' satisfies Scope

/** Each credential can hold up to five connections of the server. */
export const MAX_ACTIVE_CREDENTIALS = 3
export const MAX_SQL_LABEL_LENGTH = 100
export const EXPIRY_DAYS = { min: 1, max: 365, default: 90 } as const

/** Each credential creates a role, which exists on the whole PostgreSQL server. */
export const CREDENTIALS_PER_ACCOUNT = { limit: 30, windowSeconds: 3_600 } as const

/** Whether an account with these rights may have SQL credentials. */
export function mayHaveSql(rights: Rights): boolean {
  return effectiveScopes(rights, null).has(SQL_SCOPE)
}

export interface SqlCredentialRequest {
  /** Null: none. */
  readonly label: string | null
  readonly expiresAt: Date
}

interface CredentialRequest {
  readonly label?: Given<string>
  readonly expires_in_days?: Given<number>
}

/** Parses a request for a credential; 422 names every wrong field. Like a key, a credential cannot expire later than the key that creates it. */
export function parseSqlCredentialRequest(
  request: CredentialRequest,
  maker: { readonly endsAt: Date | null },
  now: Date,
): SqlCredentialRequest {
  const problems = new Problems()
  const label = request.label?.trim() || null
  if (label !== null && !hasVisibleShape(label, MAX_SQL_LABEL_LENGTH)) {
    problems.add('label', `must have at most ${MAX_SQL_LABEL_LENGTH} visible characters`)
  }
  const days = parseWhole(problems, 'expires_in_days', request.expires_in_days, EXPIRY_DAYS)
  const expiresAt = new Date(now.getTime() + days * DAY_MS)
  const isBeyond = maker.endsAt !== null && expiresAt > maker.endsAt
  if (isBeyond && request.expires_in_days != null) {
    const message = `must not be after the expiry of the key that creates it: ${maker.endsAt.toISOString()}`
    problems.add('expires_in_days', message)
  }
  problems.refuse()
  return { label, expiresAt: isBeyond ? maker.endsAt : expiresAt }
}

/** Parses a credential id. Text that is not a UUID cannot be the id of a credential, so it is a 404. */
export function parseCredentialId(text: string): string {
  const credentialId = parseUuid(text)
  if (credentialId !== null) return credentialId
  throw noSuchCredential()
}

export function noSuchCredential(): ApiError {
  return notFound(
    (name) => `Your account has no such SQL credential; ${name('sql_credentials')} lists its credentials.`,
  )
}

/** The instants that end a credential. */
export interface CredentialEnds {
  readonly expiresAt: Date
  readonly revokedAt: Date | null
}

export function isCredentialActive({ expiresAt, revokedAt }: CredentialEnds, now: Date): boolean {
  return expiresAt > now && (revokedAt === null || revokedAt > now)
}

/** Where clients reach the PostgreSQL server; null on the embedded database, which has no network listener. */
export interface SqlAddress {
  readonly host: string
  readonly port: number
}

export const sqlAddressPort = definePort<SqlAddress | null>('sql address')

/** Names of the risks of logins that the operator accepts. */
export const sqlAcceptedRisksPort = definePort<ReadonlySet<string>>('accepted risks of sql logins')

/** A new credential with its password, which cannot be read again. */
export interface SqlCredentialCreated extends SqlAddress {
  readonly credential_id: string
  readonly username: string
  readonly password: string
  readonly database: string
  readonly schema: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly note: string
}

export const SQL_NOTE =
  'Store the password now: it is shown only once and cannot be read again. The login can read only the views of star_public. Limits: 5 seconds for a statement, 30 seconds for an idle transaction, 60 seconds for a transaction, 15 minutes for a session, 5 connections at once. The gateway ends a session that exceeds a limit, and disables a login whose sessions were ended three times within an hour.'

export const EMBEDDED_HAS_NO_SQL =
  'SQL credentials need a PostgreSQL server, but this gateway runs on the embedded database, which has no network listener. To offer SQL credentials, its operator starts it with DATABASE_URL, the address of a PostgreSQL server.'
