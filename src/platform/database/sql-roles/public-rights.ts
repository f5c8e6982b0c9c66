import { type RowIn, statement } from '../statement.js'
import { quotedName } from './quoted.js'
import type { RoleClient } from './role-group.js'
import type { RoleRights } from './role-rights.js'
import { SQL_SCHEMA } from './sql-roles.js'

/**
 * Functions by which every role may write, however little it was granted: large objects, and messages into the write-ahead
 * log. The gateway uses none of them.
 */
const WRITING_FUNCTIONS = [
  'lo_creat',
  'lo_create',
  'lo_from_bytea',
  'lo_put',
  'lowrite',
  'lo_truncate',
  'lo_truncate64',
  'pg_logical_emit_message',
] as const

const NAMED = WRITING_FUNCTIONS.map((name) => `'${name}'`).join(', ')

/** What PUBLIC, and so every SQL role, may do beyond reading the schema. */
const PUBLIC_RIGHTS = statement(
  {
    mayMakeTemporary: 'bool',
    mayCreateInPublic: 'bool',
    ownsPublic: 'bool',
    functions: '_text',
    relations: '_text',
    databases: '_text',
    hasFileLimit: 'bool',
  },
  `select has_database_privilege('public', current_database(), 'TEMPORARY') as "mayMakeTemporary",
     exists (select from pg_namespace where nspname = 'public'
       and has_schema_privilege('public', oid, 'CREATE')) as "mayCreateInPublic",
     exists (select from pg_namespace where nspname = 'public'
       and pg_has_role(current_user, nspowner, 'USAGE')) as "ownsPublic",
     array(select p.oid::regprocedure::text from pg_proc p
       where p.pronamespace = 'pg_catalog'::regnamespace and p.proname in (${NAMED})
         and has_function_privilege('public', p.oid, 'EXECUTE') order by 1) as functions,
     array(select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', '${SQL_SCHEMA}')
         and has_schema_privilege('public', n.oid, 'USAGE')
         and has_table_privilege('public', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') order by 1) as relations,
     array(select d.datname::text from pg_database d
       where d.datallowconn and d.datname <> current_database()
         and has_database_privilege('public', d.oid, 'CONNECT') order by 1) as databases,
     current_setting('temp_file_limit') <> '-1' as "hasFileLimit"`,
)

export type PublicRights = RowIn<typeof PUBLIC_RIGHTS>

export async function readPublicRights(client: Pick<RoleClient, 'rows'>): Promise<PublicRights> {
  const [rights] = await client.rows(PUBLIC_RIGHTS)
  if (rights === undefined) throw new Error('the database did not say what PUBLIC may do')
  return rights
}

/** A right of PUBLIC that SQL roles should not have, and the statements that take it. */
export interface PublicRight {
  readonly what: string
  readonly statements: readonly string[]
  /** Whether the gateway's own user may run them: it keeps the right itself. */
  readonly isOwn: boolean
}

/** Rights of PUBLIC in this database by which an SQL role could write. */
export function writingRights(publicRights: PublicRights, rights: RoleRights): readonly PublicRight[] {
  const { mayMakeTemporary, mayCreateInPublic, ownsPublic, functions } = publicRights
  const database = quotedName(rights.database)
  const user = quotedName(rights.user)
  return [
    {
      isThere: mayMakeTemporary,
      what: 'temporary tables and functions',
      statements: [
        `GRANT TEMPORARY ON DATABASE ${database} TO ${user}`,
        `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`,
      ],
      isOwn: rights.ownsDatabase,
    },
    {
      isThere: mayCreateInPublic,
      what: 'objects in the schema public',
      statements: [`GRANT CREATE ON SCHEMA public TO ${user}`, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC'],
      isOwn: ownsPublic,
    },
    {
      isThere: functions.length > 0,
      what: 'large objects and messages into the write-ahead log',
      statements: [`REVOKE EXECUTE ON FUNCTION ${functions.join(', ')} FROM PUBLIC`],
      isOwn: rights.isSuperuser,
    },
  ].flatMap(({ isThere, ...right }) => (isThere ? [right] : []))
}

/** Takes from PUBLIC what the gateway's user may take; the rest is for the operator, whom `doctor` tells. */
export async function narrowPublicRights(client: RoleClient, rights: RoleRights): Promise<void> {
  for (const { isOwn, statements } of writingRights(await readPublicRights(client), rights)) {
    if (!isOwn) continue
    for (const text of statements) await client.script(text)
  }
}
