import type { Database, Sql, Transaction } from '../database/database.js'
import { incomingRows, knownFromText, newParameters } from './incoming-rows.js'
import {
  columnList,
  givenKeys,
  type Known,
  keyArrays,
  namedValuesBeside,
  type SeriesTable,
  sameKey,
  valuesBeside,
  type WriteCounts,
} from './series-table.js'
import { settleStagedTable } from './settle-staged.js'
import { STAGED_SLICE_ROWS, toStagedName } from './staged-tables.js'
import type { Undone } from './undo-rows.js'
import { yieldAfter } from './yield-after.js'

/** The changes of a run to a table. They cannot be read before `publish` is committed. */
export interface StagedRows<Row> {
  /**
   * Compares rows with the current ones and stages those that are new or changed, in short transactions. Counts as
   * `seriesWriter` does. A key that is already staged is compared with its staged row, and the last row wins.
   */
  add(rows: readonly Row[], known: Known): Promise<WriteCounts>
  /** Removes the staged rows with the keys of these rows, so the rows known before stay current. */
  undo(rows: readonly Row[]): Promise<Undone>
  /**
   * Closes the revised rows and makes the staged ones part of the table, in the transaction of the run. Its time depends on
   * the rows that are closed, not on those that are added.
   */
  publish(tx: Transaction): Promise<void>
  /**
   * After the run: moves published rows into the table, slice by slice, and drops unpublished ones. The next start settles
   * what a killed process leaves.
   */
  settle(): Promise<void>
}

/**
 * Starts a run that changes the table in one short transaction at its end, for a database with a single session that
 * others wait for (PGlite). `replaced` is a source whose rows the run removes before it publishes; rows are not compared
 * with it; null for none. Callers ensure that one run at a time writes to the table.
 */
export type StageSeries<Row> = (database: Database, replaced: string | null) => Promise<StagedRows<Row>>

/** A table that can be staged: what `seriesWriter` takes, without the columns that only partitioned or cumulative ones have. */
type StagableTable<Row> = SeriesTable<Row, Record<never, never>> & {
  readonly monotonicBy?: never
  readonly rangeOf?: never
  readonly isWithdrawable?: false
}

export function stagedSeries<Row>(table: StagableTable<Row>): StageSeries<Row> {
  const staged = toStagedName(table.name)
  const { text, parameters } = stageStatement(table, staged)
  return async (database, replaced) => {
    await settleStagedTable(database, staged)
    await database.rows(
      `create table ${staged} (like ${table.name} including all, replaced_from timestamptz)`,
    )
    let stagedRows = 0
    let revisedRows = 0
    const add = async (slice: readonly Row[], known: Known): Promise<WriteCounts> => {
      const values = parameters.map((parameter) => parameter.of(slice, known))
      const [counts] = await yieldAfter(() =>
        database.transaction((tx) => countsOf(tx, text, [...values, replaced])),
      )
      if (counts === undefined) throw new Error(`staging for ${table.name} gave no counts`)
      stagedRows += counts.added + counts.revised
      revisedRows += counts.revised
      return counts
    }
    return {
      add: async (rows, known) => {
        const total = { added: 0, revised: 0, unchanged: 0 }
        for (let start = 0; start < rows.length; start += STAGED_SLICE_ROWS) {
          const { added, revised, unchanged } = await add(rows.slice(start, start + STAGED_SLICE_ROWS), known)
          total.added += added
          total.revised += revised
          total.unchanged += unchanged
        }
        return total
      },
      undo: (rows) => yieldAfter(() => database.transaction((tx) => undoStaged(tx, table, staged, rows))),
      publish: async (tx) => {
        if (revisedRows > 0) await tx.rows(closeStatement(table, staged))
        if (stagedRows > 0) await tx.rows(`alter table ${staged} inherit ${table.name}`)
      },
      settle: () => settleStagedTable(database, staged),
    }
  }
}

async function undoStaged<Row>(
  sql: Sql,
  { key }: SeriesTable<Row>,
  staged: string,
  rows: readonly Row[],
): Promise<Undone> {
  const [undone] = (await sql.rows(
    `with undone as (
       delete from ${staged} as t using (${givenKeys(key, 1)}) as k where ${sameKey(key, 't', 'k')}
       returning t.replaced_from
     )
     select count(*) filter (where replaced_from is null)::int as added,
       count(*) filter (where replaced_from is not null)::int as revised
     from undone`,
    keyArrays(key, rows),
  )) as readonly Undone[] // not declared: its table exists during a run only
  return undone ?? { added: 0, revised: 0 }
}

/** Not declared: its table exists during a run only. */
async function countsOf(sql: Sql, text: string, values: readonly unknown[]) {
  return (await sql.rows(text, values)) as readonly WriteCounts[]
}

/** As the statement of `seriesWriter`, into the staged table; the last parameter is the source that is replaced. */
function stageStatement<Row>(table: SeriesTable<Row>, staged: string) {
  const { name, key, values, notes } = table
  const { all: parameters, add: parameter } = newParameters<Row>()
  const incoming = incomingRows(table, parameter)
  const knownFrom = knownFromText(table, parameter)
  const replaced = `$${parameters.length + 1}::text`
  const stored = columnList([...key, ...values, ...notes])
  const differs = `(${valuesBeside(values, 'i', 'b').join(', ')}) is distinct from (${columnList(values, 'b')})`
  const before = values.map(
    ({ name: column }) => `case when p.known_from is null then s.${column} else p.${column} end as ${column}`,
  )
  const changed = [...values, ...notes].map((column) => `${column.name} = excluded.${column.name}`).join(', ')
  const text = `
  with incoming as (
    ${incoming}
  ), compared as (
    select ${columnList([...key, ...notes], 'i')}, ${namedValuesBeside(values, 'i', 'b')}, s.known_from as replaced_from,
      ${knownFrom} as known_at,
      p.known_from is null and s.known_from is null as is_added,
      (p.known_from is not null or s.known_from is not null) and ${differs} as is_revised
    from incoming as i left join lateral (
      select t.known_from, ${columnList(values, 't')} from ${name} as t
      where ${sameKey(key, 't', 'i')} and t.known_to is null and t.source is distinct from ${replaced} limit 1
    ) as s on true left join lateral (
      select t.known_from, ${columnList(values, 't')} from ${staged} as t where ${sameKey(key, 't', 'i')} limit 1
    ) as p on true cross join lateral (select ${before.join(', ')}) as b
  ), written as (
    insert into ${staged} (${stored}, known_from, replaced_from)
    select ${stored}, known_at, replaced_from from compared where is_added or is_revised
    on conflict (${columnList(key)}) where known_to is null do update set ${changed}
  )
  select count(*) filter (where is_added)::int as added, count(*) filter (where is_revised)::int as revised,
    count(*) filter (where not is_added and not is_revised)::int as unchanged
  from compared`
  return { text, parameters }
}

function closeStatement<Row>({ name, key }: SeriesTable<Row>, staged: string): string {
  return `update ${name} as t set known_to = s.known_from from ${staged} as s
    where s.replaced_from is not null and ${sameKey(key, 't', 's')} and t.known_from = s.replaced_from`
}
