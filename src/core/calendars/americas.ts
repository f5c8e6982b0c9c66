import { addDays, type IsoDate } from '../time.js'
import {
  dateOf,
  easterSunday,
  FRIDAY,
  lastWeekday,
  MONDAY,
  nthWeekday,
  SATURDAY,
  SUNDAY,
  THURSDAY,
  weekdayOf,
} from './days.js'
import { closuresOf } from './special-days.js'
import type { TradingCalendar } from './trading-calendar.js'

/** A holiday on a Saturday is observed on the Friday before it, one on a Sunday on the Monday after it (rule 7.2). */
function observed(date: IsoDate): IsoDate {
  const weekday = weekdayOf(date)
  if (weekday === SATURDAY) return addDays(date, -1)
  return weekday === SUNDAY ? addDays(date, 1) : date
}

function newYear(year: number): readonly IsoDate[] {
  const day = dateOf(year, 1, 1)
  // The Friday before ends a month and a year, so it is not observed.
  return weekdayOf(day) === SATURDAY ? [] : [observed(day)]
}

function closedDays(year: number): readonly IsoDate[] {
  return [
    ...newYear(year),
    nthWeekday(year, 1, MONDAY, 3), // Martin Luther King
    nthWeekday(year, 2, MONDAY, 3), // Washington
    addDays(easterSunday(year), -2), // Good Friday
    lastWeekday(year, 5, MONDAY), // Memorial Day
    ...(year < 2022 ? [] : [observed(dateOf(year, 6, 19))]), // Juneteenth
    observed(dateOf(year, 7, 4)), // Independence Day
    nthWeekday(year, 9, MONDAY, 1), // Labor Day
    nthWeekday(year, 11, THURSDAY, 4), // Thanksgiving
    observed(dateOf(year, 12, 25)),
    ...closuresOf('XNYS', year),
  ]
}

/** 13:00 on the day after Thanksgiving, and on 3 July and 24 December unless they are closed or a Friday. */
function earlyCloses(year: number): readonly (readonly [IsoDate, string])[] {
  const eves = [dateOf(year, 7, 3), dateOf(year, 12, 24)].filter((day) => weekdayOf(day) !== FRIDAY)
  return [addDays(nthWeekday(year, 11, THURSDAY, 4), 1), ...eves].map((day) => [day, '13:00'])
}

const NEW_YORK = {
  timeZone: 'America/New_York',
  coversFrom: dateOf(2010, 1, 1),
  coversTo: dateOf(2027, 12, 31),
  verified: { from: dateOf(2010, 1, 4), to: dateOf(2023, 1, 13) },
  hours: [{ since: dateOf(2010, 1, 1), opens: '09:30', closes: '16:00' }],
  closedDays,
  earlyCloses,
} as const

export const XNYS: TradingCalendar = {
  ...NEW_YORK,
  code: 'XNYS',
  name: 'New York Stock Exchange',
  source: 'NYSE rules 7.1 and 7.2, and the announcements of special closures',
}

export const XNAS: TradingCalendar = {
  ...NEW_YORK,
  code: 'XNAS',
  name: 'Nasdaq Stock Market',
  source: 'Nasdaq trading schedule, which has had the days of the NYSE since 2010',
}
