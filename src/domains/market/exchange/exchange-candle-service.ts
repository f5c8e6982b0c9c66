import { toAssetTier } from '../../../core/consensus/consensus.js'
import type { Slug } from '../../../core/identifiers.js'
import type { Asset } from '../../../generated/prisma/client.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { getAsset } from '../../assets/service.js'
import type { CandleQuery } from '../candles/candle-query-service.js'
import {
  keepsPrices,
  type StoredPrices,
  type StoredSource,
  type WindowRange,
  windowStarts,
  windowsSince,
} from '../model.js'
import { getFirstWindows, notTraded } from '../service.js'
import { loadParts } from './exchange-candle-store.js'

/** Why a window has no prices of the exchange. */
export type NoPrices = 'no_trades' | 'not_loaded' | 'not_kept'

/** A window of one exchange: its prices, or why it has none. */
export type ExchangeWindow = { readonly ts: Date } & (
  | { readonly prices: StoredPrices; readonly reason: null }
  | { readonly prices: null; readonly reason: NoPrices }
)

export interface ExchangeSeries {
  readonly asset: Asset
  readonly windows: WindowRange
  /** Every finished window of the range since the asset's first candle, oldest first. */
  readonly candles: readonly ExchangeWindow[]
}

/** The prices of an asset at one exchange for a checked query. An unknown asset is a 404, as is one that no exchange trades. */
export async function getExchangeCandles(
  slug: Slug,
  exchange: string,
  { windows, asOf }: CandleQuery,
  context: RequestContext,
): Promise<ExchangeSeries> {
  const asset = await getAsset(slug, context)
  const first = asset.assetClass === 'crypto' ? await getFirstWindows(asset, context) : null
  if (first === null) throw notTraded(asset)
  const own = windowsSince(windows, first[windows.timeframe])
  const parts = await loadParts(context.database, {
    assetId: asset.assetId,
    exchange,
    windows: own,
    asOf,
  })
  const isKept = keepsPrices(toAssetTier(asset.tier), own.timeframe)
  const candles = windowStarts(own).map((ts) => ({
    ts,
    ...toPrices(parts.get(ts.getTime()) ?? null, isKept),
  }))
  return { asset, windows: own, candles }
}

function toPrices(part: StoredSource | null, isKept: boolean) {
  return part?.prices === undefined
    ? { prices: null, reason: explainGap(part, isKept) }
    : { prices: part.prices, reason: null }
}

function explainGap(part: StoredSource | null, isKept: boolean): NoPrices {
  if (part === null) return 'not_loaded'
  if (part.exclusion === 'no_volume') return 'no_trades'
  return isKept ? 'not_loaded' : 'not_kept'
}
