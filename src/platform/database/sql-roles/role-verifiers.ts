import type { Sql } from '../database.js'
import { statement } from '../statement.js'
import { OWN_ROLES } from './sql-roles.js'

/** A login role and what PostgreSQL stores of its password. */
export interface RoleVerifier {
  readonly name: string
  /** SCRAM verifier; the password cannot be computed from it. */
  readonly verifier: string
}

const MAY_READ = statement(
  'lacks role',
  { mayRead: 'bool' },
  `select has_table_privilege('pg_catalog.pg_authid', 'SELECT') as "mayRead"`,
)

const VERIFIERS = statement(
  'lacks role',
  { name: 'text', verifier: 'text' },
  `select o.rolname::text as name, coalesce(a.rolpassword, '') as verifier
   from (${OWN_ROLES}) o join pg_authid a on a.oid = o.oid
   where o.rolcanlogin and a.rolpassword is not null order by 1`,
)

/** The verifiers of the login roles of this database; null if the gateway's user may not read them. */
export async function loadRoleVerifiers(sql: Sql): Promise<readonly RoleVerifier[] | null> {
  const [right] = await sql.rows(MAY_READ)
  return right?.mayRead === true ? sql.rows(VERIFIERS) : null
}
