import type { Frequency } from '../../../core/period.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'

/** The format of a series' dates: the number of digits, and the months in which its periods begin. */
export interface BojPeriods {
  readonly frequency: Frequency
  /** First day of the period; null for invalid text. */
  read(text: string): IsoDate | null
}

const yearsFrom = (month: string): BojPeriods => ({
  frequency: 'annual',
  read: (text) => dateOf(/^(\d{4})$/.exec(text)?.[1], month, '01'),
})

const halvesFrom = (first: string, second: string): BojPeriods => ({
  frequency: 'semi_annual',
  read: (text) => {
    const [, year, half] = /^(\d{4})0([12])$/.exec(text) ?? []
    return dateOf(year, half === '1' ? first : second, '01')
  },
})

const daysAs = (frequency: 'daily' | 'weekly'): BojPeriods => ({
  frequency,
  read: (text) => {
    const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? []
    return dateOf(year, month, day)
  },
})

const SPELLINGS: Readonly<Record<string, BojPeriods>> = {
  ANNUAL: yearsFrom('01'),
  // A fiscal year is named after the year in which it begins, in April.
  'ANNUAL(MAR)': yearsFrom('04'),
  SEMIANNUAL: halvesFrom('01', '07'),
  // Halves of fiscal years end in September and March.
  'SEMIANNUAL(SEP)': halvesFrom('04', '10'),
  QUARTERLY: {
    frequency: 'quarterly',
    read: (text) => {
      const [, year, quarter] = /^(\d{4})0([1-4])$/.exec(text) ?? []
      return dateOf(year, String(Number(quarter) * 3 - 2).padStart(2, '0'), '01')
    },
  },
  MONTHLY: {
    frequency: 'monthly',
    read: (text) => {
      const [, year, month] = /^(\d{4})(\d{2})$/.exec(text) ?? []
      return dateOf(year, month, '01')
    },
  },
  DAILY: daysAs('daily'),
}

/** Weeks are named by one of their days, which the frequency states: WEEKLY(MONDAY). */
const WEEKLY = /^WEEKLY(\([A-Z]+\))?$/

/** The period format of a FREQUENCY of the Bank; null if it is unknown. */
export function periodsOf(frequency: string): BojPeriods | null {
  if (WEEKLY.test(frequency)) return daysAs('weekly')
  return SPELLINGS[frequency] ?? null
}

function dateOf(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): IsoDate | null {
  return parseIsoDate(`${year}-${month}-${day}`)
}
