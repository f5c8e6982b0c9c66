import { LRUCache } from 'lru-cache'
import { publishFigure } from '../../core/consensus.js'
import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { notFound } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import { endOfHour } from '../../core/time.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request-context.js'
import { type AssetListQuery, getAsset, unknownAsset } from '../assets/service.js'
import type { CandleQuery, InputsQuery } from './candle-query.js'
import { outlineOf } from './card-outlines.js'
import { type AssetFigures, type CardPage, MILESTONE, readCardPage } from './card-store.js'
import { candlesByAsset, cardBySlug, latestByAssetId } from './loaders.js'
import { type WindowRange, windowStarts } from './model.js'
import {
  type CandleFigures,
  type CandleInputs,
  type LatestFigures,
  readCandleInputs,
  type SupplyFigure,
} from './series-store.js'

export type CandleStatus = 'ok' | 'insufficient_sources'

export interface Ohlcv {
  readonly asset: Asset
  readonly windows: WindowRange
  /** Every finished window of the range, oldest first; one without a stored candle has figures without sources. */
  readonly candles: readonly CandleFigures[]
}

/** Candles of an asset for a checked query; one statement for all assets asked for in the same tick. */
export async function getCandles(asset: Asset, query: CandleQuery, context: RequestContext): Promise<Ohlcv> {
  const { windows, asOf } = query
  const starts = windowStarts(windows)
  const stored =
    starts.length === 0 ? [] : await candlesByAsset(context).load({ assetId: asset.assetId, windows, asOf })
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
export function statusOf(vwapUsd: number | string | null): CandleStatus {
  return vwapUsd === null ? 'insufficient_sources' : 'ok'
}

/** Full: each window has a price. Empty: none has, or there is no window. */
export function qualityOf({ candles }: Ohlcv): 'full' | 'partial' | 'empty' {
  const priced = candles.filter(({ vwapUsd }) => vwapUsd !== null).length
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

/** Each asset has one pair of figures at a time. */
const MAX_CAPS = 5_000

type PricedAsset = Pick<Asset, 'assetId' | 'assetClass'>

/** An asset with its price, null where it has none. */
export interface PricedCard {
  readonly asset: Asset
  readonly price: AssetPrice | null
}

/**
 * One page of assets in the order of asset_id, with their prices, and how many match on all pages. One statement; a
 * second one counts before it, the first time that a filter is asked of a version of the dataset.
 */
export async function listCards(
  { filter, page }: AssetListQuery,
  context: RequestContext,
): Promise<{ readonly cards: readonly PricedCard[]; readonly total: number }> {
  const { total, milestones } = await outlineOf(filter, context)
  const cards = await readCardPage(context.database, filter, placeOf(page, milestones), context.now)
  return { cards: cards.map((card) => toPricedCard(card, context)), total }
}

/** A page is found from the last milestone before it, without counting up to it. */
function placeOf({ limit, offset }: AssetListQuery['page'], milestones: readonly number[]): CardPage {
  const passed = Math.max(0, Math.min(Math.floor(offset / MILESTONE), milestones.length - 1))
  return { limit, from: milestones[passed] ?? null, offset: offset - passed * MILESTONE }
}

/** The asset of a slug with its price; 404 where there is none. */
export async function getCard(slug: Slug, context: RequestContext): Promise<PricedCard> {
  const card = await cardBySlug(context).load(slug)
  if (card === null) throw unknownAsset(slug)
  return toPricedCard(card, context)
}

/** What the same request asks of the asset further down, it has here already. */
function toPricedCard({ asset, latest }: AssetFigures, context: RequestContext): PricedCard {
  endsWithTheHour(context)
  if (asset.assetClass === 'crypto') latestByAssetId(context).prime(asset.assetId, latest)
  return { asset, price: toPrice(latest) }
}

/** With the hour another window has ended. */
function endsWithTheHour({ life, now }: RequestContext): void {
  life?.endsBy(endOfHour(now))
}

/** The newest consensus of an asset; all that are asked for in one tick are one statement. */
export async function priceOf(asset: PricedAsset, context: RequestContext): Promise<AssetPrice | null> {
  endsWithTheHour(context)
  return toPrice(await latestOf(asset, context))
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
  return {
    // The text is a plain decimal, so this is the nearest double, as toJsonNumber gives it.
    priceUsd: vwapUsd === null ? null : Number(vwapUsd),
    marketCapUsd: vwapUsd === null || latest.supply === null ? null : capOf(vwapUsd, latest.supply.supply),
    exchangesCount,
    status: statusOf(vwapUsd),
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

export interface ConsensusInputs extends CandleInputs, Omit<InputsQuery, 'slug'> {
  readonly asset: Asset
  readonly status: CandleStatus
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
