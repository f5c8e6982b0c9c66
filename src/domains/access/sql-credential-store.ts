import { DAY_MS } from '../../core/time.js'
import type { Prisma } from '../../generated/prisma/client.js'
import type { Sql } from '../../platform/database/database.js'
import type { RoleClient } from '../../platform/database/sql-roles/role-group.js'
import { statement } from '../../platform/database/statement.js'
import { activeFirst } from './key-store.js'
import { SQL_SCOPE, SQL_TIERS } from './sql-credential-model.js'
import type { AccessClient } from './transaction.js'

export interface NewCredentialRow {
  readonly credentialId: string
  readonly accountId: string
  readonly roleName: string
  readonly label: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Statements about roles in a transaction of Prisma's client, which has none for them. */
export function roleClientOf(tx: AccessClient): RoleClient {
  return {
    rows: <Row>(sql: string, parameters: readonly unknown[] = []) =>
      tx.$queryRawUnsafe<Row[]>(sql, ...parameters),
    script: async (sql) => {
      await tx.$executeRawUnsafe(sql)
    },
  }
}

/**
 * Until the end of the transaction nobody else changes roles or rights of this database: PostgreSQL refuses two changes of
 * one at once. A lock of the table and not an advisory one, which SQL roles could take too.
 */
export const LOCK_CREDENTIALS = 'lock table sql_credential in share row exclusive mode'

export async function insertCredential(tx: AccessClient, data: NewCredentialRow): Promise<void> {
  await tx.sqlCredential.create({ data, select: { credentialId: true } })
}

/** Credentials that work at an instant. */
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

/** What is selected of an account's credentials, those that work first, then the newest. */
export async function listCredentials<Select extends CredentialSelect>(
  client: AccessClient,
  accountId: string,
  { now, limit, select }: { readonly now: Date; readonly limit: number; readonly select: Select },
): Promise<readonly SelectedCredential<Select>[]> {
  const read = async (where: Prisma.SqlCredentialWhereInput, take: number) => {
    const rows = await client.sqlCredential.findMany({
      where: { accountId, ...where },
      select,
      orderBy: [{ createdAt: 'desc' }, { credentialId: 'asc' }],
      take,
    })
    return rows as SelectedCredential<Select>[] // Prisma infers it from a `select` that is known, not from a generic one
  }
  return activeFirst(read, activeAt(now), limit)
}

/** All credentials that the account ever had, as far as they are kept. */
export function countCredentials(client: AccessClient, accountId: string): Promise<number> {
  return client.sqlCredential.count({ where: { accountId } })
}

/** Whether the account has such a credential, working or not. */
export async function hasCredential(
  client: AccessClient,
  accountId: string,
  credentialId: string,
): Promise<boolean> {
  return (await client.sqlCredential.count({ where: { accountId, credentialId } })) > 0
}

/** Notes the end of one credential, or of all of the account (null), at `at`; gives those that it changed. */
export async function revokeCredentials(
  tx: AccessClient,
  accountId: string,
  credentialId: string | null,
  at: Date,
): Promise<readonly string[]> {
  const rows = await tx.sqlCredential.updateManyAndReturn({
    where: { accountId, ...(credentialId !== null && { credentialId }), ...activeAt(at) },
    data: { revokedAt: at },
    select: { credentialId: true },
  })
  return rows.map((row) => row.credentialId)
}

/** How the table sees a role. Plain SQL from here on: read and written twice a second, for all roles of the database. */
export interface CredentialState {
  readonly name: string
  /** Not revoked, and its account may have it. */
  readonly isLive: boolean
  /** Its end is so long ago that no login which began before can still be under way. */
  readonly isLongOver: boolean
}

const STATES = statement(
  { name: 'text', isLive: 'bool', isLongOver: 'bool' },
  `select c.role_name as name, c.revoked_at is null and a.deleted_at is null
       and (a.tier = any($2::text[]) or $3 = any(a.grants)) as "isLive",
     least(c.revoked_at, c.expires_at) < clock_timestamp() - interval '5 seconds' as "isLongOver"
   from sql_credential c join account a using (account_id) where c.role_name = any($1::text[])`,
)

export function readCredentialStates(
  sql: Sql,
  names: readonly string[],
): Promise<readonly CredentialState[]> {
  return sql.rows(STATES, [names, SQL_TIERS, SQL_SCOPE])
}

/** Notes the end of credentials whose account may not have them any more. */
export async function noteLostCredentials(sql: Sql, names: readonly string[]): Promise<void> {
  await sql.rows(
    `update sql_credential set revoked_at = clock_timestamp() where role_name = any($1::text[])
       and revoked_at is null and expires_at > clock_timestamp()`,
    [names],
  )
}

/** Notes uses; one within a minute of the one noted before writes nothing. */
export async function touchCredentials(sql: Sql, uses: ReadonlyMap<string, Date>): Promise<void> {
  await sql.rows(
    `update sql_credential c set last_used_at = u.at from unnest($1::text[], $2::timestamptz[]) as u (name, at)
     where c.role_name = u.name and coalesce(c.last_used_at <= u.at - interval '1 minute', true)`,
    [[...uses.keys()], [...uses.values()]],
  )
}

/** Days that a credential is listed after its end. */
const KEPT_DAYS = 90

/** Drops credentials that ended more than 90 days ago. */
export async function purgeCredentials(sql: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS)
  await sql.rows('delete from sql_credential where least(revoked_at, expires_at) < $1', [before])
}
