import type { Sql } from '../platform/database/database.js'
import { statement } from '../platform/database/statement.js'
import { type Finding, ok, problem } from './finding.js'

const ROLE = statement(
  'lacks catalogue',
  { name: 'name', isReadOnly: 'bool?', mayCreate: 'bool?', denied: '_text?' },
  `select current_user as name, current_setting('transaction_read_only') = 'on' as "isReadOnly",
     has_schema_privilege(current_schema(), 'CREATE') as "mayCreate",
     (select array_agg(c.relname::text order by c.relname) from pg_class as c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not (has_table_privilege(c.oid, 'SELECT') and has_table_privilege(c.oid, 'INSERT')
          and has_table_privilege(c.oid, 'UPDATE') and has_table_privilege(c.oid, 'DELETE'))) as denied`,
)

/** Maximum number of tables in a message. */
const MAX_NAMED = 5

/** Checks whether the role of DATABASE_URL may write and, for migrations, create tables. */
export async function checkRole(sql: Sql): Promise<Finding> {
  const [role] = await sql.rows(ROLE)
  if (role === undefined) throw new Error('the database returned no row about the current user')
  const { name, isReadOnly, mayCreate, denied } = role
  if (isReadOnly) {
    return problem(
      'role',
      'the database does not accept writes (a standby, or default_transaction_read_only)',
      'set DATABASE_URL to the primary, or reset default_transaction_read_only',
    )
  }
  if (denied !== null && denied.length > 0) {
    const more = denied.length > MAX_NAMED ? ` and ${denied.length - MAX_NAMED} more` : ''
    return problem(
      'role',
      `${name} may not read and write ${denied.slice(0, MAX_NAMED).join(', ')}${more}`,
      `make ${name} the owner of the tables, or GRANT SELECT, INSERT, UPDATE, DELETE on them`,
    )
  }
  if (!mayCreate) {
    return problem(
      'role',
      `${name} may not create tables: migrations of the next version would fail`,
      `GRANT CREATE ON SCHEMA public TO ${name}, or make it the owner of the schema`,
    )
  }
  return ok('role', `${name} may read, write and migrate`)
}
