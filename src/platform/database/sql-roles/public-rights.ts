import { type RowIn, statement } from '../statement.js'
import { quotedName } from './quoted.js'
import type { RoleClient, RoleRights } from './role-rights.js'
import type { SqlRisk } from './sql-risk-names.js'
import { SQL_SCHEMA } from './sql-roles.js'

/**
 * Functions of PostgreSQL that every role may call by default, grouped by what they would allow an SQL role. The gateway's
 * user keeps those that it needs.
 */
const FUNCTIONS = {
  writing: [
    'lo_creat',
    'lo_create',
    'lo_from_bytea',
    'lo_put',
    'lowrite',
    'lo_truncate',
    'lo_truncate64',
    'pg_logical_emit_message',
  ],
  storing: ['set_config', 'pg_notify'],
  counting: [
    ...['live_tuples', 'dead_tuples', 'tuples_inserted', 'tuples_updated', 'tuples_deleted'],
    ...['tuples_hot_updated', 'tuples_newpage_updated', 'tuples_returned', 'tuples_fetched', 'numscans'],
    ...['blocks_fetched', 'blocks_hit', 'mod_since_analyze', 'ins_since_vacuum'],
  ].map((counter) => `pg_stat_get_${counter}`),
  sizing: ['pg_relation_size', 'pg_table_size', 'pg_indexes_size', 'pg_total_relation_size'],
  naming: ['pg_stat_get_activity', 'pg_stat_get_backend_userid'],
} as const satisfies Record<string, readonly string[]>

/** Relations of the catalogue that name every role of the server. */
const NAMING_RELATIONS = ['pg_roles', 'pg_user', 'pg_group', 'pg_auth_members', 'pg_db_role_setting'] as const

/** Columns of pg_class that show about how many rows a table has. */
const COUNTING_COLUMNS = ['reltuples', 'relpages', 'relallvisible', 'relallfrozen'] as const

const texts = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')

/** SQL of the signatures of functions that PUBLIC may call. */
const callable = (names: readonly string[]) => `array(select p.oid::regprocedure::text from pg_proc p
  where p.pronamespace = 'pg_catalog'::regnamespace and p.proname in (${texts(names)})
    and has_function_privilege('public', p.oid, 'EXECUTE') order by 1)`

/** What PUBLIC, and so every SQL role, may do beyond reading the schema. */
const PUBLIC_RIGHTS = statement(
  'lacks role',
  {
    mayMakeTemporary: 'bool',
    mayCreateInPublic: 'bool',
    ownsPublic: 'bool',
    writing: '_text',
    storing: '_text',
    counting: '_text',
    naming: '_text',
    namingRelations: '_text',
    countingColumns: 'bool',
    classColumns: '_text',
    languages: '_text',
    ownsLanguages: 'bool',
    relations: '_text',
    databases: '_text',
    hasFileLimit: 'bool',
    mayListFiles: 'bool',
  },
  `select has_database_privilege('public', current_database(), 'TEMPORARY') as "mayMakeTemporary",
     exists (select from pg_namespace where nspname = 'public'
       and has_schema_privilege('public', oid, 'CREATE')) as "mayCreateInPublic",
     exists (select from pg_namespace where nspname = 'public'
       and pg_has_role(current_user, nspowner, 'USAGE')) as "ownsPublic",
     ${callable(FUNCTIONS.writing)} as writing, ${callable(FUNCTIONS.storing)} as storing,
     ${callable([...FUNCTIONS.counting, ...FUNCTIONS.sizing])} as counting, ${callable(FUNCTIONS.naming)} as naming,
     array(select c.relname::text from pg_class c
       where c.relnamespace = 'pg_catalog'::regnamespace and c.relname in (${texts(NAMING_RELATIONS)})
         and has_table_privilege('public', c.oid, 'SELECT') order by 1) as "namingRelations",
     has_column_privilege('public', 'pg_catalog.pg_class', 'reltuples', 'SELECT') as "countingColumns",
     array(select a.attname::text from pg_attribute a
       where a.attrelid = 'pg_catalog.pg_class'::regclass and not a.attisdropped
         and a.attname not in (${texts(COUNTING_COLUMNS)}) order by a.attnum) as "classColumns",
     array(select l.lanname::text from pg_language l
       where l.lanpltrusted and l.laninline <> 0 and has_language_privilege('public', l.oid, 'USAGE')
       order by 1) as languages,
     not exists (select from pg_language l where l.lanpltrusted and l.laninline <> 0
       and not pg_has_role(current_user, l.lanowner, 'USAGE')) as "ownsLanguages",
     array(select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', '${SQL_SCHEMA}')
         and has_schema_privilege('public', n.oid, 'USAGE')
         and has_table_privilege('public', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') order by 1) as relations,
     array(select d.datname::text from pg_database d
       where d.datallowconn and d.datname <> current_database()
         and has_database_privilege('public', d.oid, 'CONNECT') order by 1) as databases,
     current_setting('temp_file_limit') <> '-1' as "hasFileLimit",
     has_function_privilege('pg_ls_tmpdir(oid)', 'EXECUTE') as "mayListFiles"`,
)

