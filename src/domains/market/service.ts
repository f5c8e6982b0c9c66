import { publishFigure } from '../../core/consensus.js'
import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { notFound } from '../../core/errors.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request-context.js'
import { getAsset } from '../assets/service.js'
import type { CandleQuery, InputsQuery } from './candle-query.js'
import { candlesByAsset, latestByAssetId } from './loaders.js'
import { type WindowRange, windowStarts } from './model.js'
import {
  type CandleFigures,
  type CandleInputs,
  type LatestFigures,
  readCandleInputs,
  type SupplyFigure,
} from './series-store.js'

/** One window as it is served; a window without a stored candle has the figures of one without sources. */
export interface Candle extends CandleFigures {
  readonly status: 'ok' | 'insufficient_sources'
}

export interface Ohlcv {
  readonly asset: Asset
  readonly windows: WindowRange
  /** Every finished window of the range, oldest first. */
  readonly candles: readonly Candle[]
}

/** Candles of an asset for a checked query; one statement for all assets asked for in the same tick. */
export async function getCandles(asset: Asset, query: CandleQuery, context: RequestContext): Promise<Ohlcv> {
  const { windows, asOf } = query
  const starts = windowStarts(windows)
  const stored =
    starts.length === 0 ? [] : await candlesByAsset(context).load({ assetId: asset.assetId, windows, asOf })
  const byStart = new Map(stored?.map((candle) => [candle.ts.getTime(), candle]))
  const candles = starts.map((ts) => toCandle(byStart.get(ts.getTime()) ?? { ts, ...WITHOUT_SOURCES }))
  return { asset, windows, candles }
}

const WITHOUT_SOURCES = { vwapUsd: null, volumeUsd: null, exchangesCount: 0, maxSourceWeight: null } as const

function toCandle(figures: CandleFigures): Candle {
  return { ...figures, status: statusOf(figures.vwapUsd) }
}

function statusOf(vwapUsd: number | string | null): Candle['status'] {
  return vwapUsd === null ? 'insufficient_sources' : 'ok'
}

/** Full: each window has a price. Empty: none has, or there is no window. */
export function qualityOf({ candles }: Ohlcv): 'full' | 'partial' | 'empty' {
  const priced = candles.filter(({ status }) => status === 'ok').length
  if (priced === 0) return 'empty'
  return priced === candles.length ? 'full' : 'partial'
}

/** The newest consensus of an asset. Prices in USD. */
export interface AssetPrice {
  /** Null with too few venues. */
  readonly priceUsd: number | null
  /** Price times supply to 15 significant digits; null without either. */
  readonly marketCapUsd: number | null
  readonly exchangesCount: number
  readonly status: 'ok' | 'insufficient_sources'
  readonly methodologyVersion: string
  /** End of its window: what it is as old as. */
  readonly observedAt: Date
}

type PricedAsset = Pick<Asset, 'assetId' | 'assetClass'>

const loadedPrices = new WeakMap<RequestContext, Map<number, AssetPrice | null>>()

/** The newest consensus of each asset, null where there is none; one statement. `priceOf` then answers at once. */
export async function loadPrices(
  assets: readonly PricedAsset[],
  context: RequestContext,
): Promise<readonly (AssetPrice | null)[]> {
  const prices = await Promise.all(assets.map(async (asset) => toPrice(await latestOf(asset, context))))
  const loaded = loadedPrices.get(context) ?? new Map<number, AssetPrice | null>()
  loadedPrices.set(context, loaded)
  for (const [index, { assetId }] of assets.entries()) loaded.set(assetId, prices[index] ?? null)
  return prices
}

/** The newest consensus of an asset, at once where it was loaded before, as most fields of a card ask for it. */
export function priceOf(
  asset: PricedAsset,
  context: RequestContext,
): AssetPrice | null | Promise<AssetPrice | null> {
  const price = loadedPrices.get(context)?.get(asset.assetId)
  return price === undefined ? latestOf(asset, context).then(toPrice) : price
}

/** Units of an asset in circulation; null while nobody has counted. */
export async function supplyOf(asset: PricedAsset, context: RequestContext): Promise<SupplyFigure | null> {
  return (await latestOf(asset, context))?.supply ?? null
}

/** Only crypto assets have a consensus; of the others nothing is read. */
async function latestOf(asset: PricedAsset, context: RequestContext): Promise<LatestFigures | null> {
  return asset.assetClass === 'crypto' ? latestByAssetId(context).load(asset.assetId) : null
}

function toPrice(latest: LatestFigures | null): AssetPrice | null {
  if (latest === null || latest.candle === null) return null
  const { vwapUsd, exchangesCount, methodologyVersion, endsAt } = latest.candle
  const price = vwapUsd === null ? null : new Decimal(vwapUsd)
  // Counted in the smallest unit, a supply has more digits than figures from outside may have.
  const supply = latest.supply === null ? null : new Decimal(latest.supply.supply)
  return {
    priceUsd: price && toJsonNumber(price),
    marketCapUsd: price && supply && toJsonNumber(publishFigure(price.times(supply))),
    exchangesCount,
    status: statusOf(vwapUsd),
    methodologyVersion,
    observedAt: endsAt,
  }
}

export interface ConsensusInputs extends CandleInputs, Omit<InputsQuery, 'slug'> {
  readonly asset: Asset
  readonly status: Candle['status']
}

/** What a candle was made of; 404 for an unknown asset and where no candle is stored. */
export async function getConsensusInputs(
  { slug, timeframe, ts, asOf }: InputsQuery,
  context: RequestContext,
): Promise<ConsensusInputs> {
  const asset = await getAsset(slug, context)
  const inputs = await readCandleInputs(context.database, { assetId: asset.assetId, timeframe, ts, asOf })
  if (inputs === null) {
    const when = asOf === null ? '' : ` that was known at ${asOf.toISOString()}`
    throw notFound(`No candle of ${slug} for ${timeframe} from ${ts.toISOString()} is stored${when}.`)
  }
  return { ...inputs, asset, timeframe, ts, asOf, status: statusOf(inputs.vwapUsd) }
}
