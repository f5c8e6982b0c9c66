import { type Decimal, decimal } from '../../../core/decimal.js'
import { type FredSeries, shortFrequency } from './fred-series.js'

/** The value of a period, which its first day names. */
export interface DatedValue {
  readonly date: string
  readonly value: number | null
}

/** Periods in a year; null for days. */
function periodsAYear(series: FredSeries): number | null {
  return { Q: 4, M: 12 }[shortFrequency(series)] ?? null
}

/** FRED gives changes in per cent with five decimal places. */
const DECIMAL_PLACES = 5

interface Neighbours {
  readonly value: Decimal
  readonly before: Decimal | null
  readonly yearBefore: Decimal | null
}

/** Changes that are decimal arithmetic over the observations, by FRED's names. Its other units need logarithms or powers. */
const CHANGES = {
  chg: ({ value, before }) => before && value.minus(before),
  ch1: ({ value, yearBefore }) => yearBefore && value.minus(yearBefore),
  pch: ({ value, before }) => percentChange(value, before),
  pc1: ({ value, yearBefore }) => percentChange(value, yearBefore),
} as const satisfies Record<string, (neighbours: Neighbours) => Decimal | null>

export type FredUnits = 'lin' | keyof typeof CHANGES

/** Those of a series. Changes over days are not served: FRED counts the days of a year in its own way. */
export function unitsOfSeries(series: FredSeries): readonly [FredUnits, ...FredUnits[]] {
  return periodsAYear(series) === null ? ['lin'] : ['lin', 'chg', 'ch1', 'pch', 'pc1']
}

function percentChange(value: Decimal, before: Decimal | null): Decimal | null {
  if (before === null || before.isZero()) return null
  return value.div(before).minus(1).times(100).toDecimalPlaces(DECIMAL_PLACES)
}

/** The values in other units as texts; null where one that is needed is missing. Changes need one version of each value. */
export function convertUnits(
  values: readonly DatedValue[],
  units: FredUnits,
  series: FredSeries,
): readonly (string | null)[] {
  const perYear = periodsAYear(series)
  if (units === 'lin' || perYear === null)
    return values.map(({ value }) => toDecimal(value)?.toFixed() ?? null)
  const byNumber = new Map(values.map(({ date, value }) => [periodNumber(date, perYear), value]))
  const valueAt = (number: number) => toDecimal(byNumber.get(number) ?? null)
  return values.map((dated) => {
    const value = toDecimal(dated.value)
    if (value === null) return null
    const number = periodNumber(dated.date, perYear)
    const [before, yearBefore] = [valueAt(number - 1), valueAt(number - perYear)]
    return CHANGES[units]({ value, before, yearBefore })?.toFixed() ?? null
  })
}

function toDecimal(value: number | null): Decimal | null {
  return value === null ? null : decimal(value)
}

/** Periods since the year 0. */
function periodNumber(date: string, perYear: number): number {
  const [year = 0, month = 1] = date.split('-').map(Number)
  return year * perYear + Math.floor(((month - 1) * perYear) / 12)
}
