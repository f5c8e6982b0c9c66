import type { Frequency } from '../../../core/period.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'

/** How the dates of a series are written: as many digits, in which months its periods begin. */
export interface BojPeriods {
  readonly frequency: Frequency
  /** First day of the period; null where the text is none. */
  read(text: string): IsoDate | null
}

const yearsFrom = (month: string): BojPeriods => ({
  frequency: 'annual',
  read: (text) => dateOf(/^(\d{4})$/.exec(text)?.[1], month, '01'),
})

const halvesFrom = (first: string, second: string): BojPeriods => ({
  frequency: 'semiannual',
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
  // Fiscal years are named after the year in which they begin, in April.
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

/** Weeks are named by one of their days, which the frequency says: WEEKLY(MONDAY). */
const WEEKLY = /^WEEKLY(\([A-Z]+\))?$/

/** The periods of a FREQUENCY of the Bank; null for one that it does not have. */
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
