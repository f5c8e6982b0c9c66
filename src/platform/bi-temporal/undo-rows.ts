import type { Transaction } from '../database/database.js'
import { statement } from '../database/statement.js'
import { columnList, givenKeys, type Known, keyArrays, type SeriesTable, sameKey } from './series-table.js'

/** Undone rows: new ones and revisions. */
export interface Undone {
  readonly added: number
  readonly revised: number
}

/** Undoes what a run wrote for these keys in its own transaction: the rows known before are current again. */
type SeriesUndoer<Key> = (tx: Transaction, keys: readonly Key[], known: Known) => Promise<Undone>

/** For rows that a later row of the body contradicts: none of them is stored. `Key` has the key columns of a row. */
export function seriesUndoer<Key>(table: SeriesTable<Key>): SeriesUndoer<Key> {
  const { name, key } = table
  const undo = statement(
    'bulk',
    { added: 'int4', revised: 'int4' },
    `with undone as (
       delete from ${name} as t
       using (${givenKeys(key, 2)}) as k
       where ${sameKey(key, 't', 'k')} and t.known_from >= $1::timestamptz
       returning ${columnList(key, 't')}, t.known_from
     ), reopened as (
       update ${name} as t set known_to = null from undone as u
       where ${sameKey(key, 't', 'u')} and t.known_to = u.known_from and t.known_from < $1::timestamptz returning 1
     )
     select ((select count(*) from undone) - (select count(*) from reopened))::int as added,
       (select count(*) from reopened)::int as revised`,
  )
  return async (tx, keys, known) => {
    if (keys.length === 0) return { added: 0, revised: 0 }
    const [undone] = await tx.rows(undo, [known.knownAt, ...keyArrays(key, keys)])
    return undone ?? { added: 0, revised: 0 }
  }
}
