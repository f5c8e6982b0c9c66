import {
  type AssetTier,
  consensus,
  OUTLIER_BAND,
  type VenueFigures,
  type VenueInput,
} from '../../../core/consensus/consensus.js'
import { dollarOf } from '../../../core/consensus/venue-symbols.js'
import type { QuoteCurrency } from '../../../core/consensus/venue-vwap.js'
import { Decimal, decimalText } from '../../../core/decimal.js'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { DAY_MS } from '../../../core/time.js'
import { keepsPrices, type StoredPrices, WINDOW_MS } from '../../../domains/market/model.js'
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

/** Places of a venue's price relative to the asset's, and its largest usual distance from it. */
const FACTOR_UNIT = 1e5
const SPREAD = 80

/**
 * Volumes of the venues relative to the asset's, in thousandths. The first three add up to 1,000, and 1,250 with the fourth,
 * so that weighted means of few digits are exact. The fourth dominates a window with the larger volume.
 */
const VENUES = ['binance', 'coinbase', 'kraken', 'bitstamp'] as const
const SHARES = [410, 340, 250] as const
const SHARE_NOISE = 40
const LAST_SHARE = 250
const DOMINANT_SHARE = 1_500

/** Decimal places of the units of an asset that are traded at the price 1. */
const UNIT_PLACES = 3

/** Digits of a price and a volume before a venue's factor, so that every figure has at most 15. */
const PRICE_DIGITS = 5
const VOLUME_DIGITS = 8

type Course = 'usual' | 'outlier' | 'dominated' | 'thin'

/** How often a window is unusual, by tier: less traded assets have more such windows. */
const ODDS: Readonly<Record<AssetTier, Readonly<Record<Exclude<Course, 'usual'>, number>>>> = {
  1: { outlier: 0.03, dominated: 0.05, thin: 0.005 },
  2: { outlier: 0.05, dominated: 0.08, thin: 0.02 },
  3: { outlier: 0.07, dominated: 0.1, thin: 0.05 },
}

/**
 * A synthetic candle. It depends only on asset and window, so the same window always has the same figures. Most windows are
 * usual; in some a venue's price is far off, in some one venue has most of the volume, in some only two venues trade. A
 * provisional candle lacks the last venue.
 */
export function seedCandle(asset: SeedAsset, window: Window, isProvisional = false): CandleRow {
  const key = `${asset.slug} ${window.timeframe} ${window.ts.getTime()}`
  const course = courseOf(asset.tier, noise(`${key} course`))
  const priceUsd = seedPriceOf(asset, window, key)
  const volumeUsd = seedVolumeOf(asset, window, key) * priceUsd
  const pattern = patternOf(asset, course, Math.floor(noise(`${key} pattern`) * PATTERNS), isProvisional)
  return scaledCandle(pattern, { asset, window, priceUsd, volumeUsd })
}

function courseOf(tier: AssetTier, draw: number): Course {
  const { outlier, dominated, thin } = ODDS[tier]
  if (draw < outlier) return 'outlier'
  if (draw < outlier + dominated) return 'dominated'
  return draw < outlier + dominated + thin ? 'thin' : 'usual'
}

function isStablecoin({ priceUsd }: SeedAsset): boolean {
  return priceUsd === 1
}

/** Each window of an asset needs its waves. */
const wavesOf = memoizeByObject(({ slug }: SeedAsset) =>
  WAVES.map(([length, weight]) => ({ length, weight, phase: noise(`${slug}${length}`) })),
)

