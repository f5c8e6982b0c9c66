import { ApiError } from '../../../core/errors.js'
import { statement } from '../statement.js'
import { narrowPublicRights } from './public-rights.js'
import { quotedName, quotedText } from './quoted.js'
import { missingRights, RIGHTS, type RoleClient, type RoleRights } from './role-rights.js'
import { grantView, revokeView } from './role-statements.js'
import { SQL_SCHEMA } from './sql-roles.js'

export async function loadRights(client: Pick<RoleClient, 'rows'>): Promise<RoleRights> {
  const [rights] = await client.rows(RIGHTS)
  if (rights === undefined) throw new Error('the database returned no row about the current user')
  return rights
}

/** Throws 503 if the gateway's user lacks a right. Only the operator is told which one. */
export function assertRights(rights: RoleRights): void {
  const missing = missingRights(rights)
  if (missing.length === 0) return
  throw new ApiError('service_unavailable', {
    message:
      'SQL credentials are not available here: the database user of the gateway lacks a right. The command doctor shows the operator which one.',
    cause: new Error(missing.map(({ lack, grant }) => `${rights.user} ${lack}: ${grant}`).join('; ')),
  })
}

/**
 * Relations of the schema that the group may read but should not, or the other way round; none if the group does not
 * exist. Relations in $2 are granted to single roles.
 */
const MISTAKEN = statement(
  'lacks role',
  { name: 'text', isRead: 'bool' },
  `select * from (
     select c.relname::text as name, exists (
       select from aclexplode(c.relacl) x join pg_roles g on g.oid = x.grantee
       where g.rolname = $1 and x.privilege_type = 'SELECT') as "isRead"
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = '${SQL_SCHEMA}' and c.relkind in ('v', 'm') and exists (select from pg_roles where rolname = $1)
   ) as v where "isRead" = (name = any($2::text[])) order by 1`,
)

/** Creates the group of this database if it is missing, and lets it read only the views of the schema, except `scoped`. */
export async function prepareGroup(
  client: RoleClient,
  rights: RoleRights,
  scoped: readonly string[],
): Promise<void> {
  const group = quotedName(rights.group)
  if (!rights.hasGroup) {
    const comment = `Reads ${SQL_SCHEMA} of the database ${rights.database}; its members are made by the market-data gateway.`
    await client.script(`CREATE ROLE ${group} NOLOGIN`)
    await client.script(`COMMENT ON ROLE ${group} IS ${quotedText(comment)}`)
    await client.script(`GRANT USAGE ON SCHEMA ${SQL_SCHEMA} TO ${group}`)
    await client.script(`GRANT CONNECT ON DATABASE ${quotedName(rights.database)} TO ${group}`)
  }
  await setGroupViews(client, rights, scoped)
}

/** Lets an existing group read the views that migrations added or replaced, except `scoped`. */
async function setGroupViews(
  client: RoleClient,
  { group }: Pick<RoleRights, 'group'>,
  scoped: readonly string[],
): Promise<void> {
  for (const { name, isRead } of await client.rows(MISTAKEN, [group, scoped]))
    await client.script(isRead ? revokeView(name, group) : grantView(name, group))
}

/** Lets an existing group read the views of this version, and takes from PUBLIC what logins should not have. */
export async function renewRoles(client: RoleClient, scoped: readonly string[]): Promise<void> {
  const rights = await loadRights(client)
  if (!rights.hasGroup) return
  await setGroupViews(client, rights, scoped)
  await narrowPublicRights(client, rights)
}
