import type { Database, Sql } from '../../../src/platform/database/database.js'

/** What a database holds, to see what a test has changed in it and to take that back. */
export interface Contents {
  /** Hash of what is declared: relations, columns, constraints, triggers, functions, settings and rights. */
  readonly declared: string
  readonly tables: readonly TableContents[]
  readonly sequences: readonly SequenceState[]
  /** Tables that were never analysed. */
  readonly unanalysed: readonly string[]
}

interface TableContents {
  readonly name: string
  readonly rows: number
  /** The newest transaction that wrote one of its rows; "0" without rows. */
  readonly writer: string
  /** Its rows as JSON, where they are few. */
  readonly kept: string | null
  /** Whether its file has pages; without rows, they are of removed ones or of a transaction that was rolled back. */
  readonly hasPages: boolean
}

interface SequenceState {
  readonly name: string
  /** The last value; null for one that was never asked. */
  readonly value: string | null
}

/** Rows of a table that are kept, so that they may be written again. */
const FEW_ROWS = 200

export async function contentsOf(sql: Sql): Promise<Contents> {
  const [declaration] = await sql.rows<{ hash: string }>(DECLARED)
  const names = await sql.rows<{ name: string }>(TABLES)
  const tables = await tablesOf(sql, names)
  const sequences = await sql.rows<SequenceState>(SEQUENCES)
  const unanalysed = (await sql.rows<{ name: string }>(UNANALYSED)).map(({ name }) => name)
  return { declared: declaration?.hash ?? '', tables, sequences, unanalysed }
}

function tablesOf(sql: Sql, names: readonly { readonly name: string }[]): Promise<readonly TableContents[]> {
  return sql.rows<TableContents>(names.map(({ name }) => countOf(name)).join(' union all '))
}

function countOf(name: string): string {
  return `select '${name}' as name, count(*)::int as rows, coalesce(max(xmin::text::int8), 0)::text as writer,
      case when count(*) between 1 and ${FEW_ROWS} then (select json_agg(t)::text from "${name}" as t) end as kept,
      pg_relation_size('"${name}"') > 0 as "hasPages"
    from "${name}"`
}

/**
 * Takes back what was written since `before`. Answers the contents then; null where that cannot be: something else is
 * declared, or a table that had many rows was written.
 */
export async function takenBack(database: Database, before: Contents): Promise<Contents | null> {
  const now = await contentsOf(database)
  if (now.declared !== before.declared || now.tables.length !== before.tables.length) return null
  const written = now.tables.flatMap((table, at) => {
    const was = before.tables[at]
    const isSame = was === undefined || (was.rows === table.rows && was.writer === table.writer)
    return isSame ? [] : [was]
  })
  const moved = before.sequences.filter(({ value }, at) => now.sequences[at]?.value !== value)
  if (written.some(({ rows, kept }) => rows > 0 && kept === null)) return null
  if (written.length > 0 || moved.length > 0) await takeBack(database, written, moved)
  const emptied = now.tables.filter(({ rows, hasPages }) => rows === 0 && hasPages)
  const names = [...new Set([...written, ...emptied].map(({ name }) => `"${name}"`))]
  // Analysed too, because autovacuum would else do it later for the removed rows.
  if (names.length > 0) await analyse(database, names)
  await database.rows(FORGET_STATISTICS, [before.unanalysed])
  if (written.length === 0) return before
  const renewed = new Map((await tablesOf(database, written)).map((table) => [table.name, table]))
  return { ...before, tables: before.tables.map((table) => renewed.get(table.name) ?? table) }
}

/** The connection's own counts of changes first: sent later, as they are once a second, they would count as new ones. */
export async function analyse(sql: Sql, names: readonly string[]): Promise<void> {
  await sql.rows('select pg_stat_force_next_flush()')
  await sql.rows(`vacuum analyze ${names.join(', ')}`)
}

function takeBack(
  database: Database,
  written: readonly TableContents[],
  moved: readonly SequenceState[],
): Promise<void> {
  return database.transaction(async (tx) => {
    // In any order of the tables, and without what triggers would write.
    await tx.script('set local session_replication_role to replica')
    for (const { name, kept } of written) {
      await tx.rows(`delete from "${name}"`)
      if (kept !== null) await tx.rows(insertInto(name), [kept])
    }
    for (const { name, value } of moved)
      await tx.rows('select setval($1::regclass, coalesce($2::int8, 1), $2::int8 is not null)', [name, value])
  })
}

function insertInto(name: string): string {
  return `insert into "${name}" overriding system value
    select * from json_populate_recordset(null::"${name}", $1::json)`
}

const TABLES = `select relname::text as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`

const UNANALYSED = `select relname::text as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and reltuples < 0 order by 1`

/**
 * The empty tables among those in $1 are as new ones again, of unknown size. To the planner a table without rows when it was analysed stays
 * empty, however many rows it gets, until it is analysed again.
 */
const FORGET_STATISTICS = `with known as (
    update pg_class set reltuples = -1, relpages = 0
    where relnamespace = 'public'::regnamespace and relname = any($1::text[]) and reltuples >= 0 and relpages <= 0
    returning oid
  )
  delete from pg_statistic where starelid in (select oid from known)`

const SEQUENCES = `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
  from pg_sequences order by 1`

// Tables that live as long as a transaction come and go; roles belong to the server, so only those of this database count.
const DECLARED = `select md5(string_agg(part, ' ' order by part)) as hash from (
  select concat_ws(',', 'relation', c.oid, c.relnamespace, c.relname, c.relkind, c.relacl::text, c.reloptions::text) as part
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relpersistence <> 't' and n.nspname not like 'pg\\_%'
  union all
  select concat_ws(',', 'column', a.attrelid, a.attname, a.atttypid, a.attnotnull, a.attacl::text)
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
  union all select concat_ws(',', 'constraint', oid, convalidated) from pg_constraint
  union all select concat_ws(',', 'trigger', oid, tgenabled) from pg_trigger
  union all select concat_ws(',', 'function', oid, md5(prosrc), proacl::text) from pg_proc where oid >= 16384
  union all select concat_ws(',', 'schema', oid, nspname, nspacl::text) from pg_namespace where nspname not like 'pg\\_%'
  union all
  select concat_ws(',', 'setting', s.setrole, s.setconfig::text) from pg_db_role_setting s
    join pg_database b on b.oid = s.setdatabase where b.datname = current_database()
  union all
  select concat_ws(',', 'role', r.rolname) from pg_roles r
    join pg_database b on b.datname = current_database() and r.rolname = 'star_reader_' || b.oid
) as declared`
