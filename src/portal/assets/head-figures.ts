import { changeSince } from '../parts/change.js'
import { formatDay, formatInstant, toMonth } from '../parts/format.js'
import type { Asset } from './asset.js'
import type { PriceSeries } from './price-series.js'

/** What the head of an asset's page says about its price. */
export interface HeadFigures {
  readonly price: number | null
  readonly unit: string
  /** Time, day or month of the price; null without one. */
  readonly time: string | null
  /** Fractions by the name of their time. */
  readonly changes: readonly (readonly [name: string, fraction: number | null])[]
  readonly range: { readonly name: string; readonly low: number; readonly high: number } | null
  /** The prices of the sparkline, oldest first. */
  readonly trend: readonly (number | null)[]
  readonly trendName: string
}

/** The sparkline of a commodity has two years of months. */
const SHOWN_MONTHS = 24

/** @param series Empty until it is loaded, and if the visitor may not see it. */
export function toHeadFigures(
  { asset_class, price_changes, last_updated }: Asset,
  series: PriceSeries,
): HeadFigures {
  const { prices, isHourly } = series
  if (asset_class === 'commodity') return toMonthFigures(series)
  const { price, currency, price_date, change_1d, change_7d } = price_changes
  const isCrypto = asset_class === 'crypto'
  return {
    price,
    unit: currency,
    time: isCrypto ? formatInstant(last_updated) : price_date && formatDay(price_date),
    changes: [
      [isCrypto ? '24 h' : '1 d', change_1d],
      ['7 d', change_7d],
    ],
    range: isCrypto
      ? toCryptoRange(series, price)
      : series.newestDay && { name: 'Day range', ...series.newestDay },
    trend: isCrypto ? [...prices, price] : prices,
    trendName: isHourly ? 'over 7 days' : 'over 30 days',
  }
}

/** Null until prices are loaded. */
function toCryptoRange({ prices, isHourly }: PriceSeries, price: number | null): HeadFigures['range'] {
  if (prices.length === 0) return null
  return isHourly
    ? toRange('24 h range', [...prices.slice(-24), price])
    : toRange('30 d range', [...prices, price])
}

function toMonthFigures({ prices, unit, times }: PriceSeries): HeadFigures {
  const price = prices.at(-1) ?? null
  const time = times.at(-1)
  return {
    price,
    unit,
    time: time === undefined ? null : toMonth(time),
    changes: [
      ['1 month', changeSince(prices.at(-2), price)],
      ['1 year', changeSince(prices.at(-13), price)],
    ],
    range: toRange('1 year range', prices.slice(-13)),
    trend: prices.slice(-SHOWN_MONTHS),
    trendName: 'over 2 years',
  }
}

function toRange(name: string, prices: readonly (number | null)[]): HeadFigures['range'] {
  const known = prices.filter((price) => price !== null)
  return known.length === 0 ? null : { name, low: Math.min(...known), high: Math.max(...known) }
}
