import {
  type AssetTier,
  consensus,
  OUTLIER_BAND,
  type VenueInput,
} from '../../../core/consensus/consensus.js'
import { Decimal } from '../../../core/decimal.js'
import { DAY_MS } from '../../../core/time.js'
import { WINDOW_MS } from '../../../domains/market/model.js'
import type { CandleRow } from '../../../domains/market/store.js'
import { noise } from '../../seed/values/noise.js'
import type { CryptoLevel } from './crypto-levels.js'
import { candleRow, type Window } from './roll-up.js'

/** A synthetic asset with the level of its price and volume. */
export interface SeedAsset extends CryptoLevel {
  readonly assetId: number
  readonly tier: AssetTier
}

/** Lengths in days and weights of the waves of the log price: years, seasons, weeks, days. */
const WAVES = [
  [1_460, 0.4],
  [389, 0.26],
  [97, 0.18],
  [23, 0.1],
  [3.7, 0.06],
] as const

/** Largest distance of a price from its level, as a logarithm, and the largest move within a window. */
const SWING = 0.35
const WINDOW_NOISE = 0.004

/** A stablecoin stays within a few basis points of a dollar. */
const STABLE_SWING = 0.0006
const STABLE_NOISE = 0.0002

/** Share of all units of an asset that is traded in a day, by tier. */
const DAILY_TURNOVER: Readonly<Record<AssetTier, number>> = { 1: 0.02, 2: 0.008, 3: 0.002 }

/** Largest distance of a venue's price from the asset's, as a fraction. */
const SPREAD = 0.0008

/** Shares of the volume in a usual window, none above half, and in a window that one venue dominates. */
const VENUES = ['binance', 'coinbase', 'kraken', 'bitstamp'] as const
const SHARES = [0.41, 0.27, 0.19, 0.13] as const
const DOMINATED_SHARES = [0.66, 0.13, 0.11, 0.1] as const
const SHARE_NOISE = 0.08

type Course = 'usual' | 'outlier' | 'dominated' | 'thin'

/** How often a window is unusual, by tier: less traded assets have more such windows. */
const ODDS: Readonly<Record<AssetTier, Readonly<Record<Exclude<Course, 'usual'>, number>>>> = {
  1: { outlier: 0.03, dominated: 0.05, thin: 0.005 },
  2: { outlier: 0.05, dominated: 0.08, thin: 0.02 },
  3: { outlier: 0.07, dominated: 0.1, thin: 0.05 },
}

/**
 * A synthetic candle made by the real consensus. It depends only on asset and window, so the same window always has
 * the same figures. Most windows are usual; in some a venue's price is far off, in some one venue has most of the
 * volume, in some only two venues trade. A provisional candle lacks the last venue.
 */
export function seedCandle(asset: SeedAsset, window: Window, isProvisional = false): CandleRow {
  const key = `${asset.slug} ${window.timeframe} ${window.ts.getTime()}`
  const course = courseOf(asset.tier, noise(`${key} course`))
  const priceUsd = seedPriceOf(asset, window, key)
  const volumeUsd = seedVolumeOf(asset, window, key) * priceUsd
  const inputs = VENUES.map(
    (venue, place): VenueInput =>
      isProvisional && place === VENUES.length - 1
        ? { venue, excluded: 'no_volume' }
        : venueOf({ venue, place, key, course, priceUsd, volumeUsd, tier: asset.tier }),
  )
  return candleRow(asset.assetId, window, consensus(inputs, asset.tier))
}

function courseOf(tier: AssetTier, draw: number): Course {
  const { outlier, dominated, thin } = ODDS[tier]
  if (draw < outlier) return 'outlier'
  if (draw < outlier + dominated) return 'dominated'
  return draw < outlier + dominated + thin ? 'thin' : 'usual'
}

function seedPriceOf({ slug, priceUsd }: SeedAsset, { timeframe, ts }: Window, key: string): number {
  const isStable = priceUsd === 1
  const days = (ts.getTime() + WINDOW_MS[timeframe] / 2) / DAY_MS
  const wave = WAVES.reduce(
    (sum, [length, weight]) =>
      sum + weight * Math.sin(2 * Math.PI * (days / length + noise(`${slug}${length}`))),
    0,
  )
  const own = 2 * noise(`${key} price`) - 1
  return (
    priceUsd *
    Math.exp((isStable ? STABLE_SWING : SWING) * wave + (isStable ? STABLE_NOISE : WINDOW_NOISE) * own)
  )
}

/** Units traded: half to one and a half times the usual. */
function seedVolumeOf({ supply, tier }: SeedAsset, { timeframe }: Window, key: string): number {
  const usual = (Number(supply) * DAILY_TURNOVER[tier] * WINDOW_MS[timeframe]) / DAY_MS
  return usual * (0.5 + noise(`${key} volume`))
}

function venueOf(at: {
  readonly venue: string
  readonly place: number
  readonly key: string
  readonly course: Course
  readonly priceUsd: number
  readonly volumeUsd: number
  readonly tier: AssetTier
}): VenueInput {
  const { venue, place, key, course, tier } = at
  if (course === 'thin' && place >= 2) return { venue, excluded: 'no_volume' }
  const own = `${key} ${venue}`
  const isFarOff = course === 'outlier' && place === VENUES.length - 1
  const spread = isFarOff ? farOff(tier, noise(`${own} far`)) : SPREAD * (2 * noise(`${own} spread`) - 1)
  const share = (course === 'dominated' ? DOMINATED_SHARES : SHARES)[place] ?? 0
  const volume = at.volumeUsd * share * (1 + SHARE_NOISE * (2 * noise(`${own} share`) - 1))
  return { venue, vwapUsd: figure(at.priceUsd * (1 + spread)), volumeUsd: figure(volume) }
}

/** One and a half to two and a half times the band of the tier, up or down. */
function farOff(tier: AssetTier, draw: number): number {
  return (draw < 0.5 ? -1 : 1) * OUTLIER_BAND[tier].toNumber() * (1.5 + draw)
}

/** Eight digits, like the figures of venues. */
function figure(value: number): Decimal {
  return new Decimal(value.toPrecision(8))
}
