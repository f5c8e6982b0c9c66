import type { Transaction } from '../database/database.js'
import { statement } from '../database/statement.js'
import { columnList, type Known, type SeriesTable, sameKey } from './series-table.js'
import { withdrawText, withdrawValues } from './withdraw-text.js'

/** Withdraws the current rows with these keys and returns their number. */
type SeriesWithdrawer<Key> = (tx: Transaction, keys: readonly Key[], known: Known) => Promise<number>

/** Withdraws rows that a source reports as removed; `Key` has the key columns of a row. */
export function seriesWithdrawer<Key>(table: SeriesTable<Key>): SeriesWithdrawer<Key> {
  const { name, key, notes } = table
  const first = notes.length + 2
  const arrays = key.map(({ sentAs = 'text' }, at) => `$${first + at}::${sentAs}[]`).join(', ')
  const typed = key.map(({ name: column, type }) => `given.${column}::${type} as ${column}`).join(', ')
  const withdraw = statement(
    { count: 'int4' },
    withdrawText(
      table,
      `from (select distinct ${typed} from unnest(${arrays}) as given(${columnList(key)})) as k
       join ${name} as t on ${sameKey(key, 't', 'k')} and t.known_to is null and not t.is_withdrawn`,
    ),
  )
  return async (tx, keys, known) => {
    if (keys.length === 0) return 0
    const values = [...withdrawValues(table, known), ...key.map(({ of }) => keys.map(of))]
    const [gone] = await tx.rows(withdraw, values)
    return gone?.count ?? 0
  }
}
