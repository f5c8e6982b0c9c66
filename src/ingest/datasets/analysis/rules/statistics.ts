/** Evenly spaced figures, oldest first; null where a window has none. */
export type Series = readonly (number | null)[]

/** Share of a span's windows that must have a figure for a statistic over it; with fewer it is null. */
export const MIN_COVERAGE = 0.8

/** A price replaces missing ones for this many windows. */
export const MAX_GAP = 2

/** Days of a year for assets that trade every day. */
export const DAYS_PER_YEAR = 365

/**
 * A series of `count` windows that ends with the window at `lastMs`. Windows outside it or off the grid are left
 * out.
 */
export function denseSeries<Point extends { readonly ts: Date }>(
  points: readonly Point[],
  grid: { readonly lastMs: number; readonly stepMs: number; readonly count: number },
  read: (point: Point) => number | null,
): Series {
  const series: (number | null)[] = Array.from({ length: grid.count }, () => null)
  for (const point of points) {
    const fromEnd = (grid.lastMs - point.ts.getTime()) / grid.stepMs
    if (!Number.isInteger(fromEnd) || fromEnd < 0 || fromEnd >= grid.count) continue
    series[grid.count - 1 - fromEnd] = read(point)
  }
  return series
}

/** The figure `back` windows before the last, or the newest of the two windows before that; otherwise null. */
export function valueBack(series: Series, back: number): number | null {
  for (let gap = 0; gap <= MAX_GAP; gap++) {
    const value = series[series.length - 1 - back - gap]
    if (value !== undefined && value !== null) return value
  }
  return null
}

/** Simple return p(t) / p(t - n) - 1 as a fraction; null if either price is missing. */
export function simpleReturn(series: Series, windows: number): number | null {
  const now = valueBack(series, 0)
  const then = valueBack(series, windows)
  return now === null || then === null || then === 0 ? null : now / then - 1
}

/** Arithmetic mean of the last n figures; null below the coverage. */
export function movingAverage(series: Series, windows: number): number | null {
  const known = covered(series, windows)
  return known === null ? null : mean(known)
}

/**
 * Realised volatility, a fraction per year: the sample standard deviation (n - 1) of the log returns ln(p(t) / p(t-1))
 * of the last n windows, times the square root of the windows per year. Returns across a gap are left out; null below
 * the coverage. Source of the formula: Hull, Options, Futures, and Other Derivatives, "Estimating volatility from
 * historical data".
 */
export function realisedVolatility(
  series: Series,
  windows: number,
  windowsPerYear = DAYS_PER_YEAR,
): number | null {
  if (series.length < windows + 1) return null
  const prices = series.slice(-(windows + 1))
  const returns = prices.flatMap((price, at) => {
    const before = prices[at - 1]
    return price === null || before === null || before === undefined ? [] : [Math.log(price / before)]
  })
  if (returns.length < 2 || returns.length < windows * MIN_COVERAGE) return null
  const centre = mean(returns)
  const squares = returns.reduce((sum, value) => sum + (value - centre) ** 2, 0)
  return Math.sqrt(squares / (returns.length - 1)) * Math.sqrt(windowsPerYear)
}

/** Largest fall from an earlier high within the last n windows, a fraction from 0 to 1; null below the coverage. */
export function maxDrawdown(series: Series, windows: number): number | null {
  const known = covered(series, windows)
  if (known === null) return null
  let high = 0
  let deepest = 0
  for (const price of known) {
    high = Math.max(high, price)
    if (high > 0) deepest = Math.max(deepest, 1 - price / high)
  }
  return deepest
}

/** Share of the last n windows that have a figure; windows before the series count as empty. */
export function coverage(series: Series, windows: number): number {
  return series.slice(-windows).filter((value) => value !== null).length / windows
}

/** Rounds to that many decimals; null stays null, and negative zero becomes zero. */
export function roundTo(value: number | null, decimals: number): number | null {
  return value === null ? null : Number(value.toFixed(decimals)) + 0
}

/** Rounds to that many significant digits; null stays null. */
export function roundDigits(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toPrecision(digits)) + 0
}

function covered(series: Series, windows: number): readonly number[] | null {
  if (series.length < windows) return null
  const known = series.slice(-windows).filter((value) => value !== null)
  return known.length === 0 || known.length < windows * MIN_COVERAGE ? null : known
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
