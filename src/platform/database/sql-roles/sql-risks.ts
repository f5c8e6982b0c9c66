import { ApiError } from '../../../core/errors.js'
import { excessRights, loadPublicRights } from './public-rights.js'
import { quotedName } from './quoted.js'
import type { RoleClient, RoleRights } from './role-rights.js'
import type { SqlRisk } from './sql-risk-names.js'

/** What every login can do besides reading the views, and what the operator does about it. */
export interface OpenSqlRisk {
  readonly name: SqlRisk
  readonly what: string
  readonly advice: string
  /** Whether the gateway removes the risk itself when it creates a login. */
  readonly isOwn: boolean
}

/** Relations that a text names. */
const MAX_NAMED = 5

/**
 * What every login of this database can do besides reading the views, the worst first. Sessions in other databases of the
 * server are no risk here: the gateway ends them within a second, and disables the login after three.
 */
export async function loadSqlRisks(
  client: Pick<RoleClient, 'rows'>,
  rights: RoleRights,
): Promise<readonly OpenSqlRisk[]> {
  const publicRights = await loadPublicRights(client)
  const { relations, hasFileLimit, mayListFiles } = publicRights
  const risks: OpenSqlRisk[] = []
  if (relations.length > 0) {
    risks.push({
      name: 'relations',
      what: `every login may use ${shortList(relations)}, because PUBLIC may`,
      advice: 'REVOKE ALL ON these FROM PUBLIC',
      isOwn: false,
    })
  }
  for (const { name, what, statements, isOwn } of excessRights(publicRights, rights)) {
    risks.push({
      name,
      what: `every login may ${what}, because PUBLIC may`,
      advice: isOwn
        ? 'the gateway revokes this at its next start, or when it creates the next credential'
        : `as the owner of the database or a superuser: ${statements.join('; ')}`,
      isOwn,
    })
  }
  if (!hasFileLimit && !rights.isSuperuser) {
    risks.push({
      name: 'temporary-file-size',
      what: 'temporary files of a query are not limited, so a login can fill the disk for 5 s',
      advice: "as a superuser: ALTER SYSTEM SET temp_file_limit = '1GB'; SELECT pg_reload_conf()",
      isOwn: false,
    })
  }
  if (!mayListFiles) {
    risks.push({
      name: 'temporary-file-list',
      what: 'the gateway cannot see temporary files, so a login may keep them for 15 min',
      advice: `as a superuser: GRANT EXECUTE ON FUNCTION pg_ls_tmpdir(oid) TO ${quotedName(rights.user)}`,
      isOwn: false,
    })
  }
  return risks
}

/** Risks that stop new logins: neither removed nor accepted. */
export function blockingRisks(
  risks: readonly OpenSqlRisk[],
  accepted: ReadonlySet<string>,
): readonly SqlRisk[] {
  return risks.map(({ name }) => name).filter((name) => !accepted.has(name))
}

/** Throws 503 if a login could do more than the operator accepts. The log has the statements for the operator. */
export function assertAccepted(risks: readonly OpenSqlRisk[], accepted: ReadonlySet<string>): void {
  const blocking = blockingRisks(risks, accepted)
  if (blocking.length === 0) return
  throw new ApiError('service_unavailable', {
    message: `SQL credentials are not available here: a login could do more than read (${blocking.join(', ')}). The command doctor shows the operator the statements that prevent this; the setting SQL_ACCEPTED_RISKS accepts it by name.`,
    cause: new Error(
      risks
        .filter(({ name }) => !accepted.has(name))
        .map(({ name, advice }) => `${name}: ${advice}`)
        .join('; '),
    ),
  })
}

/** The first names of a list, and the number of the others. */
export function shortList(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`
}
