/**
 * The volume-weighted average price of one venue in one window: total turnover / total base volume of its
 * one-minute bars. The turnover of a bar comes from the best figure that the venue provides:
 *
 * 1. the bar's own VWAP x base volume (Kraken);
 * 2. the quote volume itself (Binance, OKX);
 * 3. the typical price (high + low + close) / 3 x base volume (Coinbase, Bitstamp).
 *
 * The third replaces a VWAP only in short bars: over daily ones it missed the true figure by a median of
 * 21 basis points (Coinbase BTC-USD, 1,683 days from December 2014 on), so hours and days are built from minutes.
 */
import { Decimal } from '../decimal.js'

/** A stablecoin further from one dollar does not give dollar prices. Our choice: usual noise is a few basis points. */
export const STABLECOIN_TOLERANCE = new Decimal('0.02')

/** The quote currency of a venue's pair; USDT and USDC are converted to USD. */
export type QuoteCurrency = 'USD' | 'USDT' | 'USDC'

/** A finished one-minute bar. Prices are in the quote currency per unit of the asset. */
export interface VenueBar {
  readonly venue: string
  /** Start of the bar, UTC. */
  readonly ts: Date
  readonly open: Decimal
  readonly high: Decimal
  readonly low: Decimal
  readonly close: Decimal
  /** Units of the asset traded; zero for a bar without a trade. */
  readonly baseVolume: Decimal
  /** Turnover in the quote currency; null if the venue does not provide it. */
  readonly quoteVolume: Decimal | null
  /** The venue's own VWAP of the bar; null if it does not provide it. */
  readonly vwap: Decimal | null
  readonly quoteCurrency: QuoteCurrency
}

/** Why a venue has no price: no trade in the window, a price that is not above zero, or a stablecoin off its peg. */
export type VenueExclusion = 'no_volume' | 'invalid_price' | 'stablecoin_off_peg'

export interface VenueVwap {
  /** USD per unit of the asset, unrounded. */
  readonly vwapUsd: Decimal
  /** Units of the asset. */
  readonly baseVolume: Decimal
  /** Turnover in USD, unrounded. */
  readonly volumeUsd: Decimal
  /** How the quote currency was converted: it is USD, by the given rate, or at par because no rate is known. */
  readonly conversion: UsdConversion
}

type UsdConversion = 'none' | 'rate' | 'par'

/**
 * VWAP in USD of one venue from its bars of one window, in any order; bars without volume are skipped, a traded
 * bar whose price is not above zero excludes the venue.
 *
 * `usdRate` is the price of one unit of the quote currency in USD in the same window, null while unknown; it is
 * ignored for USD. A stablecoin converts by its rate, or at par while the rate is unknown; a rate more than
 * 2 % off par excludes the venue. Throws RangeError for bars of two venues or currencies and for two bars with
 * the same start, which would count volume twice.
 */
export function venueVwap(
  bars: readonly VenueBar[],
  usdRate: Decimal | null,
): VenueVwap | { readonly excluded: VenueExclusion } {
  assertOneVenue(bars)
  const traded = tradedBars(bars)
  const quoteCurrency = traded[0]?.quoteCurrency
  if (quoteCurrency === undefined) return { excluded: 'no_volume' }
  const rate = quoteCurrency === 'USD' ? null : usdRate
  if (rate !== null && isOffPeg(rate)) return { excluded: 'stablecoin_off_peg' }
  const turnovers = traded.map(turnoverOf)
  if (!turnovers.every((turnover) => turnover.greaterThan(0))) return { excluded: 'invalid_price' }
  const baseVolume = Decimal.sum(...traded.map((bar) => bar.baseVolume))
  const volumeUsd = Decimal.sum(...turnovers).times(rate ?? 1)
  return {
    vwapUsd: volumeUsd.dividedBy(baseVolume),
    baseVolume,
    volumeUsd,
    conversion: quoteCurrency === 'USD' ? 'none' : rate === null ? 'par' : 'rate',
  }
}

/** The turnover of a bar in its quote currency, from the best figure that the venue provides. */
export function turnoverOf(bar: VenueBar): Decimal {
  if (bar.vwap !== null) return bar.vwap.times(bar.baseVolume)
  if (bar.quoteVolume !== null) return bar.quoteVolume
  return bar.high.plus(bar.low).plus(bar.close).times(bar.baseVolume).dividedBy(3)
}

/** The bars with a trade, by time. A base volume with a quote volume of zero is dust that the venue rounded away. */
export function tradedBars(bars: readonly VenueBar[]): readonly VenueBar[] {
  return bars
    .filter((bar) => bar.baseVolume.greaterThan(0) && bar.quoteVolume?.isZero() !== true)
    .sort((a, b) => a.ts.getTime() - b.ts.getTime())
}

function isOffPeg(rate: Decimal): boolean {
  return !rate.minus(1).abs().lessThanOrEqualTo(STABLECOIN_TOLERANCE)
}

function assertOneVenue(bars: readonly VenueBar[]): void {
  const series = new Set(bars.map((bar) => `${bar.venue} ${bar.quoteCurrency}`))
  if (series.size > 1) throw new RangeError(`Bars of more than one series: ${[...series].join(', ')}`)
  if (new Set(bars.map((bar) => bar.ts.getTime())).size < bars.length) {
    throw new RangeError(`Two bars of ${[...series].join()} have the same start`)
  }
}
