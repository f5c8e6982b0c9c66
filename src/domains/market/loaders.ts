import { defineLoader } from '../../platform/define-loader.js'
import type { RequestContext } from '../../platform/request-context.js'
import { readCardsBySlug } from './card-store.js'
import type { WindowRange } from './model.js'
import { type CandleFigures, readCandles, readLatest } from './series-store.js'

/** The stored candles of one asset in a range of windows. */
export interface CandlesKey {
  readonly assetId: number
  readonly windows: WindowRange
  readonly asOf: Date | null
}

/** Stored candles by asset and range; all assets with the same range are one statement. */
export const candlesByAsset = defineLoader(loadCandles, keyText)

/** The newest consensus and the supply of an asset by its integer key; one statement for all assets of a page. */
export const latestByAssetId = defineLoader((assetIds: readonly number[], context) =>
  readLatest(context.database, assetIds, context.now),
)

/** An asset with its newest consensus and supply by its slug; one statement for all that are asked for at once. */
export const cardBySlug = defineLoader((slugs: readonly string[], context) =>
  readCardsBySlug(context.database, slugs, context.now),
)

async function loadCandles(
  keys: readonly CandlesKey[],
  context: RequestContext,
): Promise<ReadonlyMap<string, readonly CandleFigures[]>> {
  const bySeries = new Map<string, CandlesKey[]>()
  for (const key of keys) bySeries.set(seriesText(key), [...(bySeries.get(seriesText(key)) ?? []), key])
  const found = await Promise.all(
    [...bySeries.values()].map(async (group) => {
      const [first] = group
      if (first === undefined) return []
      const { timeframe, first: start, end } = first.windows
      const wanted = { timeframe, first: start, end, asOf: first.asOf }
      const ids = group.map(({ assetId }) => assetId)
      const candles = await readCandles(context.database, ids, wanted)
      return group.map((key) => [keyText(key), candles.get(key.assetId) ?? []] as const)
    }),
  )
  return new Map(found.flat())
}

function keyText(key: CandlesKey): string {
  return `${key.assetId} ${seriesText(key)}`
}

function seriesText({ windows, asOf }: CandlesKey): string {
  return [windows.timeframe, windows.first.getTime(), windows.end.getTime(), asOf?.getTime()].join(' ')
}
