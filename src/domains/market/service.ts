import { LRUCache } from 'lru-cache'
import { knownAtText } from '../../core/as-of.js'
import { publishFigure } from '../../core/consensus/consensus.js'
import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { type ApiError, notFound } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import { DAY_MS, endOfHour } from '../../core/time.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { getAsset } from '../assets/service.js'
import {
  assertHistoryAccess,
  type CandleQuery,
  type InputsQuery,
  type InputsWindow,
} from './candles/candle-query-service.js'
import type { CandleInputs } from './inputs-store.js'
import type { AssetSupplyFigure, LatestFigures } from './latest-model.js'
import {
  candlesByAsset,
  historyByAsset,
  inputsByAsset,
  latestByAssetId,
  priceByWindow,
  supplyMethodologies,
} from './loaders.js'
import {
  type AssetPrice,
  type CandleStatus,
  WINDOW_MS,
  type WindowRange,
  windowCount,
  windowStarts,
  windowsSince,
} from './model.js'
import type { CandleFigures, FirstWindows } from './series-store.js'

export interface Ohlcv {
  readonly asset: Asset
  readonly windows: WindowRange
  /**
   * Every finished window of the range since the asset's first candle, oldest first. A window without a stored candle has null
   * figures and no sources.
   */
  readonly candles: readonly CandleFigures[]
}

/** Candles of an asset for a checked query. An unknown asset is a 404, as is one that no venue trades. */
export async function getCandles(slug: Slug, query: CandleQuery, context: RequestContext): Promise<Ohlcv> {
  const asset = await getAsset(slug, context)
  const ohlcv = await getCandlesOfAsset(asset, query, context)
  if (ohlcv !== null) return ohlcv
  throw notTraded(asset)
}

/** Throws a 404 for an asset without any candle. */
export async function assertTraded(asset: Asset, context: RequestContext): Promise<void> {
  const isTraded =
    asset.assetClass === 'crypto' && (await historyByAsset(context).load(asset.assetId)) !== null
  if (!isTraded) throw notTraded(asset)
}

/** The first windows of an asset. Null without any candle. All assets requested in the same tick share one statement. */
export function getFirstWindows(
  { assetId }: Pick<Asset, 'assetId'>,
  context: RequestContext,
): Promise<FirstWindows | null> {
  return historyByAsset(context).load(assetId)
}

/** The 404 for an asset without candles. */
export function notTraded({ slug, assetClass }: Asset): ApiError {
  const reason =
    assetClass === 'crypto'
      ? 'no exchange of the consensus trades it'
      : 'consensus prices exist for crypto assets only'
  return notFound(
    (name) => `${slug} has no candles: ${reason}. Use ${name('asset', { id: slug })} for its other data.`,
  )
}

/**
 * Candles of a loaded asset for a checked query. Null if no venue trades the asset. All assets requested in the same tick
 * share one statement, and a second one if a range may begin before an asset's first candle.
 */
export async function getCandlesOfAsset(
  asset: Asset,
  query: CandleQuery,
  context: RequestContext,
): Promise<Ohlcv | null> {
  if (asset.assetClass !== 'crypto') return null
  const { assetId } = asset
  const { windows } = query
  const isWhole = windowCount(windows) === windows.total
  const stored = windowCount(windows) === 0 ? null : await candlesByAsset(context).load({ assetId, query })
  if (isWhole && stored?.[0]?.ts.getTime() === windows.first.getTime())
    return { asset, windows, candles: fillGaps(windowStarts(windows), stored) }
  const history = await historyByAsset(context).load(assetId)
  if (history === null) return null
  const own = windowsSince(windows, history[windows.timeframe])
  return { asset, windows: own, candles: fillGaps(windowStarts(own), stored ?? []) }
}

const WITHOUT_SOURCES = { vwapUsd: null, volumeUsd: null, exchangesCount: 0, maxSourceWeight: null } as const

/** Both lists are in order of time, so one pass matches each start with its candle. */
export function fillGaps(
  starts: readonly Date[],
  stored: readonly CandleFigures[],
): readonly CandleFigures[] {
  let next = 0
  return starts.map((ts) => {
    const candle = stored[next]
    if (candle === undefined || candle.ts.getTime() !== ts.getTime()) return { ts, ...WITHOUT_SOURCES }
    next += 1
    return candle
  })
}

/** A missing price means that too few venues were left. */
export function toCandleStatus(vwapUsd: number | string | null): CandleStatus {
  return vwapUsd === null ? 'insufficient_sources' : 'ok'
}

/** Full if every window has a price. Empty if no window has one. Partial otherwise. */
export function toCandleQuality(prices: readonly (number | null)[]): 'full' | 'partial' | 'empty' {
  const priced = prices.filter((price) => price !== null).length
  if (priced === 0) return 'empty'
  return priced === prices.length ? 'full' : 'partial'
}

/** An asset has one price and one supply at a time, so one entry per asset is enough. */
const MAX_CAPS = 5_000

type PricedAsset = Pick<Asset, 'assetId' | 'assetClass'>

/** Another window ends with the hour, so the answer is valid until then. */
function limitValidityToHour({ validity, now }: RequestContext): void {
  validity?.endsBy(endOfHour(now))
}

/**
 * The price of an asset whose newest figures were loaded with it. It primes the loader, so that nested fields of the same
 * request do not load the figures again.
 */
export function toLatestPrice(
  asset: PricedAsset,
  latest: LatestFigures,
  context: RequestContext,
): AssetPrice | null {
  limitValidityToHour(context)
  if (asset.assetClass === 'crypto') latestByAssetId(context).prime(asset.assetId, latest)
  return toPrice(latest)
}