export type PublicRights = RowIn<typeof PUBLIC_RIGHTS>

export async function loadPublicRights(client: Pick<RoleClient, 'rows'>): Promise<PublicRights> {
  const [rights] = await client.rows(PUBLIC_RIGHTS)
  if (rights === undefined) throw new Error('the database returned no row about the rights of PUBLIC')
  return rights
}

/** A right of PUBLIC that SQL roles should not have, and the statements that revoke it. */
export interface PublicRight {
  readonly name: SqlRisk
  /** What the right allows every login. */
  readonly what: string
  readonly statements: readonly string[]
  /** Whether the gateway's own user may run the statements; it keeps the right itself. */
  readonly isOwn: boolean
}

/** Rights of PUBLIC in this database by which an SQL role could write, use up memory and disk, or read about other logins. */
export function excessRights(publicRights: PublicRights, rights: RoleRights): readonly PublicRight[] {
  const { isSuperuser } = rights
  const { writing, storing, counting, naming, namingRelations } = publicRights
  // Roles that monitor the server keep their read access.
  const readers = `${quotedName(rights.user)}, pg_monitor`
  const narrowed = (privilege: string, on: string, keepers: string) => [
    `GRANT ${privilege} ON ${on} TO ${keepers}`,
    `REVOKE ${privilege} ON ${on} FROM PUBLIC`,
  ]
  const functions = (names: readonly string[], keepers: string) =>
    names.length === 0 ? [] : narrowed('EXECUTE', `FUNCTION ${names.join(', ')}`, keepers)
  const user = quotedName(rights.user)
  const found: readonly PublicRight[] = [
    ...ownRights(publicRights, rights),
    {
      name: 'large-objects',
      what: 'create large objects and write messages into the write-ahead log',
      statements:
        writing.length === 0 ? [] : [`REVOKE EXECUTE ON FUNCTION ${writing.join(', ')} FROM PUBLIC`],
      isOwn: isSuperuser,
    },
    {
      name: 'settings-and-notifications',
      what: 'keep large settings in a session and fill the queue of notifications',
      statements: functions(storing, user),
      isOwn: isSuperuser,
    },
    {
      name: 'row-counts',
      what: 'read how many rows every table has',
      statements: [...functions(counting, readers), ...classStatements(publicRights, readers)],
      isOwn: isSuperuser,
    },
    {
      name: 'role-names',
      what: 'read the names of all roles',
      statements: [
        ...functions(naming, readers),
        ...(namingRelations.length === 0 ? [] : narrowed('SELECT', namingRelations.join(', '), readers)),
      ],
      isOwn: isSuperuser,
    },
  ]
  return found.filter(({ statements }) => statements.length > 0)
}

/** Rights that the owner of the database, of the schema or of a language may revoke. */
function ownRights(publicRights: PublicRights, rights: RoleRights): readonly PublicRight[] {
  const { mayMakeTemporary, mayCreateInPublic, ownsPublic, languages, ownsLanguages } = publicRights
  const user = quotedName(rights.user)
  const taken = (isThere: boolean, privilege: string, on: string) =>
    isThere ? [`GRANT ${privilege} ON ${on} TO ${user}`, `REVOKE ${privilege} ON ${on} FROM PUBLIC`] : []
  return [
    {
      name: 'temporary-tables',
      what: 'create temporary tables and functions',
      statements: taken(mayMakeTemporary, 'TEMPORARY', `DATABASE ${quotedName(rights.database)}`),
      isOwn: rights.ownsDatabase,
    },
    {
      name: 'schema-public',
      what: 'create objects in the schema public',
      statements: taken(mayCreateInPublic, 'CREATE', 'SCHEMA public'),
      isOwn: ownsPublic,
    },
    {
      name: 'languages',
      what: 'run programs in a language of the server (DO), which can fill its log',
      statements: taken(languages.length > 0, 'USAGE', `LANGUAGE ${languages.map(quotedName).join(', ')}`),
      isOwn: ownsLanguages,
    },
  ]
}

/** All columns of pg_class stay readable except those that count rows: clients list tables by the others. */
function classStatements(
  { countingColumns, classColumns }: PublicRights,
  readers: string,
): readonly string[] {
  if (!countingColumns) return []
  return [
    `GRANT SELECT ON pg_class TO ${readers}`,
    'REVOKE SELECT ON pg_class FROM PUBLIC',
    `GRANT SELECT (${classColumns.join(', ')}) ON pg_class TO PUBLIC`,
  ]
}

/** Revokes from PUBLIC what the gateway's user may revoke. `loadSqlRisks` returns the rest. */
export async function narrowPublicRights(client: RoleClient, rights: RoleRights): Promise<void> {
  for (const { isOwn, statements } of excessRights(await loadPublicRights(client), rights)) {
    if (!isOwn) continue
    for (const text of statements) await client.script(text)
  }
}
