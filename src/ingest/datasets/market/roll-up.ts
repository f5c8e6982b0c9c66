import {
  type AssetTier,
  type Consensus,
  consensus,
  METHODOLOGY_VERSION,
  publishFigure,
  type VenueInput,
} from '../../../core/consensus/consensus.js'
import { type ExchangePrices, exchangePrices } from '../../../core/consensus/exchange-prices.js'
import { type QuoteCurrency, type VenueBar, venueVwap } from '../../../core/consensus/venue-vwap.js'
import { Decimal, decimalText } from '../../../core/decimal.js'
import { groupBy } from '../../../core/group-by.js'
import { HOUR_MS, MINUTE_MS, startOfDay, startOfHour } from '../../../core/time.js'
import { keepsPrices, type StoredPrices, type Timeframe, WINDOW_MS } from '../../../domains/market/model.js'
import type { CandleRow } from '../../../domains/market/store.js'

/** The first trades of a window may come some minutes after its start. */
const FIRST_BAR_GRACE_MS = 5 * MINUTE_MS

/** The span of one candle: from `ts`, UTC, to the start of the next. */
export interface Window {
  readonly timeframe: Timeframe
  readonly ts: Date
}

/** An asset as the consensus needs it. */
export interface PricedAsset {
  readonly assetId: number
  readonly tier: AssetTier
}

/** USD per unit of a stablecoin in a window; null while unknown. */
export type UsdRate = (currency: Exclude<QuoteCurrency, 'USD'>, window: Window) => Decimal | null

export function endOfWindow({ timeframe, ts }: Window): Date {
  return new Date(ts.getTime() + WINDOW_MS[timeframe])
}

/** The span [from, to) of windows, of which at least one is given. */
export function spanOf(windows: readonly Window[]): { readonly from: Date; readonly to: Date } {
  return {
    from: new Date(Math.min(...windows.map(({ ts }) => ts.getTime()))),
    to: new Date(Math.max(...windows.map((window) => endOfWindow(window).getTime()))),
  }
}

/** The hours and days that overlap [from, to), by time, each hour before its day. */
export function windowsWithin(from: Date, to: Date): readonly Window[] {
  const windows: Window[] = []
  for (let hour = startOfHour(from).getTime(); hour < to.getTime(); hour += HOUR_MS) {
    windows.push({ timeframe: '1h', ts: new Date(hour) })
  }
  for (let day = startOfDay(from).getTime(); day < to.getTime(); day += WINDOW_MS['1d']) {
    windows.push({ timeframe: '1d', ts: new Date(day) })
  }
  return windows
}

/** These hours and their days, each once. */
export function windowsOfHours(hours: readonly Date[]): readonly Window[] {
  return uniqueWindows(
    hours.flatMap((hour) => [
      { timeframe: '1h' as const, ts: startOfHour(hour) },
      { timeframe: '1d' as const, ts: startOfDay(hour) },
    ]),
  )
}

export function uniqueWindows(windows: readonly Window[]): readonly Window[] {
  return [
    ...new Map(windows.map((window) => [`${window.timeframe} ${window.ts.getTime()}`, window])).values(),
  ]
}

/**
 * Whether a window may get a candle: it has ended, the series had begun by its end, and retention has deleted none
 * of its bars. Otherwise a late bar would replace a good candle by one of that bar alone.
 */
export function isRollable(
  window: Window,
  known: { readonly now: Date; readonly firstBar: Date; readonly keptFrom: Date },
): boolean {
  return (
    endOfWindow(window) <= known.now &&
    window.ts >= known.keptFrom &&
    window.ts.getTime() + FIRST_BAR_GRACE_MS >= known.firstBar.getTime()
  )
}

/**
 * The candles of the windows from one-minute bars of all venues, in any order. A window without a bar has no
 * candle. The bars must be of one asset, with each minute of a venue once (RangeError otherwise).
 */
export function rollUp(
  asset: PricedAsset,
  windows: readonly Window[],
  bars: readonly VenueBar[],
  usdRate: UsdRate,
): readonly CandleRow[] {
  return windows.flatMap((window) => {
    const { inputs, prices } = readWindow(asset, window, bars, usdRate)
    return inputs.length === 0
      ? []
      : [candleRow(asset.assetId, window, consensus(inputs, asset.tier), prices)]
  })
}

