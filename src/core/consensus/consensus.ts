/**
 * Volume-weighted consensus price of one asset in one window over several trading venues.
 *
 * Each venue has its own VWAP in USD and its turnover in USD (core/consensus/venue-vwap.ts computes them).
 * Both are rounded to 15 significant digits first, and all further steps use the rounded figures. The published
 * figures are the inputs of the calculation, so anyone can repeat it.
 *
 * 1. A venue without a usable price or volume is excluded.
 * 2. The median of the remaining prices is taken; for an even number, the mean of the two in the middle.
 * 3. A venue further from the median than the band of the asset's tier (3 %, 5 %, 7 %) is excluded. A price
 *    exactly on the band stays.
 * 4. While one venue holds more than 50 % of the remaining volume it is excluded, and the shares of the others are
 *    computed again. Exactly half stays.
 * 5. With fewer than 3 venues left there is no price: insufficient_sources.
 * 6. The price is sum(price x volume) / sum(volume) over the venues left, so it is within their range.
 *
 * Venues are taken in the order of their names, so the order of the input does not matter. Rounding is half to
 * even. A JSON number carries at most 15 digits without loss; products of two such figures have at most 30,
 * so with the 40 of core/decimal.ts sums are exact while volumes lie within a factor of 1e10 of each other.
 */

import { Decimal, decimal } from '../decimal.js'
import type { Method } from '../method.js'
import { volumeWeights } from './consensus-weights.js'
import type { VenueExclusion } from './venue-vwap.js'

/** Changes with every rule or threshold here or in core/consensus/venue-vwap.ts. */
export const METHODOLOGY_VERSION = 'vwap-consensus-1'

/** A price needs at least this many venues; from the API contract. */
export const MIN_SOURCES = 3

/** Largest share of the volume that one venue may hold, as a fraction; from the API contract. */
export const MAX_SOURCE_WEIGHT = new Decimal('0.5')

/** 1 for the most traded assets, 3 for the least. */
export type AssetTier = 1 | 2 | 3

/** The tier of an asset; null and unknown values count as 3. */
export function toAssetTier(tier: number | null): AssetTier {
  return tier === 1 || tier === 2 ? tier : 3
}

/** Largest distance from the median by tier, as a fraction of the median. */
export const OUTLIER_BAND: Readonly<Record<AssetTier, Decimal>> = {
  1: new Decimal('0.03'), // API contract: 3 %
  2: new Decimal('0.05'), // API contract: 5 %
  3: new Decimal('0.07'), // API contract: 7 %
}

/** The method of every consensus price. */
export const CONSENSUS_METHOD: Method = {
  summary: `Volume-weighted mean of at least ${MIN_SOURCES} exchanges, without outliers and dominant exchanges (${METHODOLOGY_VERSION}).`,
  section: 'consensus-prices',
}

/** The range of core/decimal.ts; a figure outside it is a broken input. */
const LARGEST = new Decimal('1e30')
const SMALLEST = new Decimal('1e-30')

const PUBLISHED_DIGITS = 15
const DEVIATION_PLACES = 10

/** A venue's figures of the window: USD per unit of the asset, and turnover in USD. */
export interface VenueFigures {
  readonly venue: string
  readonly vwapUsd: Decimal
  readonly volumeUsd: Decimal
}

/** A venue without figures, with the reason; it is reported but not used. */
export interface VenueWithout {
  readonly venue: string
  readonly excluded: VenueExclusion
}

export type VenueInput = VenueFigures | VenueWithout

export type SourceExclusion = VenueExclusion | 'outlier' | 'dominant_volume'

export interface SourceOutcome {
  readonly venue: string
  /** Null if the venue has no readable figure. 15 significant digits. */
  readonly vwapUsd: Decimal | null
  readonly volumeUsd: Decimal | null
  /** Share of the volume of the venues used, 10 decimal places; null when not used or when there is no price. */
  readonly weight: Decimal | null
  /** Null for a venue that passed every rule. With fewer than 3 of them there is still no price. */
  readonly exclusion: SourceExclusion | null
  /** (price - median) / median, 10 decimal places; null for a venue that is not part of the median. */
  readonly deviation: Decimal | null
}

export interface Consensus {
  readonly status: 'ok' | 'insufficient_sources'
  /** Null without enough sources, as are the volume and the largest weight. */
  readonly vwapUsd: Decimal | null
  /** Turnover in USD of the venues used. */
  readonly volumeUsd: Decimal | null
  /** Venues that passed every rule: at least 3 when ok, fewer otherwise. */
  readonly exchangesCount: number
  /** Largest weight as a fraction, at most 0.5. */
  readonly maxSourceWeight: Decimal | null
  /** Every venue of the input, by name. */
  readonly sources: readonly SourceOutcome[]
}

/** A published source: decimals as text, so that readers' floats do not change them. */
export interface PublishedSource {
  readonly venue: string
  readonly vwapUsd: string | null
  readonly volumeUsd: string | null
  readonly exclusion: string | null
}

/**
 * The consensus of the venues by the rules above; the weights add up to exactly 1. Its own published figures give the same
 * result again. Throws RangeError only for a repeated venue, never for a figure.
 */
