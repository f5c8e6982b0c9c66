import { setImmediate as nextTurn } from 'node:timers/promises'
import { groupBy } from '../../core/group-by.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import { defineLoader } from '../../platform/request/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { CandleQuery } from './candle-query-service.js'
import { type Timeframe, windowCount } from './model.js'
import {
  type CandleFigures,
  type CandleInputs,
  loadCandleInputs,
  loadLatestFigures,
  loadStoredCandles,
  loadTraded,
} from './series-store.js'
import { loadSupplyMethodologies } from './supply-store.js'

/** The stored candles of one asset in a range of windows. */
export interface CandlesKey {
  readonly assetId: number
  /** The same object for all assets that are asked for together. */
  readonly query: CandleQuery
}

/** Stored candles by asset and range; all assets with the same range are one statement. */
export const candlesByAsset = defineLoader(loadCandles, keyText)

/** The newest consensus and the supply of an asset by its integer key; one statement for all assets of a page. */
export const latestByAssetId = defineLoader((assetIds: readonly number[], context) =>
  loadLatestFigures(context.database, assetIds, context.now),
)

/** How the current supply of an asset was found out, by its integer key. */
export const supplyMethodologies = defineLoader((assetIds: readonly number[], context) =>
  loadSupplyMethodologies(context.database.prisma, assetIds),
)

/** True for an asset that any candle is stored of; else null. */
export const tradedAssets = defineLoader((assetIds: readonly number[], context) =>
  loadTraded(context.database, assetIds),
)

/** The candle whose inputs are read. */
export interface InputsKey {
  readonly assetId: number
  readonly timeframe: Timeframe
  /** Null: the newest that is stored. */
  readonly ts: Date | null
  readonly asOf: Date | null
}

/** What a candle was made of; all assets with the same window are one statement. */
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

/** Rows that one statement reads, about: more would hold up other requests while they are parsed. */
const ROWS_PER_STATEMENT = 5_000

/** Few rows are read at once, many one statement after the other: they leave connections and turns to others. */
async function loadCandles(
  keys: readonly CandlesKey[],
  context: RequestContext,
): Promise<ReadonlyMap<string, readonly CandleFigures[]>> {
  const found = new Map<string, readonly CandleFigures[]>()
  const read = async (group: readonly CandlesKey[]) => {
    const [first] = group
    if (first === undefined) return
    const { windows, asOf } = first.query
    const { timeframe, first: start, end } = windows
    const wanted = { timeframe, first: start, end, asOf }
    const ids = group.map(({ assetId }) => assetId)
    const candles = await loadStoredCandles(context.database, ids, wanted)
    for (const key of group) found.set(keyText(key), candles.get(key.assetId) ?? [])
  }
  const groups = readableGroups(keys)
  const rows = keys.reduce((sum, { query }) => sum + windowCount(query.windows), 0)
  if (rows <= ROWS_PER_STATEMENT) await Promise.all(groups.map(read))
  else
    for (const group of groups) {
      await read(group)
      // The embedded database answers within the turn that asks.
      await nextTurn()
    }
  return found
}

/** Assets of one range together, as many as one statement reads. */
function readableGroups(keys: readonly CandlesKey[]): readonly (readonly CandlesKey[])[] {
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
