import type { Transaction } from '../../../platform/database/database.js'
import { dropOrphanedRole } from '../../../platform/database/sql-roles/orphaned-role.js'
import { narrowPublicRights } from '../../../platform/database/sql-roles/public-rights.js'
import { loadRights, prepareGroup } from '../../../platform/database/sql-roles/role-group.js'
import { missingRights } from '../../../platform/database/sql-roles/role-rights.js'
import { createRole } from '../../../platform/database/sql-roles/role-statements.js'
import type { RoleVerifier } from '../../../platform/database/sql-roles/role-verifiers.js'
import { blockingRisks, loadSqlRisks } from '../../../platform/database/sql-roles/sql-risks.js'
import { statement } from '../../../platform/database/statement.js'
import { VIEW_SCOPES } from '../../../policy/view-scopes.js'
import { LOCK_CREDENTIALS, loadCredentialStates, noteLostCredentials } from './sql-credential-store.js'

/** What became of the SQL logins of a backup, by user name. */
export interface RestoredLogins {
  /** They work with their old passwords. */
  readonly restored: readonly string[]
  /** Their credentials are revoked; each holder makes a new one. */
  readonly lost: readonly string[]
}

// Plain SQL: beside roles, for which Prisma has no model.
const ACTIVE = statement(
  'lacks clock of the database',
  { name: 'text', expiresAt: 'timestamptz' },
  `select role_name as name, expires_at as "expiresAt" from sql_credential
   where revoked_at is null and expires_at > clock_timestamp() order by 1`,
)

/**
 * Makes the login roles of restored credentials anew, on a server that does not have them. A credential is revoked as lost on
 * the embedded database, if its verifier is not in the backup, if the gateway's user may not make roles, if a login could do
 * more than the operator accepts, and if another database of the server has a role with its name.
 */
export async function restoreSqlLogins(
  tx: Transaction,
  kind: 'pglite' | 'postgres',
  verifiers: readonly RoleVerifier[] | null,
  acceptedRisks: ReadonlySet<string>,
): Promise<RestoredLogins> {
  await tx.script(LOCK_CREDENTIALS)
  const active = await tx.rows(ACTIVE)
  if (active.length === 0) return { restored: [], lost: [] }
  const restored = kind === 'pglite' ? [] : await recreate(tx, active, verifiers ?? [], acceptedRisks)
  const lost = active.map(({ name }) => name).filter((name) => !restored.includes(name))
  await noteLostCredentials(tx, lost)
  return { restored, lost }
}

async function recreate(
  tx: Transaction,
  active: readonly { readonly name: string; readonly expiresAt: Date }[],
  verifiers: readonly RoleVerifier[],
  acceptedRisks: ReadonlySet<string>,
): Promise<readonly string[]> {
  const rights = await loadRights(tx)
  if (verifiers.length === 0 || missingRights(rights).length > 0) return []
  await prepareGroup(tx, rights, [...VIEW_SCOPES.keys()])
  await narrowPublicRights(tx, rights)
  if (blockingRisks(await loadSqlRisks(tx, rights), acceptedRisks).length > 0) return []
  const verifierOf = new Map(verifiers.map(({ name, verifier }) => [name, verifier]))
  const states = await loadCredentialStates(
    tx,
    active.map(({ name }) => name),
  )
  const viewsOf = new Map(states.map(({ name, isLive, views }) => [name, isLive ? views : undefined]))
  const restored: string[] = []
  for (const { name, expiresAt } of active) {
    const verifier = verifierOf.get(name)
    const views = viewsOf.get(name)
    if (verifier === undefined || views === undefined || !(await dropOrphanedRole(tx, name))) continue
    const { group, database } = rights
    const role = { name, verifier, expiresAt, group, views, database }
    for (const text of createRole(role, rights.isSuperuser)) await tx.script(text)
    restored.push(name)
  }
  return restored
}