/** The newest consensus of an asset. All assets requested in one tick share one statement. */
export async function getLatestPrice(
  asset: PricedAsset,
  context: RequestContext,
): Promise<AssetPrice | null> {
  limitValidityToHour(context)
  return toPrice(await loadLatest(asset, context))
}

/** A window without a consensus takes that of one of so many windows before it, as in the analyses. */
const MAX_GAP = 2

/** The newest consensus of an asset, and those of some days earlier. */
export interface ConsensusHistory {
  /** Null with too few venues. */
  readonly price: Decimal | null
  /** End of the window. */
  readonly observedAt: Date
  /** Prices of the windows that ended so many days earlier, or of one of the two before. Null without one. */
  readonly earlier: readonly (Decimal | null)[]
}

/** Null without any consensus. All assets of a page share one statement. */
export async function getConsensusHistory(
  asset: PricedAsset,
  daysEarlier: readonly number[],
  context: RequestContext,
): Promise<ConsensusHistory | null> {
  limitValidityToHour(context)
  const candle = (await loadLatest(asset, context))?.candle ?? null
  if (candle === null) return null
  const { timeframe, endsAt, vwapUsd } = candle
  const lengthMs = WINDOW_MS[timeframe]
  const priceOf = async (days: number) => {
    const startMs = endsAt.getTime() - days * DAY_MS - lengthMs
    const prices = await Promise.all(
      Array.from({ length: MAX_GAP + 1 }, (_, gap) => {
        const ts = new Date(startMs - gap * lengthMs)
        return priceByWindow(context).load({ assetId: asset.assetId, timeframe, ts })
      }),
    )
    return prices.find((price) => price !== null) ?? null
  }
  const earlier = await Promise.all(daysEarlier.map(priceOf))
  return { price: vwapUsd === null ? null : new Decimal(vwapUsd), observedAt: endsAt, earlier }
}

/** The supply of an asset according to its source. Null if no source counts it. */
export async function getAssetSupply(
  asset: PricedAsset,
  context: RequestContext,
): Promise<AssetSupplyFigure | null> {
  const supply = (await loadLatest(asset, context))?.supply
  return supply ? { ...supply, assetId: asset.assetId } : null
}

/** How a supply was determined. Null if its source does not state it. */
export function getSupplyMethodology(
  { assetId }: Pick<AssetSupplyFigure, 'assetId'>,
  context: RequestContext,
): Promise<string | null> {
  return supplyMethodologies(context).load(assetId)
}

/** Only crypto assets have a consensus, so nothing is loaded for the others. */
async function loadLatest(asset: PricedAsset, context: RequestContext): Promise<LatestFigures | null> {
  return asset.assetClass === 'crypto' ? latestByAssetId(context).load(asset.assetId) : null
}

/** The price of an asset from its newest figures. Null without a consensus. */
export function toPrice(latest: LatestFigures | null): AssetPrice | null {
  if (latest === null || latest.candle === null) return null
  const { vwapUsd, exchangesCount, methodologyVersion, endsAt } = latest.candle
  const supply = vwapUsd === null ? null : latest.supply
  return {
    // The text is a plain decimal, so `Number` gives the nearest double, the same as toJsonNumber.
    priceUsd: vwapUsd === null ? null : Number(vwapUsd),
    marketCapUsd: vwapUsd === null || supply === null ? null : computeMarketCap(vwapUsd, supply.supply),
    supplySource: supply?.source ?? null,
    exchangesCount,
    status: toCandleStatus(vwapUsd),
    methodologyVersion,
    observedAt: endsAt,
  }
}

const marketCaps = new LRUCache<string, number>({ max: MAX_CAPS })

/** Price times supply, USD, to 15 significant digits. Cached per pair because exact arithmetic is slow. */
function computeMarketCap(priceUsd: string, supply: string): number {
  const pair = `${priceUsd} ${supply}`
  const known = marketCaps.get(pair)
  if (known !== undefined) return known
  // Uses `Decimal` directly: a supply in the smallest unit has more digits than the parser of outside figures accepts.
  const cap = toJsonNumber(publishFigure(new Decimal(priceUsd).times(new Decimal(supply))))
  marketCaps.set(pair, cap)
  return cap
}

export interface ConsensusInputs extends CandleInputs, Omit<InputsWindow, 'ts'> {
  readonly asset: Asset
  readonly requested: InputsWindow
  readonly status: CandleStatus
}

/** The inputs of a candle. An unknown asset is a 404, as is a candle that is not stored. */
export async function getConsensusInputs(
  { slug, ...window }: InputsQuery,
  context: RequestContext,
): Promise<ConsensusInputs> {
  const asset = await getAsset(slug, context)
  const inputs = await getConsensusInputsOfAsset(asset, window, context)
  if (inputs !== null) return inputs
  if (asset.assetClass !== 'crypto') throw notTraded(asset)
  const { timeframe, ts, asOf } = window
  const when = knownAtText(asOf)
  const from = ts === null ? '' : ` from ${ts.toISOString()}`
  throw notFound(`No ${timeframe} candle of ${slug}${from} is stored${when}.`)
}

/** The inputs of a candle of a loaded asset. Null if the candle is not stored. */
export async function getConsensusInputsOfAsset(
  asset: Asset,
  window: InputsWindow,
  context: RequestContext,
): Promise<ConsensusInputs | null> {
  const inputs = await inputsByAsset(context).load({ assetId: asset.assetId, ...window })
  if (inputs === null) return null
  if (window.ts === null) assertHistoryAccess(window.timeframe, inputs.ts, context)
  return { ...window, ...inputs, asset, requested: window, status: toCandleStatus(inputs.vwapUsd) }
}
