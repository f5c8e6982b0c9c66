import type { AssetTier } from '../../core/consensus/consensus.js'
import type { QuoteCurrency } from '../../core/consensus/venue-vwap.js'
import { type Registered, registerDatasets } from '../../core/datasets.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'

const DATASETS = registerDatasets({ candles: 'tier', supply: 'onchain' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** Length of a candle: an hour or a UTC day. */
export const TIMEFRAMES = ['1h', '1d'] as const

export type Timeframe = (typeof TIMEFRAMES)[number]

/** The names of Prisma's client for the timeframes. */
export const STORED_TIMEFRAMES = { '1h': 'hour', '1d': 'day' } as const satisfies Readonly<
  Record<Timeframe, string>
>

/** The timeframes by their names in Prisma's client. */
export const TIMEFRAME_OF = { hour: '1h', day: '1d' } as const satisfies Readonly<
  Record<(typeof STORED_TIMEFRAMES)[Timeframe], Timeframe>
>

/** Length of a window in milliseconds. Windows start at multiples of it since 1970, like UTC hours and days. */
export const WINDOW_MS: Readonly<Record<Timeframe, number>> = { '1h': 3_600_000, '1d': 86_400_000 }

/** Consecutive windows without a gap, from the start of the first to the end of the last. */
export interface WindowRange {
  readonly timeframe: Timeframe
  readonly first: Date
  /** Not before `first`. Equal to `first` without a window. */
  readonly end: Date
  /** End of the requested range. The last window ends then or before. */
  readonly until: Date
  /** Windows of the requested range. More than those between `first` and `end` if a limit cut off the older ones. */
  readonly total: number
}

/** A requested range of candles. */
export interface CandleRange {
  readonly timeframe: Timeframe
  readonly from: Date
  readonly until: Date
}

/**
 * The newest `limit` windows of a range, which begins with the window that contains `from` and ends with the last one that
 * ends at or before `until`. The length of the range does not affect the time it takes.
 */
export function windowsBetween({ timeframe, from, until }: CandleRange, limit: number): WindowRange {
  const lengthMs = WINDOW_MS[timeframe]
  const start = Math.floor(from.getTime() / lengthMs)
  const end = Math.max(start, Math.floor(until.getTime() / lengthMs))
  const first = Math.max(start, end - limit)
  return {
    timeframe,
    first: new Date(first * lengthMs),
    end: new Date(end * lengthMs),
    until,
    total: end - start,
  }
}

/** The windows of a range from an asset's first candle on; none if that is null or after the range. */
export function windowsSince(windows: WindowRange, first: Date | null): WindowRange {
  const start = first === null || first > windows.end ? windows.end : first
  const total = windowCount({ ...windows, first: start })
  if (total >= windows.total) return windows
  return { ...windows, first: new Date(Math.max(start.getTime(), windows.first.getTime())), total }
}

/** Number of windows between `first` and `end`. */
export function windowCount({ timeframe, first, end }: WindowRange): number {
  return (end.getTime() - first.getTime()) / WINDOW_MS[timeframe]
}

/** Starts of the windows of a range, oldest first. Computed once for all assets that are requested together. */
export const windowStarts = memoizeByObject((range: WindowRange): readonly Date[] => {
  const lengthMs = WINDOW_MS[range.timeframe]
  const firstMs = range.first.getTime()
  return Array.from({ length: windowCount(range) }, (_, index) => new Date(firstMs + index * lengthMs))
})

/** The supply of an asset according to a source. */
export interface SupplyRow {
  readonly assetId: number
  /** Decimal text, above zero. */
  readonly supply: string
  readonly observedAt: Date
  /** How the source determined it, in words. */
  readonly methodology: string
}

/** The part of a venue in a candle, exactly as the consensus published it, with decimals as text. */
export interface StoredSource {
  readonly venue: string
  readonly vwapUsd: string | null
  readonly volumeUsd: string | null
  readonly weight: string | null
  readonly exclusion: string | null
  readonly deviation: string | null
  /** Absent where the exchange had no trade, and where no prices of single exchanges are kept. */
  readonly prices?: StoredPrices
}

/** Prices and turnover of one exchange in a window, in its quote currency; decimals as text. */
export interface StoredPrices extends Readonly<Record<PriceMember, string>> {
  readonly quoteCurrency: QuoteCurrency
}

type PriceMember = 'open' | 'high' | 'low' | 'close' | 'volume' | 'quoteVolume'

/** Hours of tier 3 keep none, which would be most of the bytes. */
const LAST_TIER_WITH_HOURS = 2

/** Whether the candles of an asset keep the prices of each exchange: all days, and the hours of the assets that are traded most. */
export function keepsPrices(tier: AssetTier, timeframe: Timeframe): boolean {
  return timeframe === '1d' || tier <= LAST_TIER_WITH_HOURS
}

/** Whether enough venues agreed on a price. */
export type CandleStatus = 'ok' | 'insufficient_sources'

/** The newest consensus of an asset. Prices in USD. */
export interface AssetPrice {
  /** Null with too few venues. */
  readonly priceUsd: number | null
  /** Price times supply to 15 significant digits. Null without a price or a supply. */
  readonly marketCapUsd: number | null
  /** Source of the supply behind `marketCapUsd`. Null if `marketCapUsd` is null. */
  readonly supplySource: string | null
  readonly exchangesCount: number
  readonly status: CandleStatus
  readonly methodologyVersion: string
  /** End of its window, from which its age counts. */
  readonly observedAt: Date
}
