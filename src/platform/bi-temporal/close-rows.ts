import type { Transaction } from '../database/database.js'
import { givenKeys, type Known, keyArrays, type SeriesTable, sameKey } from './series-table.js'

/** Closes the current rows with these keys, without others in their place. */
type SeriesCloser<Key> = (tx: Transaction, keys: readonly Key[], known: Known) => Promise<void>

/** Closes rows that were never right; `Key` has the key columns of a row. */
export function seriesCloser<Key>({ name, key }: Pick<SeriesTable<Key>, 'name' | 'key'>): SeriesCloser<Key> {
  const close = `update ${name} as t set known_to = greatest($1::timestamptz, t.known_from + interval '1 millisecond')
    from (${givenKeys(key, 2)}) as k where ${sameKey(key, 't', 'k')} and t.known_to is null`
  return async (tx, keys, { knownAt }) => {
    if (keys.length > 0) await tx.rows(close, [knownAt, ...keyArrays(key, keys)])
  }
}
