import { toIndex } from '../parts/to-index.js'
import type { PriceSeries } from './price-series.js'

/** Two prices at the same times, each as an index that is 100 at the first time at which both are known. */
export interface ComparedPrices {
  readonly times: readonly number[]
  readonly own: readonly (number | null)[]
  readonly other: readonly (number | null)[]
}

/** At the times of `own`; of the other series the newest price that is known by then. */
export function comparePrices(own: PriceSeries, other: PriceSeries): ComparedPrices {
  const held = holdPrices(own.times, other)
  const start = own.prices.findIndex((price, at) => price !== null && held[at] != null)
  if (start < 0) return { times: [], own: [], other: [] }
  const index = (prices: readonly (number | null)[]) => {
    const base = prices[start] ?? 0
    return prices.slice(start).map((price) => (price === null || base === 0 ? null : toIndex(price, base)))
  }
  return { times: own.times.slice(start), own: index(own.prices), other: index(held) }
}

function holdPrices(times: readonly number[], { times: known, prices }: PriceSeries): (number | null)[] {
  let next = 0
  let newest: number | null = null
  return times.map((time) => {
    while (next < known.length && (known[next] ?? Infinity) <= time) {
      newest = prices[next] ?? newest
      next += 1
    }
    return newest
  })
}
