import type { Transaction } from '../database/database.js'
import { columnList, type Known, type SeriesTable, sameKey } from './series-table.js'
import { withdrawText, withdrawValues } from './withdraw-text.js'

/** Follows what a run has seen of a table, so that what its source no longer holds can be withdrawn. */
export interface SeenKeys<Row> {
  /** Notes the keys of rows that the body holds. */
  note(rows: readonly Row[]): Promise<void>
  /** Compares the rows noted with the current ones of their series. */
  compare(): Promise<Comparison>
  /**
   * Withdraws the current rows of each series noted whose own key was not: a row without values takes their place (a
   * tombstone). Answers how many. Throws `TooManyWithdrawn` where more than a tenth of the rows noted would go: a body that
   * was cut off looks just like that.
   */
  withdraw(known: Known): Promise<number>
}

export interface Comparison {
  /** Current rows of the series noted. */
  readonly known: number
  /** Those of them that were not noted. */
  readonly missing: number
}

/** Part of the rows noted that one run may withdraw, and a number that is always allowed. */
const MAX_WITHDRAWN_SHARE = 0.1
const ALLOWED_WITHDRAWN = 20

/** The body is likely cut off; nothing was withdrawn. */
export class TooManyWithdrawn extends Error {
  override readonly name = 'TooManyWithdrawn'
}

/**
 * Begins to follow a run, in the run's own transaction; the keys are kept in a temporary table, so that memory does not
 * grow with them. `createSeries`: the key columns that name a series.
 */
export async function followSeen<Row>(
  tx: Transaction,
  table: SeriesTable<Row>,
  seriesOf: readonly string[],
): Promise<SeenKeys<Row>> {
  const { name, key } = table
  const seen = `seen_${name}`
  const keys = columnList(key)
  const series = seriesOf.map((column) => ({ name: column }))
  const typed = key.map(({ name: column, type }) => `${column}::${type}`).join(', ')
  const arrays = key.map(({ sentAs = 'text' }, at) => `$${at + 1}::${sentAs}[]`).join(', ')
  let rowsNoted = 0
  let isIndexed = false
  const index = async () => {
    if (isIndexed) return
    isIndexed = true
    await tx.rows(`create index on ${seen} (${keys})`)
    await tx.rows(`analyze ${seen}`)
  }
  const current = `from (select distinct ${columnList(series)} from ${seen}) as s
    join ${name} as t on ${sameKey(series, 't', 's')} and t.known_to is null and not t.is_withdrawn`
  const isUnseen = `not exists (select 1 from ${seen} as k where ${sameKey(key, 'k', 't')})`
  await tx.rows(`create temporary table ${seen} on commit drop as select ${keys} from ${name} with no data`)
  return {
    note: async (rows) => {
      rowsNoted += rows.length
      await tx.rows(
        `insert into ${seen} select ${typed} from unnest(${arrays}) as given(${keys})`,
        key.map(({ of }) => rows.map(of)),
      )
    },
    compare: async () => {
      await index()
      const [found] = (await tx.rows(
        `select count(*)::int as known, count(*) filter (where ${isUnseen})::int as missing ${current}`,
      )) as readonly Comparison[] // not declared: its temporary table lives in a run only
      return found ?? { known: 0, missing: 0 }
    },
    withdraw: async (known) => {
      await index()
      const [gone] = (await tx.rows(
        withdrawText(table, `${current} where ${isUnseen}`),
        withdrawValues(table, known),
      )) as readonly { readonly count: number }[] // not declared: its temporary table lives in a run only
      const count = gone?.count ?? 0
      if (count > Math.max(ALLOWED_WITHDRAWN, rowsNoted * MAX_WITHDRAWN_SHARE)) {
        throw new TooManyWithdrawn(
          `${count} of the ${name} rows known are not among the ${rowsNoted} given: the body is likely cut off`,
        )
      }
      await tx.rows(`drop table ${seen}`)
      return count
    },
  }
}
