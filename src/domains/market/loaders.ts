import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AsOf, asOfText } from '../../core/as-of.js'
import type { Decimal } from '../../core/decimal.js'
import { groupBy } from '../../core/group-by.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import { defineGroupedLoader, defineLoader } from '../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { CandleQuery } from './candles/candle-query-service.js'
import { type CandleInputs, loadCandleInputs } from './inputs-store.js'
import { type Timeframe, windowCount } from './model.js'
import {
  type AssetWindow,
  type CandleFigures,
  loadHistories,
  loadLatestFigures,
  loadPanel,
  loadStoredCandles,
  loadWindowPrices,
  windowKey,
} from './series-store.js'
import { loadSupplyMethodologies } from './supply-store.js'

/** The stored candles of one asset in a range of windows. */
export interface CandlesKey {
  readonly assetId: number
  /** The same object for all assets that are requested together. */
  readonly query: CandleQuery
}

/** Stored candles by asset and range. All assets with the same range share one statement. */
export const candlesByAsset = defineLoader(loadCandles, keyText)

/** The newest consensus and the supply of an asset, by its integer key. All assets of a page share one statement. */
export const latestByAssetId = defineLoader((assetIds: readonly number[], context) =>
  loadLatestFigures(context.database, assetIds, context.now),
)

/** The consensus price of a window, or null. All windows of a page share one statement. */
export const priceByWindow = defineLoader<AssetWindow, Decimal>(
  (windows, context) => loadWindowPrices(context.database.prisma, windows),
  windowKey,
)

/** The methodology of the current supply of an asset, by its integer key. */
export const supplyMethodologies = defineLoader((assetIds: readonly number[], context) =>
  loadSupplyMethodologies(context.database.prisma, assetIds),
)

/** The first windows of an asset, by its integer key. Null for an asset without any stored candle. */
export const historyByAsset = defineLoader((assetIds: readonly number[], context) =>
  loadHistories(context.database, assetIds, context.clock ?? null),
)

/** The candle whose inputs are read. */
export interface InputsKey {
  readonly assetId: number
  readonly timeframe: Timeframe
  /** Null selects the newest stored candle. */
  readonly ts: Date | null
  readonly asOf: AsOf | null
}

/** The inputs of a candle. All assets with the same window share one statement. */
export const inputsByAsset = defineGroupedLoader<InputsKey, CandleInputs>({
  groupText: ({ timeframe, ts, asOf }) => `${timeframe} ${ts?.getTime()} ${asOfText(asOf)}`,
  itemText: ({ assetId }) => String(assetId),
  load: async (keys, { database }) => {
    const assetIds = keys.map(({ assetId }) => assetId)
    const inputs = await loadCandleInputs(database, assetIds, keys[0])
    return assetIds.map((assetId) => inputs.get(assetId))
  },
})

/** Approximate maximum of rows per statement. Parsing more at once would delay other requests. */
const ROWS_PER_STATEMENT = 5_000

/** Runs the statements together for few rows, one after the other for many: other requests then get connections and time. */
async function loadCandles(
  keys: readonly CandlesKey[],
  context: RequestContext,
): Promise<ReadonlyMap<string, readonly CandleFigures[]>> {
  const found = new Map<string, readonly CandleFigures[]>()
  const loadGroup = async (group: readonly CandlesKey[]) => {
    const [first] = group
    if (first === undefined) return
    const { windows, asOf } = first.query
    const { timeframe, first: start, end } = windows
    const areAlike = group.every(({ query }) => seriesText(query) === seriesText(first.query))
    const ids = group.map(({ assetId }) => assetId)
    const ranges = group.map(({ assetId, query }) => ({ assetId, ...query.windows }))
    const candles = areAlike
      ? await loadStoredCandles(context.database, ids, { timeframe, first: start, end, asOf })
      : await loadPanel(context.database, ranges, { timeframe, asOf })
    for (const key of group) found.set(keyText(key), candles.get(key.assetId) ?? [])
  }
  const groups = groupForStatements(keys)
  const rows = keys.reduce((sum, { query }) => sum + windowCount(query.windows), 0)
  if (rows <= ROWS_PER_STATEMENT) await Promise.all(groups.map(loadGroup))
  else
    for (const group of groups) {
      await loadGroup(group)
      // The embedded database answers without yielding to the event loop.
      await nextTurn()
    }
  return found
}

/**
 * Groups assets with the same range, and assets whose ranges differ, as with the first candle of each. Each group is as large as
 * one statement may read, and has an asset once.
 */
function groupForStatements(keys: readonly CandlesKey[]): readonly (readonly CandlesKey[])[] {
  const series = [...groupBy(keys, ({ query }) => seriesText(query)).values()]
  const alike = series.filter(({ length }) => length > 1)
  const others = series.filter(({ length }) => length === 1).flat()
  const repeats = new Map<number, number>()
  const different = groupBy(others, ({ assetId, query: { windows, asOf } }) => {
    const count = (repeats.get(assetId) ?? 0) + 1
    repeats.set(assetId, count)
    return `${windows.timeframe} ${asOfText(asOf)} ${count}`
  })
  return [...alike, ...different.values()].flatMap(splitByRows)
}

function splitByRows(keys: readonly CandlesKey[]): readonly (readonly CandlesKey[])[] {
  const parts: CandlesKey[][] = []
  let rows = Number.POSITIVE_INFINITY
  for (const key of keys) {
    const own = windowCount(key.query.windows)
    if (rows + own > ROWS_PER_STATEMENT) {
      parts.push([])
      rows = 0
    }
    parts.at(-1)?.push(key)
    rows += own
  }
  return parts
}

function keyText(key: CandlesKey): string {
  return `${key.assetId} ${seriesText(key.query)}`
}

const seriesText = memoizeByObject(
  ({ windows, asOf }: CandleQuery) =>
    `${windows.timeframe} ${windows.first.getTime()} ${windows.end.getTime()} ${asOfText(asOf)}`,
)
