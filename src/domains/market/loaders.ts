import { setImmediate as nextTurn } from 'node:timers/promises'
import { groupBy } from '../../core/group-by.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import { defineLoader } from '../../platform/request/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { CandleQuery } from './candle-query-service.js'
import { type CandleInputs, loadCandleInputs } from './inputs-store.js'
import { type Timeframe, windowCount } from './model.js'
import { type CandleFigures, loadLatestFigures, loadStoredCandles, loadTraded } from './series-store.js'
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

/** The methodology of the current supply of an asset, by its integer key. */
export const supplyMethodologies = defineLoader((assetIds: readonly number[], context) =>
  loadSupplyMethodologies(context.database.prisma, assetIds),
)

/** True for an asset with any stored candle, otherwise null. */
export const tradedAssets = defineLoader((assetIds: readonly number[], context) =>
  loadTraded(context.database, assetIds),
)

/** The candle whose inputs are read. */
export interface InputsKey {
  readonly assetId: number
  readonly timeframe: Timeframe
  /** Null selects the newest stored candle. */
  readonly ts: Date | null
  readonly asOf: Date | null
}

/** The inputs of a candle. All assets with the same window share one statement. */
export const inputsByAsset = defineLoader(loadInputs, inputsText)

async function loadInputs(
  keys: readonly InputsKey[],
  context: RequestContext,
): Promise<ReadonlyMap<string, CandleInputs>> {
  const found = await Promise.all(
    [...groupBy(keys, windowText).values()].map(async (group) => {
      const [first] = group
      const ids = group.map(({ assetId }) => assetId)
      const inputs = await loadCandleInputs(context.database, ids, first)
      return [...inputs].map(([assetId, one]) => [`${assetId} ${windowText(first)}`, one] as const)
    }),
  )
  return new Map(found.flat())
}

function inputsText(key: InputsKey): string {
  return `${key.assetId} ${windowText(key)}`
}

function windowText({ timeframe, ts, asOf }: InputsKey): string {
  return `${timeframe} ${ts?.getTime()} ${asOf?.getTime()}`
}

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
    const wanted = { timeframe, first: start, end, asOf }
    const ids = group.map(({ assetId }) => assetId)
    const candles = await loadStoredCandles(context.database, ids, wanted)
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

/** Groups assets with the same range, each group as large as one statement may read. */
function groupForStatements(keys: readonly CandlesKey[]): readonly (readonly CandlesKey[])[] {
  return [...groupBy(keys, ({ query }) => seriesText(query)).values()].flatMap((series) => {
    const windows = Math.max(1, windowCount(series[0].query.windows))
    const size = Math.max(1, Math.floor(ROWS_PER_STATEMENT / windows))
    return Array.from({ length: Math.ceil(series.length / size) }, (_, at) =>
      series.slice(at * size, (at + 1) * size),
    )
  })
}

function keyText(key: CandlesKey): string {
  return `${key.assetId} ${seriesText(key.query)}`
}

const seriesText = memoizeByObject(
  ({ windows, asOf }: CandleQuery) =>
    `${windows.timeframe} ${windows.first.getTime()} ${windows.end.getTime()} ${asOf?.getTime()}`,
)
