import { Decimal } from '../decimal.js'
import { type QuoteCurrency, tradedBars, turnoverOf, type VenueBar } from './venue-vwap.js'

/** Prices and turnover of one exchange in one window, in its quote currency. */
export interface ExchangePrices {
  readonly open: Decimal
  readonly high: Decimal
  readonly low: Decimal
  readonly close: Decimal
  /** Units of the asset. */
  readonly volume: Decimal
  /** Turnover as the consensus counts it. */
  readonly quoteVolume: Decimal
  readonly quoteCurrency: QuoteCurrency
}

/** The prices of a window from the traded one-minute bars of one exchange, in any order; null without a trade. */
export function exchangePrices(bars: readonly VenueBar[]): ExchangePrices | null {
  const traded = tradedBars(bars)
  const [first, last] = [traded[0], traded.at(-1)]
  if (first === undefined || last === undefined) return null
  return {
    open: first.open,
    high: Decimal.max(...traded.map(({ high }) => high)),
    low: Decimal.min(...traded.map(({ low }) => low)),
    close: last.close,
    volume: Decimal.sum(...traded.map(({ baseVolume }) => baseVolume)),
    quoteVolume: Decimal.sum(...traded.map(turnoverOf)),
    quoteCurrency: first.quoteCurrency,
  }
}
