import { LRUCache } from 'lru-cache'
import { publishFigure } from '../../core/consensus/consensus.js'
import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { type ApiError, notFound } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import { endOfHour } from '../../core/time.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { getAsset } from '../assets/service.js'
import {
  type CandleQuery,
  type InputsQuery,
  type InputsWindow,
  requireHistory,
} from './candle-query-service.js'
import type { AssetSupplyFigure, LatestFigures } from './latest-model.js'
import {
  candlesByAsset,
  inputsByAsset,
  latestByAssetId,
  supplyMethodologies,
  tradedAssets,
} from './loaders.js'
import { type AssetPrice, type CandleStatus, type WindowRange, windowStarts } from './model.js'
import type { CandleFigures, CandleInputs } from './series-store.js'

export interface Ohlcv {
  readonly asset: Asset
  readonly windows: WindowRange
  /** Every finished window of the range, oldest first; one without a stored candle has figures without sources. */
  readonly candles: readonly CandleFigures[]
}

/** Candles of an asset for a checked query; 404 for an unknown asset and for one that no venue trades. */
export async function getCandles(slug: Slug, query: CandleQuery, context: RequestContext): Promise<Ohlcv> {
  const asset = await getAsset(slug, context)
  const ohlcv = await getCandlesOfAsset(asset, query, context)
  if (ohlcv !== null) return ohlcv
  throw untraded(asset)
}

/** Throws 404 for an asset that has no candle at all. */
export async function assertTraded(asset: Asset, context: RequestContext): Promise<void> {
  const isTraded = asset.assetClass === 'crypto' && (await tradedAssets(context).load(asset.assetId)) !== null
  if (!isTraded) throw untraded(asset)
}

function untraded({ slug }: Asset): ApiError {
  return notFound(
    (name) =>
      `No venue that the consensus asks trades ${slug}: there are no candles of it. For its other facts see ${name('asset', { id: slug })}.`,
  )
}

/**
 * The same for an asset that was read already; null for one that no venue trades. One statement for all assets asked
 * for in the same tick, and a second one where nothing is stored in the range.
 */
export async function getCandlesOfAsset(
  asset: Asset,
  query: CandleQuery,
  context: RequestContext,
): Promise<Ohlcv | null> {
  if (asset.assetClass !== 'crypto') return null
  const { assetId } = asset
  const { windows } = query
  const starts = windowStarts(windows)
  const stored = starts.length === 0 ? null : await candlesByAsset(context).load({ assetId, query })
  if (!stored?.length && (await tradedAssets(context).load(assetId)) === null) return null
  return { asset, windows, candles: withoutGaps(starts, stored ?? []) }
}

const WITHOUT_SOURCES = { vwapUsd: null, volumeUsd: null, exchangesCount: 0, maxSourceWeight: null } as const

/** Both in the order of time: each start finds its candle at the place where the last search ended. */
function withoutGaps(starts: readonly Date[], stored: readonly CandleFigures[]): readonly CandleFigures[] {
  let place = 0
  return starts.map((ts) => {
    const candle = stored[place]
    if (candle === undefined || candle.ts.getTime() !== ts.getTime()) return { ts, ...WITHOUT_SOURCES }
    place += 1
    return candle
  })
}

/** With too few venues there is no price. */
export function toCandleStatus(vwapUsd: number | string | null): CandleStatus {
  return vwapUsd === null ? 'insufficient_sources' : 'ok'
}

/** Full: each window has a price. Empty: none has, or there is no window. */
export function toCandleQuality({ candles }: Ohlcv): 'full' | 'partial' | 'empty' {
  const priced = candles.filter(({ vwapUsd }) => vwapUsd !== null).length
  if (priced === 0) return 'empty'
  return priced === candles.length ? 'full' : 'partial'
}

/** Each asset has one pair of figures at a time. */
const MAX_CAPS = 5_000

type PricedAsset = Pick<Asset, 'assetId' | 'assetClass'>

/** With the hour another window has ended. */
function endsWithTheHour({ validity, now }: RequestContext): void {
  validity?.endsBy(endOfHour(now))
}

/**
 * The price of an asset whose newest figures were read with it. What the same request asks of the asset further down
 * is not read again.
 */
