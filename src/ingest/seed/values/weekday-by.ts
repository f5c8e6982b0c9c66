import { addDays, type IsoDate } from '../../../core/time.js'

/** The day itself, or the Friday before a weekend. */
export function weekdayBy(day: IsoDate): IsoDate {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return addDays(day, weekday === 0 ? -2 : weekday === 6 ? -1 : 0)
}
