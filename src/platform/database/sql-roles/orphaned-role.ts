import type { Transaction } from '../database.js'
import { statement } from '../statement.js'
import { dropRole } from './role-statements.js'
import { runTogether } from './run-together.js'

const FOUND = statement(
  'lacks role',
  { isTaken: 'bool', isOrphaned: 'bool' },
  `select exists (select from pg_roles where rolname = $1) as "isTaken", exists (
     select from pg_roles r where r.rolname = $1 and not r.rolsuper and r.rolname ~ '^sql_[0-9a-f]{8}$'
       and not exists (select from pg_auth_members m join pg_roles g on g.oid = m.roleid
         where m.member = r.oid and (g.rolname !~ '^star_reader_\\d+$'
           or substring(g.rolname from '\\d+$') in (select oid::text from pg_database)))) as "isOrphaned"`,
)

/**
 * Removes a login role of a database that was dropped: roles belong to the server and stay. Returns whether the name is free
 * now; a role of an existing database is kept.
 */
export async function dropOrphanedRole(tx: Transaction, name: string): Promise<boolean> {
  const [found] = await tx.rows(FOUND, [name])
  if (found?.isTaken !== true) return true
  return found.isOrphaned && (await runTogether(tx, dropRole(name))) === null
}
