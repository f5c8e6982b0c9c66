import type { Database, Sql } from '../database/database.js'
import { statement } from '../database/statement.js'
import { STAGED_PREFIX, STAGED_SLICE_ROWS } from './staged-tables.js'
import { yieldAfter } from './yield-after.js'

/** Staged tables; those that were published have a parent and its columns. */
const LEFT = statement(
  'lacks catalogue',
  { name: 'name', parent: 'text?', columns: 'text?' },
  `select c.relname as name, i.inhparent::regclass::text as parent,
     (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute as a
       where a.attrelid = i.inhparent and a.attnum > 0 and not a.attisdropped) as columns
   from pg_class as c left join pg_inherits as i on i.inhrelid = c.oid
   where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and starts_with(c.relname, $1)`,
)

/**
 * Cleans up after a killed process: published staged rows move into their table, unpublished ones are removed.
 */
export async function settleStaged(database: Database): Promise<void> {
  for (const { name } of await database.rows(LEFT, [STAGED_PREFIX])) await settleStagedTable(database, name)
}

/** The same for one table. A reader finds each row once, before, while and after it moves. */
export async function settleStagedTable(database: Database, name: string): Promise<void> {
  const left = await database.rows(LEFT, [name])
  const table = left.find((other) => other.name === name)
  if (table === undefined) return
  if (table.parent !== null) {
    const move = moveStatement(name, table.parent, table.columns ?? '')
    while ((await yieldAfter(() => movedBy(database, move))) > 0);
  }
  await database.rows(`drop table ${name}`)
}

function moveStatement(from: string, to: string, columns: string): string {
  return `with moved as (
      delete from only ${from} where ctid = any(array(select ctid from only ${from} limit ${STAGED_SLICE_ROWS}))
      returning ${columns}
    ), written as (
      insert into ${to} (${columns}) select ${columns} from moved
    ) select count(*)::int as count from moved`
}

/** Not declared: its table exists during a run only. */
async function movedBy(sql: Sql, move: string): Promise<number> {
  const [moved] = (await sql.rows(move)) as readonly { readonly count: number }[]
  return moved?.count ?? 0
}
