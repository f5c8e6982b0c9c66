import { DAY_MS } from '../../../core/time.js'
import type { Prisma } from '../../../generated/prisma/client.js'
import type { Sql } from '../../../platform/database/database.js'
import { type EndedSession, isFault } from '../../../platform/database/sql-roles/end-sessions.js'
import type { RoleClient } from '../../../platform/database/sql-roles/role-rights.js'
import { OWN_ROLES } from '../../../platform/database/sql-roles/sql-roles.js'
import { arraysOf, column, statement } from '../../../platform/database/statement.js'
import type { Scope } from '../../../policy/scopes.js'
import type { Tier } from '../../../policy/tiers.js'
import { VIEW_SCOPES } from '../../../policy/view-scopes.js'
import { activeFirst } from '../keys/key-store.js'
import { effectiveScopes, type Ownership } from '../model.js'
import type { AccessClient } from '../transaction.js'
import { mayHaveSql } from './sql-credential-model.js'

export interface NewCredentialRow {
  readonly credentialId: string
  readonly accountId: string
  /** Null: created with an access token. */
  readonly keyId: string | null
  readonly roleName: string
  readonly label: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Runs statements about roles in a transaction of Prisma's client, which has no API for roles. */
export function toRoleClient(tx: AccessClient): RoleClient {
  return {
    rows: <Row>(sql: string, parameters: readonly unknown[] = []) =>
      tx.$queryRawUnsafe<Row[]>(sql, ...parameters),
    script: async (sql) => {
      await tx.$executeRawUnsafe(sql)
    },
  }
}

/**
 * Prevents other changes of roles or rights of this database until the transaction ends, because PostgreSQL refuses concurrent
 * changes of one role. It locks the table, because SQL roles could take an advisory lock too.
 */
export const LOCK_CREDENTIALS = 'lock table sql_credential in share row exclusive mode'

export async function insertCredential(tx: AccessClient, data: NewCredentialRow): Promise<void> {
  await tx.sqlCredential.create({ data, select: { credentialId: true } })
}

/** Filter for credentials that work at an instant. */
function activeAt(now: Date): Prisma.SqlCredentialWhereInput {
  return { expiresAt: { gt: now }, OR: [{ revokedAt: null }, { revokedAt: { gt: now } }] }
}

export function countActiveCredentials(tx: AccessClient, accountId: string, now: Date): Promise<number> {
  return tx.sqlCredential.count({ where: { accountId, ...activeAt(now) } })
}

export type CredentialSelect = Prisma.SqlCredentialSelect
export type SelectedCredential<Select extends CredentialSelect> = Prisma.SqlCredentialGetPayload<{
  select: Select
}>

/** Lists selected columns of the credentials that a caller may see, active ones first, then the newest. */
export async function listCredentials<Select extends CredentialSelect>(
  client: AccessClient,
  ownership: Ownership,
  { now, limit, select }: { readonly now: Date; readonly limit: number; readonly select: Select },
): Promise<readonly SelectedCredential<Select>[]> {
  const read = async (where: Prisma.SqlCredentialWhereInput, take: number) => {
    const rows = await client.sqlCredential.findMany({
      where: { ...ownership, ...where },
      select,
      orderBy: [{ createdAt: 'desc' }, { credentialId: 'asc' }],
      take,
    })
    return rows as SelectedCredential<Select>[] // Prisma infers it from a `select` that is known, not from a generic one
  }
  return activeFirst(read, activeAt(now), limit)
}

/** Counts active and ended credentials, as far as they are kept. */
export function countCredentials(client: AccessClient, ownership: Ownership): Promise<number> {
  return client.sqlCredential.count({ where: { ...ownership } })
}

/** Whether the credential exists, active or ended. */
export async function hasCredential(
  client: AccessClient,
  ownership: Ownership,
  credentialId: string,
): Promise<boolean> {
  return (await client.sqlCredential.count({ where: { ...ownership, credentialId } })) > 0
}

/** Why the gateway has ended a credential; also a constraint of the table. */
export type CredentialEndReason = 'access_lost' | 'limits'

/** Revokes one credential, or all of keys or of an account, at `at`. Returns those that it changed. */
export async function revokeCredentials(
  tx: AccessClient,
  which: Prisma.SqlCredentialWhereInput,
  at: Date,
  disabledReason: CredentialEndReason | null = null,
): Promise<readonly { readonly credentialId: string; readonly keyId: string | null }[]> {
  return tx.sqlCredential.updateManyAndReturn({
    where: { ...which, ...activeAt(at) },
    data: { revokedAt: at, disabledReason },
    select: { credentialId: true, keyId: true },
  })
}

/** State of a role in the table. Plain SQL from here on: it is read and written twice a second for all roles of the database. */
export interface CredentialState {
  readonly name: string
  /** Neither it nor its key is revoked, and its account may have it. */
  readonly isLive: boolean
  /** Views that the role may read in addition to those of the group. */
  readonly views: readonly string[]
  /** It ended so long ago that no login that began before can still be in progress. */
  readonly isLongOver: boolean
}

const STATES = statement(
  'lacks clock of the database',
  {
    name: 'text',
    isValid: 'bool',
    isLongOver: 'bool',
    tier: column<Tier>('text'),
    grants: '_text',
    narrowing: '_text?',
  },
  `select c.role_name as name, c.revoked_at is null and a.deleted_at is null
       and (c.key_id is null or coalesce(k.revoked_at is null or k.revoked_at > clock_timestamp(), false)) as "isValid",
     a.tier, coalesce(a.grants, '{}') as grants, case when k.is_narrowed then k.scopes end as narrowing,
     least(c.revoked_at, c.expires_at) < clock_timestamp() - interval '5 seconds' as "isLongOver"
   from sql_credential c join account a using (account_id) left join api_key k on k.key_id = c.key_id
   where c.role_name = any($1::text[])`,
)

export async function loadCredentialStates(
  sql: Sql,
  names: readonly string[],
): Promise<readonly CredentialState[]> {
  const rows = await sql.rows(STATES, [names])
  return rows.map(({ name, isValid, isLongOver, tier, grants, narrowing }) => {
    const scopes = effectiveScopes({ tier, grants }, narrowing)
    return {
      name,
      isLive: isValid && mayHaveSql({ tier, grants }),
      isLongOver,
      views: scopedViewsOf(scopes),
    }
  })
}

/** The views that need an additional scope beside star:read and that a caller with these scopes may read, as in REST. */
export function scopedViewsOf(scopes: ReadonlySet<Scope>): readonly string[] {
  return [...VIEW_SCOPES].flatMap(([view, scope]) => (scopes.has(scope) ? [view] : []))
}

/** Revokes credentials whose account or key may no longer have them. */
export async function noteLostCredentials(sql: Sql, names: readonly string[]): Promise<void> {
  await sql.rows(
    `update sql_credential set revoked_at = clock_timestamp(), disabled_reason = 'access_lost' where role_name = any($1::text[])
       and revoked_at is null and expires_at > clock_timestamp()`,
    [names],
  )
}

const MISSING = statement(
  'lacks role',
  { name: 'text' },
  `update sql_credential set revoked_at = clock_timestamp(), disabled_reason = 'access_lost'
   where revoked_at is null and expires_at > clock_timestamp()
     and not exists (select from (${OWN_ROLES}) as r where r.rolname = role_name)
   returning role_name as name`,
)

/**
 * Revokes credentials without a role of this database on the server: the database was copied or restored. Returns the user
 * names.
 */
export async function revokeMissingCredentials(sql: Sql): Promise<readonly string[]> {
  return (await sql.rows(MISSING)).map(({ name }) => name)
}

/** Records uses. A use within a minute of the recorded one writes nothing. */
export async function touchCredentials(sql: Sql, uses: ReadonlyMap<string, Date>): Promise<void> {
  await sql.rows(
    `update sql_credential c set last_used_at = u.at from unnest($1::text[], $2::timestamptz[]) as u (name, at)
     where c.role_name = u.name and coalesce(c.last_used_at <= u.at - interval '1 minute', true)`,
    [[...uses.keys()], [...uses.values()]],
  )
}

/** Sessions that end within this time because of their holder count as one. */
const MOMENT_SECONDS = 10

/** Number of ended sessions within an hour that disables a login. */
const MAX_ENDS_PER_HOUR = 3

const DISABLED = statement(
  'lacks clock of the database',
  { name: 'text' },
  `update sql_credential c set revoked_at = clock_timestamp(), disabled_reason = 'limits'
   where c.role_name = any($1::text[]) and c.revoked_at is null and $3::int <= (
     select count(distinct floor(extract(epoch from e.ended_at) / $2::int)) from sql_session_end e
     where e.role_name = c.role_name and e.ended_at > clock_timestamp() - interval '1 hour')
   returning c.role_name as name`,
)

/**
 * Records sessions that ended because of their holders and disables logins whose sessions ended three times within an hour.
 * Returns the names of the disabled logins. Several nodes may report the end of one session.
 */
export async function noteFaults(sql: Sql, ended: readonly EndedSession[]): Promise<readonly string[]> {
  const faults = ended.filter(isFault)
  if (faults.length === 0) return []
  const names = faults.map(({ role }) => role)
  await sql.rows("delete from sql_session_end where ended_at < clock_timestamp() - interval '1 hour'")
  await sql.rows(
    `insert into sql_session_end (role_name, pid, started_at, reason, ended_at)
     select f.name, f.pid, f.started_at, f.reason, clock_timestamp()
     from unnest($1::text[], $2::int[], $3::timestamptz[], $4::text[]) as f (name, pid, started_at, reason)
     on conflict do nothing`,
    [names, ...arraysOf(faults, 'pid', 'startedAt', 'reason')],
  )
  const rows = await sql.rows(DISABLED, [names, MOMENT_SECONDS, MAX_ENDS_PER_HOUR])
  return rows.map(({ name }) => name)
}

/** Days that a credential is listed after its end. */
const KEPT_DAYS = 90

/** Deletes credentials that ended more than 90 days ago. */
export async function purgeCredentials(client: AccessClient, now: Date): Promise<void> {
  const before = { lt: new Date(now.getTime() - KEPT_DAYS * DAY_MS) }
  await client.sqlCredential.deleteMany({ where: { OR: [{ revokedAt: before }, { expiresAt: before }] } })
}
