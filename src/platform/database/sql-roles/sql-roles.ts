import type { Sql } from '../database.js'
import { type RowIn, statement } from '../statement.js'

/** The one schema that SQL roles read. */
export const SQL_SCHEMA = 'star_public'

/** Login roles that the gateway makes: the prefix and 8 hexadecimal digits. */
const ROLE_NAME = /^sql_[0-9a-f]{8}$/

/** Whether a name has the format of the gateway's login roles. */
export function isSqlRoleName(name: string): boolean {
  return ROLE_NAME.test(name)
}

/**
 * SQL of the name of the group role. Roles belong to the whole server, so each database has its own group, named after the
 * database's oid, which a copy of the database does not share.
 */
export const GROUP_NAME = `'star_reader_' || (select oid from pg_database where datname = current_database())`

/**
 * SQL of the login roles that the gateway created for this database: direct members of the group with a name of that format.
 * Only administrators of the group can add members, so no other role is mistaken for one of these.
 */
export const OWN_ROLES = `select r.* from pg_roles r
  where r.rolname ~ '^sql_[0-9a-f]{8}$' and not r.rolsuper and exists (
    select from pg_auth_members m join pg_roles g on g.oid = m.roleid
    where m.member = r.oid and g.rolname = ${GROUP_NAME})`

const READ = statement(
  'lacks role',
  {
    name: 'text',
    canLogin: 'bool',
    /** Whether its expiry has passed. */
    isExpired: 'bool',
    /** Whether the gateway may see and end its sessions. */
    isManaged: 'bool',
    sessions: 'int4',
    /** Latest activity of its sessions; null without sessions, or if the gateway may not see them. */
    seenAt: 'timestamptz?',
    /** Views of the schema that are granted to the role itself. */
    views: '_text',
  },
  `select o.rolname::text as name, o.rolcanlogin is true as "canLogin",
     coalesce(o.rolvaliduntil <= clock_timestamp(), false) as "isExpired",
     pg_has_role(current_user, o.oid, 'USAGE') as "isManaged",
     coalesce(s.sessions, 0) as sessions, s.seen_at as "seenAt", coalesce(v.views, '{}') as views
   from (${OWN_ROLES}) o left join (
     select usesysid, count(*)::int as sessions, max(greatest(backend_start, state_change)) as seen_at
     from pg_stat_activity where backend_type = 'client backend' group by usesysid) s on s.usesysid = o.oid
     left join (
     select x.grantee, array_agg(c.relname::text order by c.relname) as views
     from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join lateral aclexplode(c.relacl) x
     where n.nspname = '${SQL_SCHEMA}' and x.privilege_type = 'SELECT' group by x.grantee) v on v.grantee = o.oid`,
)

/** A login role of this database on the server. */
export type SqlRole = RowIn<typeof READ>

/** All login roles that the gateway created for this database. */
export function loadSqlRoles(sql: Sql): Promise<readonly SqlRole[]> {
  return sql.rows(READ)
}
