import { addDays, type IsoDate } from '../time.js'
import { dateOf } from './days.js'

/** Month and day of the Chinese calendar, such as `8-15`. A leap month has the suffix `bis`: `6bis-1`. */
const LUNAR = new Intl.DateTimeFormat('en-u-ca-chinese', {
  month: 'numeric',
  day: 'numeric',
  timeZone: 'Asia/Hong_Kong',
})

function lunarDay(date: IsoDate): string {
  const parts = LUNAR.formatToParts(Date.parse(`${date}T04:00:00Z`)) // noon in Hong Kong
  const partOf = (type: string) => parts.find((part) => part.type === type)?.value
  return `${partOf('month')}-${partOf('day')}`
}

/** The festivals of a year that the Chinese calendar sets. */
export interface LunarFestivals {
  /** First day of the first month. */
  readonly newYear: IsoDate
  /** Eighth day of the fourth month. */
  readonly buddhasBirthday: IsoDate
  /** Fifth day of the fifth month. */
  readonly dragonBoat: IsoDate
  /** Fifteenth day of the eighth month. */
  readonly midAutumn: IsoDate
  /** Ninth day of the ninth month. */
  readonly doubleNinth: IsoDate
}

/** Throws an Error for a year without one of the festivals, which the Chinese calendar does not have. */
export function lunarFestivals(year: number): LunarFestivals {
  const days = new Map<string, IsoDate>()
  // New Year is after 20 January, the Double Ninth Festival before 1 November.
  for (let date = dateOf(year, 1, 20); date < dateOf(year, 11, 1); date = addDays(date, 1)) {
    days.set(lunarDay(date), date)
  }
  const find = (name: string) => {
    const day = days.get(name)
    if (day === undefined) throw new Error(`The Chinese calendar gives no day ${name} in ${year}.`)
    return day
  }
  return {
    newYear: find('1-1'),
    buddhasBirthday: find('4-8'),
    dragonBoat: find('5-5'),
    midAutumn: find('8-15'),
    doubleNinth: find('9-9'),
  }
}

/** Days by which the sun's position moves in the years from 2000 to 2099: a year has 365.2422 days. */
const DAYS_PER_YEAR = 0.2422

/** The Ching Ming Festival, 15 days after the March equinox: 4 or 5 April in the years 2000 to 2099. */
export function chingMing(year: number): IsoDate {
  const years = year - 2000
  return dateOf(year, 4, Math.floor(DAYS_PER_YEAR * years + 4.81) - Math.floor(years / 4))
}