export function consensus(inputs: readonly VenueInput[], tier: AssetTier): Consensus {
  assertDistinctVenues(inputs)
  const readings = inputs.map(read).sort(byVenue)
  const quotes = readings.filter(isQuote)
  const median = medianPriceOf(quotes)
  const near = quotes.filter((quote) => isWithinBand(quote, median, OUTLIER_BAND[tier]))
  const used = withoutDominant(near)
  const weights = used.length < MIN_SOURCES ? new Map<string, Decimal>() : volumeWeights(used)
  return {
    status: used.length < MIN_SOURCES ? 'insufficient_sources' : 'ok',
    vwapUsd: weightedPriceOf(used),
    volumeUsd: used.length < MIN_SOURCES ? null : publishFigure(volumeOf(used)),
    exchangesCount: used.length,
    maxSourceWeight: weights.size === 0 ? null : Decimal.max(...weights.values()),
    sources: readings.map(
      (reading): SourceOutcome => ({
        venue: reading.venue,
        vwapUsd: reading.vwapUsd,
        volumeUsd: reading.volumeUsd,
        weight: weights.get(reading.venue) ?? null,
        exclusion: isQuote(reading) ? failedRule(reading, near, used) : reading.defect,
        deviation: isQuote(reading) ? deviationOf(reading, median) : null,
      }),
    ),
  }
}

/**
 * The published price from the published sources of one window: those without an exclusion, weighted by volume;
 * null if they are fewer than 3. It trusts the exclusions; to check these too, run `consensus` on the figures.
 * Throws RangeError for a missing or invalid figure of a used source.
 */
export function recompute(sources: readonly PublishedSource[]): Decimal | null {
  const used = sources
    .filter((source) => source.exclusion === null)
    .map(({ venue, vwapUsd, volumeUsd }) => ({
      venue,
      vwapUsd: decimal(vwapUsd ?? 'null'),
      volumeUsd: decimal(volumeUsd ?? 'null'),
    }))
  return weightedPriceOf(used.sort(byVenue))
}

/** A published price or turnover: 15 significant digits, half to even. */
export function publishFigure(exact: Decimal): Decimal {
  return exact.toSignificantDigits(PUBLISHED_DIGITS, Decimal.ROUND_HALF_EVEN)
}

interface Reading {
  readonly venue: string
  readonly vwapUsd: Decimal | null
  readonly volumeUsd: Decimal | null
  readonly defect: VenueExclusion | null
}

/** Without a defect both figures exist and are above zero. */
type Quote = VenueFigures & { readonly defect: null }

function read(input: VenueInput): Reading {
  if ('excluded' in input) {
    return { venue: input.venue, vwapUsd: null, volumeUsd: null, defect: input.excluded }
  }
  const vwapUsd = readFigure(input.vwapUsd)
  const volumeUsd = readFigure(input.volumeUsd)
  const hasVolume = volumeUsd?.greaterThan(0) === true
  const defect = vwapUsd?.greaterThan(0) !== true ? 'invalid_price' : hasVolume ? null : 'no_volume'
  return { venue: input.venue, vwapUsd, volumeUsd, defect }
}

function readFigure(figure: Decimal): Decimal | null {
  const size = figure.abs()
  const isReadable = size.isZero() || (size.greaterThanOrEqualTo(SMALLEST) && size.lessThanOrEqualTo(LARGEST))
  return isReadable ? publishFigure(figure) : null
}

function isQuote(reading: Reading): reading is Quote {
  return reading.defect === null
}

/** NaN without quotes. */
function medianPriceOf(quotes: readonly Quote[]): Decimal {
  const prices = quotes.map((quote) => quote.vwapUsd).sort((a, b) => a.comparedTo(b))
  const middle = prices.slice(Math.ceil(prices.length / 2) - 1, Math.floor(prices.length / 2) + 1)
  return Decimal.sum(0, ...middle).dividedBy(middle.length)
}

/** Compares products, so that the result does not depend on a rounded quotient. */
function isWithinBand(quote: Quote, median: Decimal, band: Decimal): boolean {
  return quote.vwapUsd.minus(median).abs().lessThanOrEqualTo(median.times(band))
}

function deviationOf(quote: Quote, median: Decimal): Decimal {
  const deviation = quote.vwapUsd.minus(median).dividedBy(median)
  return deviation.toDecimalPlaces(DEVIATION_PLACES, Decimal.ROUND_HALF_EVEN)
}

/** Stops below 3 venues: then there is no price, and one of two venues nearly always holds more than half. */
function withoutDominant(quotes: readonly Quote[]): readonly Quote[] {
  if (quotes.length < MIN_SOURCES) return quotes
  const most = volumeOf(quotes).times(MAX_SOURCE_WEIGHT)
  const rest = quotes.filter((quote) => quote.volumeUsd.lessThanOrEqualTo(most))
  return rest.length === quotes.length ? quotes : withoutDominant(rest)
}

function failedRule(quote: Quote, near: readonly Quote[], used: readonly Quote[]): SourceExclusion | null {
  if (!near.includes(quote)) return 'outlier'
  return used.includes(quote) ? null : 'dominant_volume'
}

function weightedPriceOf(used: readonly VenueFigures[]): Decimal | null {
  if (used.length < MIN_SOURCES) return null
  const turnover = Decimal.sum(...used.map((source) => source.vwapUsd.times(source.volumeUsd)))
  return publishFigure(turnover.dividedBy(volumeOf(used)))
}

function volumeOf(sources: readonly VenueFigures[]): Decimal {
  return Decimal.sum(0, ...sources.map((source) => source.volumeUsd))
}

/** Order by code units, the same on every machine; names are unique. */
function byVenue(a: { readonly venue: string }, b: { readonly venue: string }): number {
  return a.venue < b.venue ? -1 : 1
}

function assertDistinctVenues(inputs: readonly VenueInput[]): void {
  const venues = inputs.map((input) => input.venue)
  if (new Set(venues).size < venues.length) throw new RangeError(`A venue comes twice: ${venues.join(', ')}`)
}
