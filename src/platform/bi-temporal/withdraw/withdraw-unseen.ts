import type { Transaction } from '../../database/database.js'
import { columnList, givenKeys, type Known, keyArrays, type SeriesTable, sameKey } from '../series-table.js'
import { withdrawText, withdrawValues } from './withdraw-text.js'

/** Records the keys that a run has seen, so that rows that the source no longer has can be withdrawn. */
export interface SeenKeys<Row> {
  /** Records the keys of rows in the body. */
  note(rows: readonly Row[]): Promise<void>
  /** Compares the recorded rows with the current rows of their series. */
  compare(): Promise<Comparison>
  /**
   * Withdraws the current rows of each recorded series whose key was not recorded; a row without values (a tombstone) becomes
   * current. Returns their number. Throws `TooManyWithdrawn` if that is more than a tenth of the recorded rows: a body that
   * was cut off looks the same.
   */
  withdraw(known: Known): Promise<number>
}

export interface Comparison {
  /** Current rows of the recorded series. */
  readonly known: number
  /** Current rows whose key was not recorded. */
  readonly missing: number
}

/** Share of the recorded rows that one run may withdraw, and a number that is always allowed. */
const MAX_WITHDRAWN_SHARE = 0.1
const ALLOWED_WITHDRAWN = 20

/** The body is likely cut off; nothing was withdrawn. */
export class TooManyWithdrawn extends Error {
  override readonly name = 'TooManyWithdrawn'
}

/**
 * Starts recording, in the run's own transaction. The keys are in a temporary table, so memory does not grow with them.
 * `seriesOf` lists the key columns that name a series.
 */
export async function recordSeenKeys<Row>(
  tx: Transaction,
  table: SeriesTable<Row>,
  seriesOf: readonly string[],
): Promise<SeenKeys<Row>> {
  const { name, key } = table
  const seen = `seen_${name}`
  const keys = columnList(key)
  const series = seriesOf.map((column) => ({ name: column }))
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
      await tx.rows(`insert into ${seen} ${givenKeys(key, 1)}`, keyArrays(key, rows))
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
