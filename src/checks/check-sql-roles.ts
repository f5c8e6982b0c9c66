import type { Config } from '../config.js'
import type { Database } from '../platform/database/database.js'
import { loadPublicRights } from '../platform/database/sql-roles/public-rights.js'
import { quotedName } from '../platform/database/sql-roles/quoted.js'
import { loadRights } from '../platform/database/sql-roles/role-group.js'
import { missingRights, type RoleRights } from '../platform/database/sql-roles/role-rights.js'
import { loadSqlRisks, type OpenSqlRisk, shortList } from '../platform/database/sql-roles/sql-risks.js'
import { loadSqlRoles } from '../platform/database/sql-roles/sql-roles.js'
import { type Finding, ok, problem, warning } from './finding.js'

const CHECK = 'sql credentials'

/** Roles that one statement of an advice grants. */
const MAX_GRANTED = 5

/** Checks whether SQL credentials can be created, and what their holders may do besides reading. */
export async function checkSqlRoles(
  database: Database,
  { sqlAcceptedRisks }: Pick<Config, 'sqlAcceptedRisks'>,
): Promise<readonly Finding[]> {
  if (database.kind === 'pglite')
    return [ok(CHECK, 'not available on the embedded database; they need DATABASE_URL')]
  const rights = await loadRights(database)
  const missing = missingRights(rights)
  if (missing.length > 0) {
    return missing.map(({ lack, grant }) =>
      warning(CHECK, `cannot be created: ${rights.user} ${lack}`, `as a superuser: ${grant}`),
    )
  }
  const roles = await loadSqlRoles(database)
  const unmanaged = roles.filter(({ isManaged }) => !isManaged).map(({ name }) => name)
  if (unmanaged.length > 0) {
    const advice = `GRANT ${unmanaged.slice(0, MAX_GRANTED).map(quotedName).join(', ')} TO ${quotedName(rights.user)}`
    return [problem(CHECK, `${rights.user} cannot end sessions of ${shortList(unmanaged)}`, advice)]
  }
  // The gateway revokes the rights that are its own before it creates the first login.
  const risks = (await loadSqlRisks(database, rights)).filter(({ isOwn }) => rights.hasGroup || !isOwn)
  const open = risks.filter(({ name }) => !sqlAcceptedRisks.has(name))
  const accepted = risks.filter(({ name }) => sqlAcceptedRisks.has(name)).map(({ name }) => name)
  const findings = [
    ...refusalOf(open),
    ...open.map(({ name, what, advice }) =>
      (name === 'relations' && rights.hasGroup ? problem : warning)(CHECK, `${name}: ${what}`, advice),
    ),
    // Without logins other databases do not matter.
    ...(rights.hasGroup ? await otherDatabases(database, rights) : []),
  ]
  if (findings.length > 0) return findings
  const count =
    roles.length === 0
      ? 'none exist yet'
      : `${roles.length} login${roles.length === 1 ? ' exists' : 's exist'}`
  const risky = accepted.length === 0 ? '' : `; accepted risks: ${accepted.join(', ')}`
  return [ok(CHECK, `can be created; ${count}${risky}`)]
}

/** What stops new credentials. */
function refusalOf(open: readonly OpenSqlRisk[]): readonly Finding[] {
  const blocking = open.filter(({ isOwn }) => !isOwn).map(({ name }) => name)
  if (blocking.length === 0) return []
  const names = blocking.join(',')
  const advice = `run the statements of the lines below, or accept the risks: SQL_ACCEPTED_RISKS=${names}`
  return [warning(CHECK, `cannot be created while these risks are open: ${blocking.join(', ')}`, advice)]
}

async function otherDatabases(database: Database, rights: RoleRights): Promise<readonly Finding[]> {
  const { databases } = await loadPublicRights(database)
  if (databases.length === 0) return []
  return [
    warning(
      CHECK,
      `logins may also connect to ${shortList(databases)}, until the gateway ends the session within a second`,
      `REVOKE CONNECT ON DATABASE … FROM PUBLIC there, or in pg_hba.conf: host all +${rights.group} all reject, after a line that lets it into ${rights.database}`,
    ),
  ]
}
