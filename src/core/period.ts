import { addDays, type IsoDate, type Period, parseIsoDate, toIsoDate } from './time.js'

/** The length of a series' periods; callers can name fewer kinds. */
export type Frequency = Period['frequency'] | 'semi_annual' | 'semi_monthly' | 'weekly'

const FREQUENCIES: Readonly<Record<Frequency, true>> = {
  annual: true,
  semi_annual: true,
  quarterly: true,
  monthly: true,
  semi_monthly: true,
  weekly: true,
  daily: true,
}

/** The frequency of a stored series. */
export function storedFrequency(text: string): Frequency {
  if (!Object.hasOwn(FREQUENCIES, text)) throw new Error(`${text} is no frequency`)
  return text as Frequency // one of the keys above
}

/** A period of a series: `start` is its first day. */
export interface SeriesPeriod {
  readonly frequency: Frequency
  readonly start: IsoDate
}

const MONTHS = { annual: 12, semi_annual: 6, quarterly: 3, monthly: 1 } as const

/** The first half of a month ends on this day. */
const MIDDLE_OF_MONTH = '15'

/**
 * The period that starts on that day, as SDMX providers spell it: `2025`, `2025-S2`, `2025-Q4`, `2025-12` or `2025-12-31`.
 * Weeks and halves of months are named by their first day.
 */
export function periodText({ frequency, start }: SeriesPeriod): string {
  const year = start.slice(0, 4)
  const month = Number(start.slice(5, 7))
  if (frequency === 'annual') return year
  if (frequency === 'semi_annual') return `${year}-S${Math.ceil(month / 6)}`
  if (frequency === 'quarterly') return `${year}-Q${Math.ceil(month / 3)}`
  return frequency === 'monthly' ? start.slice(0, 7) : start
}

/** The last day of a period; throws RangeError outside 1900 to 2200. */
export function endOfPeriod({ frequency, start }: SeriesPeriod): IsoDate {
  if (frequency === 'daily') return start
  if (frequency === 'weekly') return addDays(start, 6)
  if (frequency === 'semi_monthly') {
    const isFirstHalf = start.slice(8) <= MIDDLE_OF_MONTH
    return isFirstHalf ? dayOf(start, MIDDLE_OF_MONTH) : endOfPeriod({ frequency: 'monthly', start })
  }
  const next = Date.UTC(Number(start.slice(0, 4)), Number(start.slice(5, 7)) - 1 + MONTHS[frequency], 1)
  return addDays(toIsoDate(new Date(next)), -1)
}

/** The first day of the quarter that holds the day. */
export function startOfQuarter(date: IsoDate): IsoDate {
  const month = Math.floor((Number(date.slice(5, 7)) - 1) / 3) * 3 + 1
  return dayOf(`${date.slice(0, 4)}-${String(month).padStart(2, '0')}`, '01')
}

/** A day of the month that the text begins with. Throws RangeError if it does not exist. */
function dayOf(monthText: string, day: string): IsoDate {
  const date = parseIsoDate(`${monthText.slice(0, 7)}-${day}`)
  if (date === null) throw new RangeError(`${monthText} is not a date`)
  return date
}
