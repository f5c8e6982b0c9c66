import { decimal } from '../../core/decimal.js'
import { Problems } from '../../core/problems.js'
import { addDays, DAY_MS, daysBetween, endOfDay, type IsoDate, toIsoDate } from '../../core/time.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { getPrimaryListing } from '../instruments/service.js'
import { assertHistoryAccess } from '../market/candles/candle-query-service.js'
import type { WindowRange } from '../market/model.js'
import { getCandlesOfAsset, getFirstWindows } from '../market/service.js'
import { type AdjustingAction, adjustedFigure, fractionToJsonNumber } from './adjustment-model.js'
import {
  type AdjustedPrice,
  listPricesOfListing,
  type PriceSeriesArguments,
  type PriceSeriesQuery,
  parsePriceSeries,
} from './service.js'

/** The price of an asset on a day: the close of a stock or ETF, or the consensus of a crypto asset. */
export interface AssetDailyPrice {
  readonly date: IsoDate
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number | null
  readonly price: number | null
  readonly priceSource: 'close' | 'consensus_vwap'
  readonly volume: number | null
  readonly volumeUsd: number | null
  readonly currency: string
  /** Price times factor. Both are null if no adjustment is requested. */
  readonly adjustedClose: number | null
  readonly factor: number | null
  readonly actions: readonly AdjustingAction[]
}

/** Parses the arguments; a 422 names every wrong one. */
export function parseAssetPrices(args: PriceSeriesArguments, context: RequestContext): PriceSeriesQuery {
  const problems = new Problems()
  const query = parsePriceSeries(problems, args, context)
  problems.refuse()
  return query
}

/**
 * A page of the daily prices of an asset, oldest first. Null for an asset without daily prices: a commodity, or a crypto asset
 * that no venue trades.
 */
export async function listAssetPrices(
  asset: Asset,
  query: PriceSeriesQuery,
  context: RequestContext,
): Promise<readonly AssetDailyPrice[] | null> {
  if (asset.assetClass === 'crypto') return listConsensusPrices(asset, query, context)
  const listing = asset.assetClass === 'commodity' ? null : await getPrimaryListing(asset.assetId, context)
  if (listing === null) return null
  const { prices } = await listPricesOfListing(listing, query, context)
  return prices.map(fromListing)
}

function fromListing({
  date,
  open,
  high,
  low,
  volume,
  currency,
  actions,
  ...row
}: AdjustedPrice): AssetDailyPrice {
  const close = decimal(row.close).toNumber()
  return {
    date,
    open,
    high,
    low,
    close,
    price: close,
    priceSource: 'close',
    volume,
    volumeUsd: null,
    currency,
    adjustedClose: adjustedFigure(row.close, row.factor),
    factor: row.factor === null ? null : fractionToJsonNumber(row.factor),
    actions,
  }
}

/** Each finished day of the page; pages begin with the asset's first candle. Nothing splits a coin, so the factor is 1. */
async function listConsensusPrices(
  asset: Asset,
  { from, to, limit, offset, asOf, adjustment }: PriceSeriesQuery,
  context: RequestContext,
): Promise<readonly AssetDailyPrice[] | null> {
  assertHistoryAccess('1d', new Date(from), context)
  context.validity?.endsBy(endOfDay(context.now)) // then another day has ended
  const history = await getFirstWindows(asset, context)
  if (history === null) return null
  const begin = history['1d'] === null ? null : toIsoDate(history['1d'])
  if (begin === null || begin > to) return []
  const start = begin > from ? begin : from
  const first = addDays(start, Math.min(offset, daysBetween(start, to) + 1))
  const windows = finishedDays({ from: first, to, limit }, context.now)
  const ohlcv = await getCandlesOfAsset(asset, { windows, asOf }, context)
  if (ohlcv === null) return null
  const isAdjusted = adjustment !== 'none'
  return ohlcv.candles.map(({ ts, vwapUsd, volumeUsd }) => ({
    ...{ date: toIsoDate(ts), open: null, high: null, low: null, close: null },
    ...{ price: vwapUsd, priceSource: 'consensus_vwap', volume: null, volumeUsd, currency: 'USD' },
    ...{ adjustedClose: isAdjusted ? vwapUsd : null, factor: isAdjusted ? 1 : null, actions: [] },
  }))
}

/** At most `limit` days from `from` to `to`, without the day that has not ended. */
function finishedDays(
  { from, to, limit }: { readonly from: IsoDate; readonly to: IsoDate; readonly limit: number },
  now: Date,
): WindowRange {
  const first = new Date(from).getTime()
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const end = Math.max(first, Math.min(first + limit * DAY_MS, new Date(to).getTime() + DAY_MS, today))
  const until = new Date(end)
  return { timeframe: '1d', first: new Date(first), end: until, until, total: (end - first) / DAY_MS }
}
