import type { Transaction } from '../../database/database.js'
import { statement } from '../../database/statement.js'
import { givenKeys, type Known, keyArrays, type SeriesTable, sameKey } from '../series-table.js'
import { withdrawText, withdrawValues } from './withdraw-text.js'

/** Withdraws the current rows with these keys and returns their number. */
type SeriesWithdrawer<Key> = (tx: Transaction, keys: readonly Key[], known: Known) => Promise<number>

/** Withdraws rows that a source reports as removed; `Key` has the key columns of a row. */
export function seriesWithdrawer<Key>(table: SeriesTable<Key>): SeriesWithdrawer<Key> {
  const { name, key, notes } = table
  const withdraw = statement(
    'bulk',
    { count: 'int4' },
    withdrawText(
      table,
      `from (${givenKeys(key, notes.length + 2)}) as k
       join ${name} as t on ${sameKey(key, 't', 'k')} and t.known_to is null and not t.is_withdrawn`,
    ),
  )
  return async (tx, keys, known) => {
    if (keys.length === 0) return 0
    const values = [...withdrawValues(table, known), ...keyArrays(key, keys)]
    const [gone] = await tx.rows(withdraw, values)
    return gone?.count ?? 0
  }
}
