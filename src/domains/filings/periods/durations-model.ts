import { daysBetween } from '../../../core/time.js'
import type { StatedFact } from '../model.js'

/** A length of periods that reports state amounts for. */
export type Duration = 'quarter' | 'half' | 'nine_months' | 'year'

/**
 * Days of each duration, both ends included: calendar months, or 12 to 14, 25 to 27, 38 to 40, 52 or 53 weeks. Only days tell
 * the duration of a fact: its fiscal year and period (fy, fp) are those of the filing, and its frame is a calendar quarter.
 */
export const DURATION_DAYS = {
  quarter: { min: 84, max: 98 },
  half: { min: 175, max: 189 },
  nine_months: { min: 266, max: 280 },
  year: { min: 364, max: 371 },
} as const satisfies Readonly<Record<Duration, { readonly min: number; readonly max: number }>>

export const DURATIONS = Object.keys(DURATION_DAYS) as readonly Duration[] // safe: the keys of the table above

/** Days of the period of a fact, both ends included. 0 for a figure on a single day. */
export function daysOfFact({
  periodStart,
  periodEnd,
}: Pick<StatedFact, 'periodStart' | 'periodEnd'>): number {
  return periodStart === null ? 0 : daysBetween(periodStart, periodEnd) + 1
}

/** The duration of a fact. Null for a figure on a single day and for other lengths. */
export function durationOf(fact: StatedFact): Duration | null {
  const days = daysOfFact(fact)
  return DURATIONS.find((name) => days >= DURATION_DAYS[name].min && days <= DURATION_DAYS[name].max) ?? null
}
