import { addDays, type IsoDate, toIsoDate } from '../time.js'

/** Days of the week as `weekdayOf` gives them. */
export const SUNDAY = 0
export const MONDAY = 1
export const THURSDAY = 4
export const FRIDAY = 5
export const SATURDAY = 6

/** The date of a month (1 to 12) and day. */
export function dateOf(year: number, month: number, day: number): IsoDate {
  return toIsoDate(new Date(Date.UTC(year, month - 1, day)))
}

/** The weekday of a date: 0 is Sunday. */
export function weekdayOf(date: IsoDate): number {
  return new Date(date).getUTCDay()
}

export function isWeekend(date: IsoDate): boolean {
  const weekday = weekdayOf(date)
  return weekday === SUNDAY || weekday === SATURDAY
}

/** The n-th (1 is the first) given weekday of a month. */
export function nthWeekday(year: number, month: number, weekday: number, place: number): IsoDate {
  const first = dateOf(year, month, 1)
  return addDays(first, ((weekday - weekdayOf(first) + 7) % 7) + 7 * (place - 1))
}

/** The last given weekday of a month. */
export function lastWeekday(year: number, month: number, weekday: number): IsoDate {
  const last = addDays(nthWeekday(year, month, weekday, 1), 28)
  return last.slice(5, 7) === String(month).padStart(2, '0') ? last : addDays(last, -7)
}

/** The first date from the given one on that has the weekday. */
export function weekdayFrom(date: IsoDate, weekday: number): IsoDate {
  return addDays(date, (weekday - weekdayOf(date) + 7) % 7)
}

/** A holiday on a Saturday or Sunday is observed on the Monday after it. */
export function orNextMonday(date: IsoDate): IsoDate {
  return isWeekend(date) ? weekdayFrom(date, MONDAY) : date
}

/** A holiday on a Sunday is observed on the Monday after it. One on a Saturday is not observed. */
export function orMondayAfterSunday(date: IsoDate): IsoDate {
  return weekdayOf(date) === SUNDAY ? addDays(date, 1) : date
}

/** The date itself if it is a weekday, otherwise the Friday before it. */
export function orPreviousFriday(date: IsoDate): IsoDate {
  return isWeekend(date) ? addDays(date, weekdayOf(date) === SUNDAY ? -2 : -1) : date
}

/** Easter Sunday; the anonymous Gregorian computus (Meeus, Astronomical Algorithms, ch. 8). */
export function easterSunday(year: number): IsoDate {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const skipped =
    century - Math.floor(century / 4) - Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + skipped + 15) % 30
  const yearOfCentury = year % 100
  const toSunday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7
  const late = Math.floor((golden + 11 * epact + 22 * toSunday) / 451)
  return addDays(dateOf(year, 3, 22), epact + toSunday - 7 * late)
}

/** Good Friday and Easter Monday. */
export function easterHolidays(year: number): readonly IsoDate[] {
  const easter = easterSunday(year)
  return [addDays(easter, -2), addDays(easter, 1)]
}

/** Christmas and Boxing Day. If one falls on a weekend, the next weekdays are observed instead. */
export function christmasWithSubstitutes(year: number): readonly IsoDate[] {
  const weekday = weekdayOf(dateOf(year, 12, 25))
  if (weekday === FRIDAY) return [dateOf(year, 12, 25), dateOf(year, 12, 28)]
  if (weekday === SATURDAY || weekday === SUNDAY)
    return [dateOf(year, 12, 27), dateOf(year, 12, weekday === SATURDAY ? 28 : 26)]
  return [dateOf(year, 12, 25), dateOf(year, 12, 26)]
}
