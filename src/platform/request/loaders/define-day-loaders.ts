import type { AsOf } from '../../../core/as-of.js'
import { type DayRange, dayRangeText, NEWEST_DAY } from '../../../core/day-range.js'
import { groupBy } from '../../../core/group-by.js'
import type { Sql } from '../../database/database.js'
import type { RequestContext } from '../request-context.js'
import { defineGroupedLoader, defineSharedLoader } from './define-loader.js'

/** Reads daily rows: those of each key within a range, oldest first, with one statement. */
interface DayReads<Key, Row> {
  readonly read: (sql: Sql, keys: readonly Key[], range: DayRange) => Promise<readonly Row[]>
  readonly keyOf: (row: Row) => Key
}

interface DayLoaders<Key, Row> {
  /** The newest row of a key as known at `asOf` (null: now); one statement for all keys requested at once. */
  readonly newestOf: (key: Key, asOf: AsOf | null, context: RequestContext) => Promise<Row | null>
  /** Rows of a key within a range, oldest first; one statement for all keys of the same range. */
  readonly daysOf: (key: Key, range: DayRange, context: RequestContext) => Promise<readonly Row[]>
}

interface RangeKey<Key> {
  readonly key: Key
  readonly range: DayRange
}

/** The loaders of a history by days. */
export function defineDayLoaders<Key extends string | number, Row>({
  read,
  keyOf,
}: DayReads<Key, Row>): DayLoaders<Key, Row> {
  const newestNow = defineSharedLoader<Key, Row>({
    load: async (keys, { database }) => {
      const rows = await read(database, keys, NEWEST_DAY)
      return new Map(rows.map((row) => [String(keyOf(row)), row]))
    },
    batchKey: () => '',
  })
  const histories = defineGroupedLoader<RangeKey<Key>, readonly Row[]>({
    groupText: ({ range }) => dayRangeText(range),
    itemText: ({ key }) => String(key),
    load: async (group, { database }) => {
      const keys = group.map(({ key }) => key)
      return groupBy(await read(database, keys, group[0].range), (row) => String(keyOf(row)))
    },
  })
  const daysOf: DayLoaders<Key, Row>['daysOf'] = async (key, range, context) =>
    (await histories(context).load({ key, range })) ?? []
  return {
    newestOf: async (key, asOf, context) =>
      asOf === null
        ? newestNow(context).load(key)
        : ((await daysOf(key, { ...NEWEST_DAY, asOf }, context)).at(-1) ?? null),
    daysOf,
  }
}
