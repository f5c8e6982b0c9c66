import type { Transaction } from '../database.js'
import { type RowIn, statement } from '../statement.js'
import { quotedName } from './quoted.js'
import { GROUP_NAME, SQL_SCHEMA } from './sql-roles.js'

/** The connection of a transaction: roles are created and removed together with the rows about them. */
export type RoleClient = Pick<Transaction, 'rows' | 'script'>

const OF_SCHEMA = `n.nspname = '${SQL_SCHEMA}' and pg_has_role(current_user, n.nspowner, 'USAGE')
  and not exists (select from pg_class c where c.relnamespace = n.oid and c.relkind in ('v', 'm', 'r', 'p')
    and not pg_has_role(current_user, c.relowner, 'USAGE'))`

/** The rights of the gateway's own user over roles. Texts and booleans only, so that each client reads the same values. */
export const RIGHTS = statement(
  'lacks role',
  {
    user: 'text',
    database: 'text',
    group: 'text',
    isSuperuser: 'bool',
    mayCreateRoles: 'bool',
    inherits: 'bool',
    hasGroup: 'bool',
    mayGrantGroup: 'bool',
    ownsSchema: 'bool',
    ownsDatabase: 'bool',
  },
  `select r.rolname::text as user, d.datname::text as database, ${GROUP_NAME} as group, r.rolsuper is true as "isSuperuser",
     r.rolcreaterole is true as "mayCreateRoles", r.rolinherit is true as inherits, g.oid is not null as "hasGroup",
     g.oid is null or r.rolsuper or current_setting('server_version_num')::int < 160000
       or pg_has_role(current_user, g.oid, 'MEMBER WITH ADMIN OPTION') as "mayGrantGroup",
     exists (select from pg_namespace n where ${OF_SCHEMA}) as "ownsSchema",
     pg_has_role(current_user, d.datdba, 'USAGE') as "ownsDatabase"
   from pg_roles r join pg_database d on d.datname = current_database()
     left join pg_roles g on g.rolname = ${GROUP_NAME}
   where r.rolname = current_user`,
)

export type RoleRights = RowIn<typeof RIGHTS>

/** A right that creating SQL roles needs and the gateway's user lacks, and the statement that grants it. */
export interface MissingRight {
  readonly lack: string
  readonly grant: string
}

/** Empty if SQL roles can be created. */
export function missingRights(rights: RoleRights): readonly MissingRight[] {
  const user = quotedName(rights.user)
  const missing: MissingRight[] = []
  if (!rights.isSuperuser && !rights.mayCreateRoles) {
    missing.push({ lack: 'may not create roles', grant: `ALTER ROLE ${user} CREATEROLE` })
  }
  if (!rights.isSuperuser && !rights.inherits) {
    missing.push({ lack: 'does not inherit from roles', grant: `ALTER ROLE ${user} INHERIT` })
  }
  if (!rights.mayGrantGroup) {
    const grant = `GRANT ${quotedName(rights.group)} TO ${user} WITH ADMIN OPTION`
    missing.push({ lack: `may not add members to ${rights.group}`, grant })
  }
  if (!rights.ownsSchema) {
    const grant = `ALTER SCHEMA ${SQL_SCHEMA} OWNER TO ${user}, and the same for its views`
    missing.push({ lack: `does not own the schema ${SQL_SCHEMA} with its views`, grant })
  }
  return missing
}
