import type { OffsetPage } from '../../core/page.js'
import { DAY_MS, type IsoDate } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { memoizeByVersion } from '../../platform/request/loaders/memoize-by-version.js'
import { type FactFilter, loadStarDays } from './store.js'
import type { ServedTable } from './table.js'

/** The number of rows of a fact before each day. */
export interface PageIndex {
  /** Days with rows, counted from 1970-01-01, ascending. */
  readonly days: Int32Array
  /** Rows before each day, then the total. */
  readonly before: Float64Array
}

/** The place of a page: the first day, the number of rows to skip on it, and the last day. */
interface PagePosition {
  readonly total: number
  /** Null if the page does not exist. */
  readonly days: { readonly first: IsoDate; readonly offset: number; readonly last: IsoDate } | null
}

interface PageIndexKey extends FactFilter {
  readonly table: ServedTable
}

/** The page index of a fact, read once per version of its datasets. */
export const factPageIndex = memoizeByVersion<PageIndexKey, PageIndex>({
  datasetsOf: ({ table }) => table.reads,
  keyText: ({ table, assetId, choice }) => `${table.view} ${assetId} ${choice}`,
  // An index has 12 bytes per day, 80 kB for all days since 2009; a caller may request any asset.
  max: 200,
  read: ({ table, ...filter }, sql) => loadPageIndex(sql, table, filter),
})

/** Reads the page index of a fact in one statement. */
export async function loadPageIndex(sql: Sql, table: ServedTable, filter: FactFilter): Promise<PageIndex> {
  const { days, counts } = await loadStarDays(sql, table, filter)
  const before = new Float64Array(days.length + 1)
  counts.forEach((count, place) => {
    before[place + 1] = (before[place] ?? 0) + count
  })
  return { days: Int32Array.from(days), before }
}

/** The place of a page among the days from one to another, both included; null: open. */
export function locatePage(
  { days, before }: PageIndex,
  {
    from,
    to,
    offset,
    limit,
  }: OffsetPage & {
    readonly from: IsoDate | null
    readonly to: IsoDate | null
  },
): PagePosition {
  const start = from === null ? 0 : firstAtLeast(days, dayOf(from))
  const end = to === null ? days.length : firstAtLeast(days, dayOf(to) + 1)
  const skipped = before[start] ?? 0
  const total = Math.max(0, (before[end] ?? 0) - skipped)
  if (offset >= total) return { total, days: null }
  const first = dayIndexOfRow(before, skipped + offset)
  const last = dayIndexOfRow(before, skipped + Math.min(offset + limit, total) - 1)
  return {
    total,
    days: {
      first: isoDate(days[first] ?? 0),
      offset: skipped + offset - (before[first] ?? 0),
      last: isoDate(days[last] ?? 0),
    },
  }
}

/** The place of the day that has a row, counted from 0. */
function dayIndexOfRow(before: Float64Array, row: number): number {
  return firstAtLeast(before, row + 1) - 1
}

/** The position of the first number that is not lower; the length if all are lower. */
function firstAtLeast(sorted: Int32Array | Float64Array, least: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

function dayOf(date: IsoDate): number {
  return Date.parse(date) / DAY_MS
}

function isoDate(day: number): IsoDate {
  return new Date(day * DAY_MS).toISOString().slice(0, 10) as IsoDate // PostgreSQL gave years of four digits
}
