import { MAX_TEMPORARY_BYTES, SQL_CONNECTIONS, SQL_LIMITS } from './end-sessions.js'
import { quotedName, quotedText } from './quoted.js'
import { isSqlRoleName, SQL_SCHEMA } from './sql-roles.js'

/** A login role to create. */
export interface NewSqlRole {
  readonly name: string
  /** What PostgreSQL stores of its password. */
  readonly verifier: string
  readonly expiresAt: Date
  /** The group that may read the schema. */
  readonly group: string
  /** Views that it may read in addition to those of the group. */
  readonly views: readonly string[]
  readonly database: string
}

/**
 * Temporary files of one process, for large sorts and joins. A role cannot raise it. Only a superuser can set it; without one
 * the server's own setting applies.
 */
const TEMP_FILE_LIMIT = `${MAX_TEMPORARY_BYTES / 1_024}kB`

const SETTINGS = [
  `search_path = ${quotedName(SQL_SCHEMA)}`,
  `statement_timeout = ${SQL_LIMITS.statementMs}`,
  `idle_in_transaction_session_timeout = ${SQL_LIMITS.idleInTransactionMs}`,
  'default_transaction_read_only = on',
  // Parallel workers are shared by the whole server.
  'max_parallel_workers_per_gather = 0',
] as const

/** The statements that create a login role with all its limits, in one transaction. */
export function createRole(role: NewSqlRole, isSuperuser: boolean): readonly string[] {
  const name = roleName(role.name)
  const settings = isSuperuser ? [...SETTINGS, `temp_file_limit = '${TEMP_FILE_LIMIT}'`] : SETTINGS
  return [
    `CREATE ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS INHERIT
     CONNECTION LIMIT ${SQL_CONNECTIONS} PASSWORD ${quotedText(role.verifier)}
     VALID UNTIL ${quotedText(role.expiresAt.toISOString())} IN ROLE ${quotedName(role.group)}`,
    commentOnRole(role.name, role.database),
    ...role.views.map((view) => grantView(view, role.name)),
    ...settings.map((setting) => `ALTER ROLE ${name} SET ${setting}`),
    ...(isSuperuser ? [] : [manageRole(role.name)]),
  ]
}

/** The comment that PostgreSQL's tools show for the role. Every login can read it, so it names no credential. */
function commentOnRole(name: string, database: string): string {
  const comment = `Login of the database ${database}, made by the market-data gateway.`
  return `COMMENT ON ROLE ${roleName(name)} IS ${quotedText(comment)}`
}

/**
 * Makes the gateway's own user a member of the role, so that it sees and may end the role's sessions without being a
 * superuser. On PostgreSQL 15 and older a holder may revoke that (a role administers membership in itself), so it is
 * repeated.
 */
export function manageRole(name: string): string {
  return `GRANT ${roleName(name)} TO CURRENT_USER`
}

/** Lets a role read a view of the schema. */
export function grantView(view: string, role: string): string {
  return `GRANT SELECT ON ${SQL_SCHEMA}.${quotedName(view)} TO ${quotedName(role)}`
}

export function revokeView(view: string, role: string): string {
  return `REVOKE SELECT ON ${SQL_SCHEMA}.${quotedName(view)} FROM ${quotedName(role)}`
}

/** Prevents further logins; open sessions continue until they are ended. */
export function disableRole(name: string): string {
  return `ALTER ROLE ${roleName(name)} NOLOGIN`
}

/** Removes a role with everything that it owns in this database. Its sessions must have ended. */
export function dropRole(name: string): readonly string[] {
  return [`DROP OWNED BY ${roleName(name)}`, `DROP ROLE ${roleName(name)}`]
}

/** Only the gateway's own roles are ever changed. */
function roleName(name: string): string {
  if (!isSqlRoleName(name)) throw new Error(`${name} is not a role of the gateway`)
  return quotedName(name)
}
