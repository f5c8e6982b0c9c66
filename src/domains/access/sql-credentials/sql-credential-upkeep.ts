import type { Database, Transaction } from '../../../platform/database/database.js'
import {
  type EndedSession,
  endSessions,
  unlinkLargeObjects,
} from '../../../platform/database/sql-roles/end-sessions.js'
import {
  disableRole,
  dropRole,
  grantView,
  manageRole,
  revokeView,
} from '../../../platform/database/sql-roles/role-statements.js'
import { runTogether } from '../../../platform/database/sql-roles/run-together.js'
import { loadSqlRoles, type SqlRole } from '../../../platform/database/sql-roles/sql-roles.js'
import { statement } from '../../../platform/database/statement.js'
import { REQUEST_LIMITS } from '../../../platform/database/statement-limits.js'
import {
  type CredentialState,
  LOCK_CREDENTIALS,
  loadCredentialStates,
  noteFaults,
  noteLostCredentials,
  touchCredentials,
} from './sql-credential-store.js'

/** Result of one pass over the roles of a database. */
export interface Upkeep {
  readonly ended: readonly EndedSession[]
  /** Logins that were disabled because their sessions ended too often. */
  readonly disabled: readonly string[]
  /** Roles that were removed. */
  readonly dropped: readonly string[]
  /** Errors of steps that failed; the next pass tries them again. */
  readonly failures: readonly unknown[]
}

const NOTHING: Upkeep = { ended: [], disabled: [], dropped: [], failures: [] }

/** Checks the newest of the tables that a migration creates: sessions are watched before that migration too. Plain SQL: Prisma has no model for the catalogue. */
const HAS_TABLE = statement(
  'lacks catalogue',
  { hasTable: 'bool' },
  `select to_regclass('sql_session_end') is not null as "hasTable"`,
)

/**
 * Runs one pass over the login roles of this database. A role loses its login when its credential is revoked or expired or
 * its account may not have it. Sessions beyond their limits end. Roles that have ended are removed. A killed process may leave
 * the roles in any state, and several nodes may run a pass at once.
 */
export async function keepUpRoles(database: Database): Promise<Upkeep> {
  if (database.kind === 'pglite') return NOTHING
  const roles = await loadSqlRoles(database)
  if (roles.length === 0) return NOTHING
  const failures: unknown[] = []
  const attempt = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      failures.push(error)
      return otherwise
    }
  }
  const [table] = await database.rows(HAS_TABLE)
  const hasTable = table?.hasTable === true
  const dropped = hasTable ? await attempt(() => retireRoles(database, roles, failures), []) : []
  const ended = [...(await attempt(() => endSessions(database), []))]
  const hidden = roles.flatMap(({ name, isManaged }) => (isManaged ? [] : [name]))
  for (const name of hidden) ended.push(...(await attempt(() => endHidden(database, name), [])))
  const disabled = hasTable ? await attempt(() => noteFaults(database, ended), []) : []
  await attempt(() => unlinkLargeObjects(database), 0)
  const uses = new Map(
    roles.flatMap(({ name, seenAt }) => (seenAt === null ? [] : [[name, seenAt] as const])),
  )
  if (hasTable && uses.size > 0) await attempt(() => touchCredentials(database, uses), undefined)
  return { ended, disabled, dropped, failures }
}

/** Runs a pass and throws its first failure, for callers that wait for the end of a role. */
export async function endDeadRoles(database: Database): Promise<void> {
  const { failures } = await keepUpRoles(database)
  if (failures.length > 0) throw failures[0]
}

/**
 * Ends the sessions of a role after its holder has revoked the membership of the gateway's user. It restores the membership
 * in the same transaction, so that the holder cannot revoke it in between.
 */
function endHidden(database: Database, name: string): Promise<readonly EndedSession[]> {
  return database.transaction(async (tx) => {
    await tx.script(manageRole(name))
    return endSessions(tx)
  }, REQUEST_LIMITS)
}

/** Next step for a role: an ended role first loses its login and is dropped when its sessions have ended; a live role gets its views. */
type Step = 'disable' | 'drop' | 'views' | null

function stepOf(role: SqlRole, state: CredentialState | undefined, hasItsViews: boolean): Step {
  if (state?.isLive === true && !role.isExpired) return hasItsViews ? null : 'views'
  if (role.canLogin) return 'disable'
  return role.sessions === 0 && state?.isLongOver !== false ? 'drop' : null
}

/** Statements that adjust the views of a role to its scopes, which change with its account. */
function viewStatements({ name, views }: SqlRole, state: CredentialState | undefined): readonly string[] {
  const wanted = state?.views ?? []
  return [
    ...wanted.filter((view) => !views.includes(view)).map((view) => grantView(view, name)),
    ...views.filter((view) => !wanted.includes(view)).map((view) => revokeView(view, name)),
  ]
}

async function stepsOf(sql: Pick<Transaction, 'rows'>, roles: readonly SqlRole[]) {
  const names = roles.map(({ name }) => name)
  const states = new Map((await loadCredentialStates(sql, names)).map((state) => [state.name, state]))
  return roles.map((role) => {
    const state = states.get(role.name)
    const views = viewStatements(role, state)
    return { name: role.name, step: stepOf(role, state, views.length === 0), views }
  })
}

/** Disables and drops ended roles; returns the names of the dropped ones. */
async function retireRoles(
  database: Database,
  roles: readonly SqlRole[],
  failures: unknown[],
): Promise<readonly string[]> {
  if ((await stepsOf(database, roles)).every(({ step }) => step === null)) return []
  return database.transaction(async (tx) => {
    await tx.script(LOCK_CREDENTIALS)
    // Only state that is read under the lock stays valid until the commit.
    const steps = await stepsOf(tx, await loadSqlRoles(tx))
    const named = (wanted: Step) => steps.flatMap(({ name, step }) => (step === wanted ? [name] : []))
    const disabled = named('disable')
    for (const name of disabled) await tx.script(disableRole(name))
    if (disabled.length > 0) await noteLostCredentials(tx, disabled)
    for (const { views } of steps.filter(({ step }) => step === 'views')) {
      const error = await runTogether(tx, views)
      if (error !== null) failures.push(error)
    }
    const dropped: string[] = []
    for (const name of named('drop')) {
      // A role that owns an object in another database stays, without a login, until that object is removed.
      const error = await runTogether(tx, dropRole(name))
      if (error === null) dropped.push(name)
      else failures.push(error)
    }
    return dropped
  }, REQUEST_LIMITS)
}
