import type { QuoteCurrency } from '../../core/consensus/venue-vwap.js'
import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { Decimal } from '../../core/decimal.js'
import type { Ticker } from '../../core/identifiers.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ candles: 'tier', supply: 'onchain' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** Length of a candle: an hour or a UTC day. */
export const TIMEFRAMES = ['1h', '1d'] as const

export type Timeframe = (typeof TIMEFRAMES)[number]

/** Length of a window, milliseconds. Windows start at multiples of it since 1970, as UTC hours and days do. */
export const WINDOW_MS: Readonly<Record<Timeframe, number>> = { '1h': 3_600_000, '1d': 86_400_000 }

/** Windows one after the other, without a gap: from the start of the first to the end of the last. */
export interface WindowRange {
  readonly timeframe: Timeframe
  readonly first: Date
  /** Not before `first`; equal to it when there is no window. */
  readonly end: Date
  /** Windows of the range asked for; more than lie between `first` and `end` where a limit cut the older ones. */
  readonly total: number
}

/**
 * The windows from the one that holds `from` to the last that ends at or before `to`; of more than `limit` the newest.
 * Takes the same time however long the range is.
 */
export function windowsBetween(timeframe: Timeframe, from: Date, to: Date, limit: number): WindowRange {
  const lengthMs = WINDOW_MS[timeframe]
  const start = Math.floor(from.getTime() / lengthMs)
  const end = Math.max(start, Math.floor(to.getTime() / lengthMs))
  const first = Math.max(start, end - limit)
  return { timeframe, first: new Date(first * lengthMs), end: new Date(end * lengthMs), total: end - start }
}

/** Windows between `first` and `end`. */
export function windowCount({ timeframe, first, end }: WindowRange): number {
  return (end.getTime() - first.getTime()) / WINDOW_MS[timeframe]
}

/** Starts of the windows of a range, oldest first; made once for all assets whose windows are asked for together. */
export const windowStarts = memoizeByObject((range: WindowRange): readonly Date[] => {
  const lengthMs = WINDOW_MS[range.timeframe]
  const firstMs = range.first.getTime()
  return Array.from({ length: windowCount(range) }, (_, index) => new Date(firstMs + index * lengthMs))
})

/** Units of an asset as a source counts them. */
export interface SupplyRow {
  readonly assetId: number
  /** Decimal text, above zero. */
  readonly supply: string
  readonly observedAt: Date
  /** How it was found out, in words. */
  readonly methodology: string
}

/** Whether enough venues agreed on a price. */
export type CandleStatus = 'ok' | 'insufficient_sources'

/** Where prices come from. Bitfinex is known from daily files only, the others from one-minute bars. */
export const VENUES = ['binance', 'bitfinex', 'bitstamp', 'coinbase', 'kraken', 'okx'] as const

export type Venue = (typeof VENUES)[number]

/** One venue's UTC day from a daily file. */
export interface DailyVenueWindow {
  readonly venue: Venue
  readonly ticker: Ticker
  readonly quoteCurrency: QuoteCurrency
  readonly day: IsoDate
  /** Typical price (high + low + close) / 3 of the day, in the quote currency: all that such a file gives for a VWAP. */
  readonly vwap: Decimal
  /** Units of the asset; zero on a day without a trade. */
  readonly baseVolume: Decimal
  /** Turnover in the quote currency; newer files give volume x close for it. */
  readonly quoteVolume: Decimal
}

/** The newest consensus of an asset. Prices in USD. */
export interface AssetPrice {
  /** Null with too few venues. */
  readonly priceUsd: number | null
  /** Price times supply to 15 significant digits; null without either. */
  readonly marketCapUsd: number | null
  /** Who counted the supply behind `marketCapUsd`; null where that is null. */
  readonly supplySource: string | null
  readonly exchangesCount: number
  readonly status: CandleStatus
  readonly methodologyVersion: string
  /** End of its window: what it is as old as. */
  readonly observedAt: Date
}