export function priceFrom(
  asset: PricedAsset,
  latest: LatestFigures,
  context: RequestContext,
): AssetPrice | null {
  endsWithTheHour(context)
  if (asset.assetClass === 'crypto') latestByAssetId(context).prime(asset.assetId, latest)
  return toPrice(latest)
}

/** The newest consensus of an asset; all that are asked for in one tick are one statement. */
export async function getLatestPrice(
  asset: PricedAsset,
  context: RequestContext,
): Promise<AssetPrice | null> {
  endsWithTheHour(context)
  return toPrice(await latestFigures(asset, context))
}

/** Units of an asset as its source counts them; null while nobody has counted. */
export async function getAssetSupply(
  asset: PricedAsset,
  context: RequestContext,
): Promise<AssetSupplyFigure | null> {
  const supply = (await latestFigures(asset, context))?.supply
  return supply ? { ...supply, assetId: asset.assetId } : null
}

/** How a supply was found out; null where its source does not say. */
export function getSupplyMethodology(
  { assetId }: AssetSupplyFigure,
  context: RequestContext,
): Promise<string | null> {
  return supplyMethodologies(context).load(assetId)
}

/** Only crypto assets have a consensus; of the others nothing is read. */
async function latestFigures(asset: PricedAsset, context: RequestContext): Promise<LatestFigures | null> {
  return asset.assetClass === 'crypto' ? latestByAssetId(context).load(asset.assetId) : null
}

function toPrice(latest: LatestFigures | null): AssetPrice | null {
  if (latest === null || latest.candle === null) return null
  const { vwapUsd, exchangesCount, methodologyVersion, endsAt } = latest.candle
  const supply = vwapUsd === null ? null : latest.supply
  return {
    // The text is a plain decimal, so this is the nearest double, as toJsonNumber gives it.
    priceUsd: vwapUsd === null ? null : Number(vwapUsd),
    marketCapUsd: vwapUsd === null || supply === null ? null : capOf(vwapUsd, supply.supply),
    supplySource: supply?.source ?? null,
    exchangesCount,
    status: toCandleStatus(vwapUsd),
    methodologyVersion,
    observedAt: endsAt,
  }
}

const caps = new LRUCache<string, number>({ max: MAX_CAPS })

/** Price times supply, USD, to 15 significant digits. Exact arithmetic, so done once for each pair of figures. */
function capOf(priceUsd: string, supply: string): number {
  const pair = `${priceUsd} ${supply}`
  const known = caps.get(pair)
  if (known !== undefined) return known
  // Counted in the smallest unit, a supply has more digits than figures from outside may have.
  const cap = toJsonNumber(publishFigure(new Decimal(priceUsd).times(new Decimal(supply))))
  caps.set(pair, cap)
  return cap
}

/** A candle with what it was made of. */
export interface ConsensusInputs extends CandleInputs, Omit<InputsWindow, 'ts'> {
  readonly asset: Asset
  readonly status: CandleStatus
}

/** What a candle was made of; 404 for an unknown asset and where no candle is stored. */
export async function getConsensusInputs(
  { slug, ...window }: InputsQuery,
  context: RequestContext,
): Promise<ConsensusInputs> {
  const inputs = await getConsensusInputsOfAsset(await getAsset(slug, context), window, context)
  if (inputs !== null) return inputs
  const { timeframe, ts, asOf } = window
  const when = asOf === null ? '' : ` that was known at ${asOf.toISOString()}`
  const from = ts === null ? '' : ` from ${ts.toISOString()}`
  throw notFound(`No candle of ${slug} for ${timeframe}${from} is stored${when}.`)
}

/** The same for an asset that was read already; null where no candle is stored. */
export async function getConsensusInputsOfAsset(
  asset: Asset,
  window: InputsWindow,
  context: RequestContext,
): Promise<ConsensusInputs | null> {
  const inputs = await inputsByAsset(context).load({ assetId: asset.assetId, ...window })
  if (inputs === null) return null
  if (window.ts === null) requireHistory(window.timeframe, inputs.ts, context)
  return { ...window, ...inputs, asset, status: toCandleStatus(inputs.vwapUsd) }
}
