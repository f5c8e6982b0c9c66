import { DAY_MS, HOUR_MS, startOfDay, startOfHour } from '../../../../core/time.js'
import type { AaoifiContent, Signal } from '../../../../domains/analysis/model.js'
import type { AnalysisInput, PricePoint } from '../generator.js'
import { denseSeries, roundDigits, roundTo, type Series } from './statistics.js'

/** Fractions are published with 6 decimals, amounts with 8 significant digits. */
const FRACTION_DECIMALS = 6
const AMOUNT_DIGITS = 8
const SCORE_DECIMALS = 4

/** The results of the rules for one kind of analysis. */
export interface Findings {
  readonly signals: readonly Signal[]
  /** From -1 to 1; null if there is no score. */
  readonly sentimentScore: number | null
  /** Plain sentences, the most important first. */
  readonly sentences: readonly string[]
  readonly aaoifi?: AaoifiContent
  /** Oldest start and newest end of the windows used; null if no dated fact was used. */
  readonly window: { readonly from: Date; readonly to: Date } | null
}

/** Prices of the last `count` days that had ended; the last one is yesterday's. */
export function dailyPrices(input: AnalysisInput, count: number): Series {
  return denseSeries(input.daily, dayGrid(input, count), ({ priceUsd }) => priceUsd)
}

/** Traded value of the last `count` days that had ended. */
export function dailyVolumes(input: AnalysisInput, count: number): Series {
  return denseSeries(input.daily, dayGrid(input, count), ({ volumeUsd }) => volumeUsd)
}

/** Prices of the last `count` hours that had ended. */
export function hourlyPrices(input: AnalysisInput, count: number): Series {
  const lastMs = startOfHour(input.asOf).getTime() - HOUR_MS
  return denseSeries(input.hourly, { lastMs, stepMs: HOUR_MS, count }, ({ priceUsd }) => priceUsd)
}

/** The span of the closed windows among these days and hours. */
export function computeWindow(
  input: AnalysisInput,
  used: { readonly days: number; readonly hours: number },
): Findings['window'] {
  const spans = [
    ...spansOf(input.daily, input.asOf, DAY_MS, used.days),
    ...spansOf(input.hourly, input.asOf, HOUR_MS, used.hours),
  ]
  if (spans.length === 0) return null
  return {
    from: new Date(spans.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY)),
    to: new Date(spans.reduce((most, { to }) => Math.max(most, to), Number.NEGATIVE_INFINITY)),
  }
}

/** The newest priced window that had ended, and its end; null without one. */
export function newestPriced(
  input: AnalysisInput,
): { readonly point: PricePoint; readonly end: Date } | null {
  const hour = newestOf(input.hourly, input.asOf, HOUR_MS)
  const day = newestOf(input.daily, input.asOf, DAY_MS)
  if (hour === null || day === null) return hour ?? day
  return day.end > hour.end ? day : hour
}

export function fraction(name: string, value: number | null, threshold: number | null = null): Signal {
  return { name, value: roundTo(value, FRACTION_DECIMALS), unit: 'fraction', threshold }
}

export function amountUsd(name: string, value: number | null): Signal {
  return { name, value: roundDigits(value, AMOUNT_DIGITS), unit: 'USD', threshold: null }
}

/** A ratio without a unit. */
export function quotient(name: string, value: number | null, threshold: number | null): Signal {
  return { name, value: roundTo(value, FRACTION_DECIMALS), unit: null, threshold }
}

/** A boolean; null if unknown. */
export function truth(name: string, value: boolean | null): Signal {
  return { name, value, unit: null, threshold: null }
}

/** Whether the asset is known to be a stablecoin. */
export function isTokenStablecoin({ token }: AnalysisInput): boolean {
  return token?.kind === 'stablecoin'
}

/**
 * The mean of components in [-1, 1], with 4 decimals. Null if one is missing, so that a score always means the
 * same.
 */
export function computeScore(components: readonly (number | null)[]): number | null {
  const known = components.filter((value) => value !== null)
  if (known.length === 0 || known.length < components.length) return null
  return roundTo(known.reduce((sum, value) => sum + value, 0) / known.length, SCORE_DECIMALS)
}

/**
 * A return in relation to its usual size: tanh(return / (volatility x sqrt(days / 365))), in [-1, 1]. Without
 * volatility, a return of zero gives 0. Null if a figure is missing.
 */
export function scaledMomentum(
  change: number | null,
  volatility: number | null,
  days: number,
): number | null {
  if (change === null || volatility === null) return null
  const usual = volatility * Math.sqrt(days / 365)
  return usual === 0 ? Math.sign(change) : Math.tanh(change / usual)
}

function dayGrid({ asOf }: AnalysisInput, count: number) {
  return { lastMs: startOfDay(asOf).getTime() - DAY_MS, stepMs: DAY_MS, count }
}

function spansOf(points: readonly PricePoint[], asOf: Date, lengthMs: number, windows: number) {
  const end = Math.floor(asOf.getTime() / lengthMs) * lengthMs
  return points
    .map(({ ts }) => ({ from: ts.getTime(), to: ts.getTime() + lengthMs }))
    .filter(({ from, to }) => to <= end && from >= end - windows * lengthMs)
}

function newestOf(points: readonly PricePoint[], asOf: Date, lengthMs: number) {
  const point = points.findLast(
    ({ ts, priceUsd }) => priceUsd !== null && ts.getTime() + lengthMs <= asOf.getTime(),
  )
  return point === undefined ? null : { point, end: new Date(point.ts.getTime() + lengthMs) }
}
