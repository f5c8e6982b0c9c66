import { ApiError } from '../../../core/errors.js'
import type { Transaction } from '../database.js'
import { statement } from '../statement.js'
import { quotedName, quotedText } from './quoted.js'
import { missingRights, RIGHTS, type RoleRights } from './role-rights.js'
import { SQL_SCHEMA } from './sql-roles.js'

/** The connection of a transaction: roles are made and removed with the rows about them, or not at all. */
export type RoleClient = Pick<Transaction, 'rows' | 'script'>

export async function readRights(client: Pick<RoleClient, 'rows'>): Promise<RoleRights> {
  const [rights] = await client.rows(RIGHTS)
  if (rights === undefined) throw new Error('the database did not say who asks')
  return rights
}

/** 503 where the gateway's user lacks a right; what is missing is for the operator alone. */
export function refuseWithoutRights(rights: RoleRights): void {
  const missing = missingRights(rights)
  if (missing.length === 0) return
  throw new ApiError('service_unavailable', {
    message:
      'SQL credentials are not set up here: the database user of the gateway lacks a right. Its operator sees which one by the command doctor.',
    cause: new Error(missing.map(({ lack, grant }) => `${rights.user} ${lack}: ${grant}`).join('; ')),
  })
}

/** Relations of the schema that the group may not read yet; none as long as there is no group. */
const UNREAD = statement(
  { name: 'text' },
  `select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = '${SQL_SCHEMA}' and c.relkind in ('v', 'm') and exists (select from pg_roles where rolname = $1)
     and not exists (select from aclexplode(c.relacl) x join pg_roles g on g.oid = x.grantee
       where g.rolname = $1 and x.privilege_type = 'SELECT')
   order by 1`,
)

/** Makes the group of this database where it is missing, and lets it read each view of the schema, and nothing else. */
export async function prepareGroup(client: RoleClient, rights: RoleRights): Promise<void> {
  const group = quotedName(rights.group)
  if (!rights.hasGroup) {
    const comment = `Reads ${SQL_SCHEMA} of the database ${rights.database}; its members are made by the market-data gateway.`
    await client.script(`CREATE ROLE ${group} NOLOGIN`)
    await client.script(`COMMENT ON ROLE ${group} IS ${quotedText(comment)}`)
    await client.script(`GRANT USAGE ON SCHEMA ${SQL_SCHEMA} TO ${group}`)
    await client.script(`GRANT CONNECT ON DATABASE ${quotedName(rights.database)} TO ${group}`)
  }
  await grantViews(client, rights)
}

/** Lets the group, where there is one, read the views that migrations have added or replaced. */
export async function grantViews(client: RoleClient, { group }: Pick<RoleRights, 'group'>): Promise<void> {
  for (const { name } of await client.rows(UNREAD, [group])) {
    await client.script(`GRANT SELECT ON ${SQL_SCHEMA}.${quotedName(name)} TO ${quotedName(group)}`)
  }
}
