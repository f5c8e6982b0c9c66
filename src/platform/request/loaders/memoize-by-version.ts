import { LRUCache } from 'lru-cache'
import type { DatasetName } from '../../../core/datasets.js'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import type { Database, Sql } from '../../database/database.js'
import { versionIn } from '../../database/versions/data-version.js'
import type { RequestContext } from '../request-context.js'

export interface VersionedRead<Key, Value> {
  /**
   * The datasets that the value is read from. It is valid until one of them changes. An operation that uses it must read them
   * whole: a replica may lack commits to grains that the operation does not read.
   */
  readonly datasetsOf: (key: Key) => readonly DatasetName[]
  readonly keyText: (key: Key) => string
  /** Maximum number of values per database. The least recently used one is evicted first. */
  readonly max: number
  readonly read: (key: Key, sql: Sql) => Promise<Value>
}

interface KnownValue<Value> {
  readonly versions: string
  readonly value: Promise<Value>
}

/** Runs a read once per version of its datasets; all callers share the result. A failure is not kept. */
export function memoizeByVersion<Key, Value>({
  datasetsOf,
  keyText,
  max,
  read,
}: VersionedRead<Key, Value>): (
  key: Key,
  context: Pick<RequestContext, 'database' | 'datasets'>,
) => Promise<Value> {
  const knownOf = memoizeByObject(
    (_database: Database['identity']) => new LRUCache<string, KnownValue<Value>>({ max }),
  )
  return (key, { database, datasets }) => {
    const values = knownOf(database.identity)
    const text = keyText(key)
    const versions = datasetsOf(key)
      .map((name) => versionIn(datasets, name))
      .join(' ')
    const known = values.get(text)
    if (known?.versions === versions) return known.value
    const memoized = { versions, value: read(key, database) }
    values.set(text, memoized)
    memoized.value.catch(() => {
      if (values.peek(text) === memoized) values.delete(text) // the next request reads again
    })
    return memoized.value
  }
}
