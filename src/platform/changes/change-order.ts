import type { ChangePosition } from '../../core/change-position.js'
import type { Transaction } from '../database/database.js'
import type { Condition } from '../database/where-given.js'

/** The tables of changes. Their rows have one order, by `computed_at` and `diff_id`, which one sequence numbers. */
const CHANGE_TABLES = ['analysis_change', 'corporate_action_change'] as const

export type ChangeTable = (typeof CHANGE_TABLES)[number]

/** SQL: the order of changes `c`, the newest first. */
export const NEWEST_CHANGES_FIRST = 'order by c.computed_at desc, c.diff_id desc'

/**
 * Lets one writer append changes until the end of the transaction. Together with `COMPUTED_AT` this makes positions rise
 * with every commit, so that a reader behind a position misses nothing.
 */
export async function lockChangeOrder(tx: Transaction): Promise<void> {
  await tx.rows("select pg_advisory_xact_lock(hashtext('analysis append'))::text")
}

/** SQL: when a change is computed that is appended at the instant `$2`, no earlier than all changes before it. */
const COMPUTED_AT = `greatest($2::timestamptz, ${CHANGE_TABLES.map((table) => `(select max(computed_at) from ${table})`).join(', ')})`

interface AppendedChanges {
  readonly table: ChangeTable
  /** The two columns by which places of changes are numbered. */
  readonly kinds: readonly [string, string]
  /** Places are numbered for each source, `$3`, too. */
  readonly isOfOneSource: boolean
  /** SQL: the changes with a `number` that orders them. */
  readonly changes: string
  /** The columns of the table that they have. */
  readonly columns: readonly string[]
  /** SQL: the values of further columns, from a change `n` with its `place`. */
  readonly values?: Readonly<Record<string, string>>
}

/** SQL that appends changes at the instant `$2`. The places of their kinds continue from the newest. */
export function appendChangesText({
  table,
  kinds: [one, other],
  isOfOneSource,
  changes,
  columns,
  values = {},
}: AppendedChanges): string {
  const names = [...columns, ...Object.keys(values)]
  const selected = [...columns.map((name) => `n.${name}`), ...Object.values(values)]
  return `with given as (${changes}), numbered as materialized (
      select g.*, coalesce(newest.place, 0)
        + row_number() over (partition by g.${one}, g.${other} order by g.number) as place
      from given as g left join lateral (
        select c.place from ${table} c
        where c.${one} = g.${one} and c.${other} = g.${other}${isOfOneSource ? ' and c.source = $3' : ''}
        ${NEWEST_CHANGES_FIRST} limit 1
      ) as newest on true
    )
    insert into ${table} (diff_id, computed_at, place, ${names.join(', ')})
    select nextval('analysis_change_diff_id_seq'), ${COMPUTED_AT}, n.place, ${selected.join(', ')}
    from (select * from numbered order by number) as n`
}

/** Condition on changes `c`: those before a position, all when it is null. */
export function positionBefore(position: ChangePosition | null): Condition {
  return beyond('<', position)
}

/** Condition on changes `c`: those after a position, all when it is null. */
export function positionAfter(position: ChangePosition | null): Condition {
  return beyond('>', position)
}

function beyond(operator: '<' | '>', position: ChangePosition | null): Condition {
  const text = `(c.computed_at, c.diff_id) ${operator} (?::timestamptz, ?::bigint)`
  return [text, position?.computedAt ?? null, position?.diffId ?? null]
}
