import type { Database } from '../../../platform/database/database.js'
import {
  excessRights,
  loadPublicRights,
  type PublicRights,
} from '../../../platform/database/sql-roles/public-rights.js'
import { quotedName } from '../../../platform/database/sql-roles/quoted.js'
import { loadRights } from '../../../platform/database/sql-roles/role-group.js'
import { missingRights, type RoleRights } from '../../../platform/database/sql-roles/role-rights.js'
import { loadSqlRoles } from '../../../platform/database/sql-roles/sql-roles.js'
import { type Finding, ok, problem, warning } from './finding.js'

const CHECK = 'sql credentials'

/** Maximum number of names in a message. */
const MAX_NAMED = 5

/** Checks whether SQL credentials can be created, and what their holders may do besides reading. */
export async function checkSqlRoles(database: Database): Promise<readonly Finding[]> {
  if (database.kind === 'pglite')
    return [ok(CHECK, 'not available on the embedded database; they need DATABASE_URL')]
  const rights = await loadRights(database)
  const missing = missingRights(rights)
  if (missing.length > 0) {
    return missing.map(({ lack, grant }) =>
      warning(CHECK, `cannot be created: ${rights.user} ${lack}`, `as a superuser: ${grant}`),
    )
  }
  // Without logins their rights do not matter.
  if (!rights.hasGroup) return [ok(CHECK, 'can be created; none exist yet')]
  const roles = await loadSqlRoles(database)
  const unmanaged = roles.filter(({ isManaged }) => !isManaged).map(({ name }) => name)
  if (unmanaged.length > 0) {
    const advice = `GRANT ${unmanaged.map(quotedName).slice(0, MAX_NAMED).join(', ')} TO ${quotedName(rights.user)}`
    return [problem(CHECK, `${rights.user} cannot end sessions of ${named(unmanaged)}`, advice)]
  }
  const holes = holesOf(await loadPublicRights(database), rights)
  if (holes.length > 0) return holes
  return [ok(CHECK, `can be created; ${roles.length} login${roles.length === 1 ? ' exists' : 's exist'}`)]
}

/** Rights of the holder of a credential besides reading, the worst first. */
function holesOf(publicRights: PublicRights, rights: RoleRights): readonly Finding[] {
  const { relations, databases, hasFileLimit, mayListFiles } = publicRights
  const readable =
    relations.length === 0
      ? []
      : [
          problem(
            CHECK,
            `every login may use ${named(relations)}, because PUBLIC may`,
            'REVOKE ALL ON these FROM PUBLIC',
          ),
        ]
  const excess = excessRights(publicRights, rights).map(({ what, statements, isOwn }) =>
    warning(
      CHECK,
      `every login may ${what}, because PUBLIC may`,
      isOwn
        ? 'the gateway revokes this at its next start, or when it creates the next credential'
        : `as the owner of the database or a superuser: ${statements.join('; ')}`,
    ),
  )
  const elsewhere =
    databases.length === 0
      ? []
      : [
          warning(
            CHECK,
            `logins may also connect to ${named(databases)}, until the gateway ends the session within a second`,
            `REVOKE CONNECT ON DATABASE … FROM PUBLIC there, or in pg_hba.conf: host all +${rights.group} all reject, after a line that lets it into ${rights.database}`,
          ),
        ]
  const files =
    hasFileLimit || rights.isSuperuser
      ? []
      : [
          warning(
            CHECK,
            'temporary files of a query are not limited, so a login can fill the disk for 5 s',
            "as a superuser: ALTER SYSTEM SET temp_file_limit = '1GB'; SELECT pg_reload_conf()",
          ),
        ]
  const unseen = mayListFiles
    ? []
    : [
        warning(
          CHECK,
          'the gateway cannot see temporary files, so a login may keep them for 15 min',
          `as a superuser: GRANT EXECUTE ON FUNCTION pg_ls_tmpdir(oid) TO ${quotedName(rights.user)}`,
        ),
      ]
  return [...readable, ...excess, ...elsewhere, ...files, ...unseen]
}

function named(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`
}
