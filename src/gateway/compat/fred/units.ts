import { type Decimal, decimal } from '../../../core/decimal.js'

/** The value of a quarter, which its first day names. */
export interface DatedValue {
  readonly date: string
  readonly value: number | null
}

/** Every series of this interface is quarterly. */
const QUARTERS_A_YEAR = 4

/** FRED gives changes in per cent with five decimal places. */
const DECIMAL_PLACES = 5

interface Neighbours {
  readonly value: Decimal
  readonly before: Decimal | null
  readonly yearBefore: Decimal | null
}

/** The units that are decimal arithmetic over the observations, by FRED's names. The others need logarithms or powers. */
const FORMULAS = {
  lin: ({ value }) => value,
  chg: ({ value, before }) => before && value.minus(before),
  ch1: ({ value, yearBefore }) => yearBefore && value.minus(yearBefore),
  pch: ({ value, before }) => percentChange(value, before),
  pc1: ({ value, yearBefore }) => percentChange(value, yearBefore),
} as const satisfies Record<string, (neighbours: Neighbours) => Decimal | null>

export type FredUnits = keyof typeof FORMULAS

export const FRED_UNITS = ['lin', 'chg', 'ch1', 'pch', 'pc1'] as const satisfies readonly FredUnits[]

function percentChange(value: Decimal, before: Decimal | null): Decimal | null {
  if (before === null || before.isZero()) return null
  return value.div(before).minus(1).times(100).toDecimalPlaces(DECIMAL_PLACES)
}

/** The values in other units as texts; null where one that is needed is missing. Changes need one version of each value. */
export function convertUnits(values: readonly DatedValue[], units: FredUnits): readonly (string | null)[] {
  const byQuarter = new Map(values.map(({ date, value }) => [quarterOf(date), value]))
  const valueAt = (quarter: number) => toDecimal(byQuarter.get(quarter) ?? null)
  return values.map((dated) => {
    const value = toDecimal(dated.value)
    if (value === null) return null
    const quarter = quarterOf(dated.date)
    const [before, yearBefore] = [valueAt(quarter - 1), valueAt(quarter - QUARTERS_A_YEAR)]
    return FORMULAS[units]({ value, before, yearBefore })?.toFixed() ?? null
  })
}

function toDecimal(value: number | null): Decimal | null {
  return value === null ? null : decimal(value)
}

/** Quarters since the year 0. */
function quarterOf(date: string): number {
  const [year = 0, month = 1] = date.split('-').map(Number)
  return year * QUARTERS_A_YEAR + Math.floor((month - 1) / 3)
}
