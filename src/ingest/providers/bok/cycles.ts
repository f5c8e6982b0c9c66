import type { Frequency } from '../../../core/period.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'

/** CYCLE of a series: years, half-years, quarters, months, half-months, days. */
export type BokCycle = 'A' | 'S' | 'Q' | 'M' | 'SM' | 'D'

interface BokPeriods {
  readonly cycle: BokCycle
  readonly frequency: Frequency
  /** First day of the period. */
  readonly start: IsoDate
}

const FREQUENCIES: Readonly<Record<BokCycle, Frequency>> = {
  A: 'annual',
  S: 'semi_annual',
  Q: 'quarterly',
  M: 'monthly',
  SM: 'semi_monthly',
  D: 'daily',
}

/** First month of a half-year, first day of a half-month. */
const HALVES: Readonly<Record<string, { readonly month: string; readonly day: string }>> = {
  1: { month: '01', day: '01' },
  2: { month: '07', day: '16' },
}

/** Formats of TIME: 2024, 2024S1, 2024Q1, 202401, 202401S1, 20240101. The format determines the cycle. */
const SPELLINGS: readonly (readonly [BokCycle, RegExp, (parts: readonly string[]) => string])[] = [
  ['A', /^(\d{4})$/, ([year]) => `${year}-01-01`],
  ['S', /^(\d{4})S([12])$/, ([year, half = '']) => `${year}-${HALVES[half]?.month}-01`],
  [
    'Q',
    /^(\d{4})Q([1-4])$/,
    ([year, quarter]) => `${year}-${String(Number(quarter) * 3 - 2).padStart(2, '0')}-01`,
  ],
  ['M', /^(\d{4})(\d{2})$/, ([year, month]) => `${year}-${month}-01`],
  ['SM', /^(\d{4})(\d{2})S([12])$/, ([year, month, half = '']) => `${year}-${month}-${HALVES[half]?.day}`],
  ['D', /^(\d{4})(\d{2})(\d{2})$/, ([year, month, day]) => `${year}-${month}-${day}`],
]

/** The period of a TIME; null for other text. */
export function readTime(text: string): BokPeriods | null {
  for (const [cycle, spelling, dateOf] of SPELLINGS) {
    const match = spelling.exec(text)
    if (match === null) continue
    const start = parseIsoDate(dateOf(match.slice(1)))
    return start === null ? null : { cycle, frequency: FREQUENCIES[cycle], start }
  }
  return null
}

/** The TIME of the period that holds the day. */
export function formatTime(cycle: BokCycle, date: IsoDate): string {
  const [year, month, day] = [date.slice(0, 4), date.slice(5, 7), date.slice(8)]
  const texts: Readonly<Record<BokCycle, string>> = {
    A: year,
    S: `${year}S${Math.ceil(Number(month) / 6)}`,
    Q: `${year}Q${Math.ceil(Number(month) / 3)}`,
    M: `${year}${month}`,
    SM: `${year}${month}S${Number(day) <= 15 ? 1 : 2}`,
    D: `${year}${month}${day}`,
  }
  return texts[cycle]
}