/** What the bars of a window say of each exchange. */
export interface WindowFacts {
  /** Its contribution to the consensus. */
  readonly inputs: readonly VenueInput[]
  /** What it traded at, by exchange, where the candles of the asset keep it. */
  readonly prices: ReadonlyMap<string, StoredPrices>
}

export function readWindow(
  { tier }: PricedAsset,
  window: Window,
  bars: readonly VenueBar[],
  usdRate: UsdRate,
): WindowFacts {
  const exchanges = byVenue(barsOf(window, bars))
  const priced = keepsPrices(tier, window.timeframe) ? exchanges : []
  return {
    inputs: exchanges.map(([venue, own]) => {
      const currency = own[0]?.quoteCurrency ?? 'USD'
      return { venue, ...venueVwap(own, currency === 'USD' ? null : usdRate(currency, window)) }
    }),
    prices: new Map(
      priced.flatMap(([venue, own]) => {
        const prices = exchangePrices(own)
        return prices === null ? [] : [[venue, toStoredPrices(prices)]]
      }),
    ),
  }
}

function toStoredPrices({ quoteCurrency, ...prices }: ExchangePrices): StoredPrices {
  const { open, high, low, close, volume, quoteVolume } = prices
  return {
    open: decimalText(open),
    high: decimalText(high),
    low: decimalText(low),
    close: decimalText(close),
    volume: decimalText(publishFigure(volume)),
    quoteVolume: decimalText(publishFigure(quoteVolume)),
    quoteCurrency,
  }
}

/**
 * USD per unit of a stablecoin in a window, from the bars of its own pairs: the median of the VWAPs of the venues
 * that trade it against US dollars; null without one.
 */
export function stablecoinRate(window: Window, bars: readonly VenueBar[]): Decimal | null {
  const inDollars = barsOf(window, bars).filter((bar) => bar.quoteCurrency === 'USD')
  const rates = byVenue(inDollars).map(([, own]) => venueVwap(own, null))
  return median(rates.flatMap((rate) => ('excluded' in rate ? [] : rate.vwapUsd)))
}

/** The middle figure, or the mean of the two middle ones; null for an empty list. */
export function median(figures: readonly Decimal[]): Decimal | null {
  const sorted = figures.toSorted((a, b) => a.comparedTo(b))
  if (sorted.length === 0) return null
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
  return Decimal.sum(0, ...middle).dividedBy(middle.length)
}

/** A consensus as it is stored, with the prices of its exchanges. */
export function candleRow(
  assetId: number,
  { timeframe, ts }: Window,
  result: Consensus,
  prices: ReadonlyMap<string, StoredPrices> = new Map(),
): CandleRow {
  return {
    assetId,
    timeframe,
    ts,
    vwapUsd: textOf(result.vwapUsd),
    volumeUsd: textOf(result.volumeUsd),
    exchangesCount: result.exchangesCount,
    maxSourceWeight: textOf(result.maxSourceWeight),
    methodologyVersion: METHODOLOGY_VERSION,
    sources: result.sources.map(({ venue, vwapUsd, volumeUsd, weight, exclusion, deviation }) => {
      const own = prices.get(venue)
      return {
        venue,
        vwapUsd: textOf(vwapUsd),
        volumeUsd: textOf(volumeUsd),
        weight: textOf(weight),
        exclusion,
        deviation: textOf(deviation),
        ...(own === undefined ? {} : { prices: own }),
      }
    }),
  }
}

function barsOf(window: Window, bars: readonly VenueBar[]): readonly VenueBar[] {
  const end = endOfWindow(window)
  return bars.filter((bar) => bar.ts >= window.ts && bar.ts < end)
}

function byVenue(bars: readonly VenueBar[]): readonly (readonly [string, readonly VenueBar[]])[] {
  return [...groupBy(bars, ({ venue }) => venue)]
}

function textOf(figure: Decimal | null): string | null {
  return figure === null ? null : decimalText(figure)
}
