import { addDays, type IsoDate } from '../time.js'
import { dateOf, easterHolidays } from './days.js'
import { isSession, nextSessionDay, type TradingCalendar } from './trading-calendar.js'
import { instantIn } from './zoned-time.js'

const TIME_ZONE = 'Europe/Berlin'

/**
 * Closed on Saturdays, Sundays, 1 January and 25 December; from 2000 also on Good Friday, Easter Monday, 1 May and
 * 26 December; and on 31 December of 1999 and 2001. The plan of 2000 holds "until further notice".
 */
export const TARGET: TradingCalendar = {
  code: 'TARGET',
  name: 'TARGET, the payment system of the Eurosystem',
  timeZone: TIME_ZONE,
  coversFrom: dateOf(1999, 1, 1),
  coversTo: dateOf(2030, 12, 31),
  verified: { from: dateOf(1999, 1, 4), to: dateOf(2026, 3, 5) },
  source:
    'Press releases of the ECB of 3 September 1998, 31 March 1999, 15 July 1999 and 14 December 2000 (long-term calendar)',
  hours: null,
  closedDays: (year) => [
    dateOf(year, 1, 1),
    dateOf(year, 12, 25),
    ...(year === 1999 || year === 2001 ? [dateOf(year, 12, 31)] : []),
    ...(year < 2000 ? [] : [...easterHolidays(year), dateOf(year, 5, 1), dateOf(year, 12, 26)]),
  ],
}

/** Whether TARGET is open that day, and with it the euro reference rates are published. */
export function isTargetDay(date: IsoDate): boolean {
  return isSession(TARGET, date)
}

/** The latest TARGET day that is not after the date. */
export function previousTargetDay(date: IsoDate): IsoDate {
  let day = date
  while (!isTargetDay(day)) day = addDays(day, -1)
  return day
}

/** The first TARGET day after the date, never the date itself. */
export function nextTargetDay(date: IsoDate): IsoDate {
  return nextSessionDay(TARGET, date)
}

/**
 * When the reference rates of a day are published: 16:00 local time in Frankfurt. The ECB writes "CET" all year, but observes
 * summer time.
 */
export function ecbPublication(date: IsoDate): Date {
  return instantIn(TIME_ZONE, date)('16:00')
}
