import type { Transaction } from '../../database/database.js'
import { statement } from '../../database/statement.js'
import { givenKeys, type Known, keyArrays, type SeriesTable, sameKey } from '../series-table.js'
import { withdrawText, withdrawValues } from './withdraw-text.js'

/**
 * Withdraws the current rows of these owners except those with the given keys, and returns their number. An owner without
 * keys loses all rows.
 */
type MissingWithdrawer<Key> = (
  tx: Transaction,
  owners: readonly string[],
  keys: readonly Key[],
  known: Known,
) => Promise<number>

/** For members that their owner names in full each time; `ownerOf`: the text column of the key that names the owner. */
export function missingWithdrawer<Key>(table: SeriesTable<Key>, ownerOf: string): MissingWithdrawer<Key> {
  const { name, key, notes } = table
  const owners = notes.length + 2
  const withdraw = statement(
    'bulk',
    { count: 'int4' },
    withdrawText(
      table,
      `from ${name} as t
       where t.${ownerOf} = any($${owners}::text[]) and t.known_to is null and not t.is_withdrawn
         and not exists (
           select 1 from (${givenKeys(key, owners + 1)}) as k where ${sameKey(key, 't', 'k')}
         )`,
    ),
  )
  return async (tx, given, keys, known) => {
    if (given.length === 0) return 0
    const values = [...withdrawValues(table, known), given, ...keyArrays(key, keys)]
    const [gone] = await tx.rows(withdraw, values)
    return gone?.count ?? 0
  }
}
