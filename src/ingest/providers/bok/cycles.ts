import type { Frequency } from '../../../core/period.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'

/** CYCLE of a series that is served; half-years (S) and half-months (SM) are not. */
export type BokCycle = 'A' | 'Q' | 'M' | 'D'

interface BokPeriods {
  readonly cycle: BokCycle
  readonly frequency: Frequency
  /** First day of the period. */
  readonly start: IsoDate
}

const FREQUENCIES: Readonly<Record<BokCycle, Frequency>> = {
  A: 'annual',
  Q: 'quarterly',
  M: 'monthly',
  D: 'daily',
}

/** Spellings of TIME: 2024, 2024Q1, 202401, 20240101; the spelling says the cycle. */
const SPELLINGS: readonly (readonly [BokCycle, RegExp])[] = [
  ['A', /^(\d{4})$/],
  ['Q', /^(\d{4})Q([1-4])$/],
  ['M', /^(\d{4})(\d{2})$/],
  ['D', /^(\d{4})(\d{2})(\d{2})$/],
]

/** The period of a TIME; null for any other text. */
export function readTime(text: string): BokPeriods | null {
  for (const [cycle, spelling] of SPELLINGS) {
    const [matched, year, second = '01', day = '01'] = spelling.exec(text) ?? []
    if (matched === undefined) continue
    const month = cycle === 'Q' ? String(Number(second) * 3 - 2).padStart(2, '0') : second
    const start = parseIsoDate(`${year}-${month}-${day}`)
    return start === null ? null : { cycle, frequency: FREQUENCIES[cycle], start }
  }
  return null
}

/** The TIME of the period that holds the day. */
export function timeOf(cycle: BokCycle, date: IsoDate): string {
  const [year, month] = [date.slice(0, 4), date.slice(5, 7)]
  if (cycle === 'A') return year
  if (cycle === 'Q') return `${year}Q${Math.ceil(Number(month) / 3)}`
  return cycle === 'M' ? `${year}${month}` : date.replaceAll('-', '')
}