function seedPriceOf(asset: SeedAsset, { timeframe, ts }: Window, key: string): number {
  const { priceUsd } = asset
  const isStable = isStablecoin(asset)
  const days = (ts.getTime() + WINDOW_MS[timeframe] / 2) / DAY_MS
  const wave = wavesOf(asset).reduce(
    (sum, { length, weight, phase }) => sum + weight * Math.sin(2 * Math.PI * (days / length + phase)),
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

/** Patterns of each course and tier. */
const PATTERNS = 250

/** The consensus of a window in which the asset has price and volume 1, with prices of the exchanges. */
type Pattern = Omit<CandleRow, 'assetId' | 'timeframe' | 'ts'>

/** Largest distances of the first and the last price of a window from its mean, and of the extremes from these. */
const DRIFT = 600
const WICK = 400

/** The share of these distances at which a stablecoin moves. */
const STABLE_SHARE = 0.02

const patterns = new Map<string, Pattern>()

/** A pattern, made by the real consensus when it is first needed. */
function patternOf(asset: SeedAsset, course: Course, number: number, isProvisional: boolean): Pattern {
  const { tier } = asset
  const moves = isStablecoin(asset) ? STABLE_SHARE : 1
  const key = `${tier} ${course} ${number}`
  const name = `${key} ${isProvisional} ${moves}`
  const known = patterns.get(name)
  if (known !== undefined) return known
  const inputs = VENUES.map(
    (venue, place): VenueInput =>
      (isProvisional && place === VENUES.length - 1) || (course === 'thin' && place >= 2)
        ? { venue, excluded: 'no_volume' }
        : {
            venue,
            vwapUsd: new Decimal(priceFactor(key, tier, course, place)).dividedBy(FACTOR_UNIT),
            volumeUsd: new Decimal(volumeShare(key, course, place)),
          },
  )
  const prices = new Map(
    VENUES.flatMap((venue, place) => {
      const input = inputs[place]
      return input === undefined || 'excluded' in input
        ? []
        : [[venue, pricesAround(input, dollarOf(venue), { key, moves })] as const]
    }),
  )
  const pattern = candleRow(0, { timeframe: '1d', ts: new Date(0) }, consensus(inputs, tier), prices)
  patterns.set(name, pattern)
  return pattern
}

/** Prices of a window whose mean and turnover are those of the exchange. */
function pricesAround(
  { venue, vwapUsd, volumeUsd }: VenueFigures,
  quoteCurrency: QuoteCurrency,
  { key, moves }: { readonly key: string; readonly moves: number },
): StoredPrices {
  const mean = vwapUsd.times(FACTOR_UNIT).toNumber()
  const moved = (size: number, name: string) => Math.round(moves * size * noise(`${key} ${venue} ${name}`))
  const drift = moved(2 * DRIFT, 'drift') - Math.round(moves * DRIFT)
  const [open, close] = [mean - drift, mean + drift]
  const text = (units: number) => decimalText(new Decimal(units).dividedBy(FACTOR_UNIT))
  return {
    open: text(open),
    high: text(Math.max(open, close) + moved(WICK, 'high')),
    low: text(Math.min(open, close) - moved(WICK, 'low')),
    close: text(close),
    volume: decimalText(volumeUsd.dividedBy(vwapUsd).toDecimalPlaces(UNIT_PLACES)),
    quoteVolume: decimalText(volumeUsd),
    quoteCurrency,
  }
}

/** In an outlying window the price of the last venue is one and a half to two and a half times the band away. */
function priceFactor(key: string, tier: AssetTier, course: Course, place: number): number {
  const draw = noise(`${key} ${place} price`)
  const distance =
    course === 'outlier' && place === VENUES.length - 1
      ? (draw < 0.5 ? -1 : 1) * OUTLIER_BAND[tier].toNumber() * (1.5 + draw) * FACTOR_UNIT
      : SPREAD * (2 * draw - 1)
  return FACTOR_UNIT + Math.round(distance)
}

function volumeShare(key: string, course: Course, place: number): number {
  if (place === VENUES.length - 1) return course === 'dominated' ? DOMINANT_SHARE : LAST_SHARE
  const moved = Math.round(SHARE_NOISE * (2 * noise(`${key} share`) - 1))
  return (SHARES[place] ?? 0) + (place === 0 ? moved : place === 1 ? -moved : 0)
}

/**
 * The candle of a pattern with a price and a volume. It equals the consensus of the venues' figures: all of them are exact,
 * and weights and deviations are the same at any price and volume.
 */
function scaledCandle(
  pattern: Pattern,
  at: {
    readonly asset: SeedAsset
    readonly window: Window
    readonly priceUsd: number
    readonly volumeUsd: number
  },
): CandleRow {
  const volumeUnit = at.volumeUsd / (FIRST_SHARES + LAST_SHARE)
  const price = scalerOf(at.priceUsd, PRICE_DIGITS)
  const scale = {
    price,
    volume: scalerOf(volumeUnit, VOLUME_DIGITS),
    units: scalerOf(volumeUnit / Number(price('1')), VOLUME_DIGITS),
  }
  const figure = (scaler: Scaler, factor: string | null) => (factor === null ? null : scaler(factor))
  const hasPrices = keepsPrices(at.asset.tier, at.window.timeframe)
  return {
    ...pattern,
    assetId: at.asset.assetId,
    ...at.window,
    vwapUsd: figure(scale.price, pattern.vwapUsd),
    volumeUsd: figure(scale.volume, pattern.volumeUsd),
    sources: pattern.sources.map(({ prices, ...source }) => ({
      ...source,
      vwapUsd: figure(scale.price, source.vwapUsd),
      volumeUsd: figure(scale.volume, source.volumeUsd),
      ...(prices === undefined || !hasPrices ? {} : { prices: scalePrices(prices, scale) }),
    })),
  }
}

function scalePrices(
  { quoteCurrency, ...prices }: StoredPrices,
  scale: Readonly<Record<'price' | 'volume' | 'units', Scaler>>,
): StoredPrices {
  const { open, high, low, close, volume, quoteVolume } = prices
  return {
    open: scale.price(open),
    high: scale.price(high),
    low: scale.price(low),
    close: scale.price(close),
    volume: scale.units(volume),
    quoteVolume: scale.volume(quoteVolume),
    quoteCurrency,
  }
}

const FIRST_SHARES = SHARES.reduce((sum, share) => sum + share, 0)

type Scaler = (factor: string) => string

/** Multiplies factors of at most nine decimals by a value of so many digits. Integers of doubles are exact up to 15 digits. */
function scalerOf(value: number, digits: number): Scaler {
  const [mantissa = '', exponent] = value.toExponential(digits - 1).split('e')
  const units = Number(mantissa.replace('.', ''))
  const places = digits - 1 - Number(exponent)
  return (factor) => {
    const { whole, decimals } = partsOf(factor)
    return plainText(units * whole, places + decimals)
  }
}

interface FactorParts {
  /** The factor without its point. */
  readonly whole: number
  readonly decimals: number
}

/** The patterns have few factors, and each is used thousands of times. */
const factors = new Map<string, FactorParts>()

function partsOf(factor: string): FactorParts {
  const known = factors.get(factor)
  if (known !== undefined) return known
  const parts = { whole: Number(factor.replace('.', '')), decimals: factor.split('.')[1]?.length ?? 0 }
  factors.set(factor, parts)
  return parts
}

/** Whole units of ten to the power of minus `places` as a decimal without exponent and closing zeros. */
function plainText(units: number, places: number): string {
  let [rest, decimals] = [units, places]
  while (decimals > 0 && rest % 10 === 0) {
    rest /= 10
    decimals -= 1
  }
  const digits = String(rest)
  if (decimals <= 0) return `${digits}${'0'.repeat(-decimals)}`
  const point = digits.length - decimals
  return point > 0 ? `${digits.slice(0, point)}.${digits.slice(point)}` : `0.${'0'.repeat(-point)}${digits}`
}
