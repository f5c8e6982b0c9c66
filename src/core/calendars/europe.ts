import { addDays, type IsoDate } from '../time.js'
import {
  christmasWithSubstitutes,
  dateOf,
  easterHolidays,
  easterSunday,
  FRIDAY,
  lastWeekday,
  MONDAY,
  nthWeekday,
  orNextMonday,
  orPreviousFriday,
  weekdayFrom,
} from './days.js'
import { closuresOf } from './special-days.js'
import type { TradingCalendar } from './trading-calendar.js'

const COVERS_TO = dateOf(2027, 12, 31)

/** Days relative to Easter Sunday. */
const MAUNDY_THURSDAY = -3
const ASCENSION = 39
const WHIT_MONDAY = 50

const fromEaster = (year: number, days: number) => addDays(easterSunday(year), days)

/** Bank holidays of England that were moved. */
const ENGLAND: Readonly<Record<number, { readonly early?: IsoDate; readonly spring?: IsoDate }>> = {
  2012: { spring: dateOf(2012, 6, 4) }, // diamond jubilee
  2020: { early: dateOf(2020, 5, 8) }, // 75 years since VE Day
  2022: { spring: dateOf(2022, 6, 2) }, // platinum jubilee
}

export const XLON: TradingCalendar = {
  code: 'XLON',
  name: 'London Stock Exchange',
  timeZone: 'Europe/London',
  coversFrom: dateOf(2010, 1, 1),
  coversTo: COVERS_TO,
  verified: { from: dateOf(2010, 1, 4), to: dateOf(2023, 9, 12) },
  source: 'Business days of the London Stock Exchange: the bank holidays of England and Wales',
  hours: [{ since: dateOf(2010, 1, 1), opens: '08:00', closes: '16:30' }],
  closedDays: (year) => [
    orNextMonday(dateOf(year, 1, 1)),
    ...easterHolidays(year),
    ENGLAND[year]?.early ?? nthWeekday(year, 5, MONDAY, 1),
    ENGLAND[year]?.spring ?? lastWeekday(year, 5, MONDAY),
    lastWeekday(year, 8, MONDAY),
    ...christmasWithSubstitutes(year),
    ...closuresOf('XLON', year),
  ],
  earlyCloses: (year) =>
    [dateOf(year, 12, 24), dateOf(year, 12, 31)].map((day) => [orPreviousFriday(day), '12:30']),
}

export const XETR: TradingCalendar = {
  code: 'XETR',
  name: 'Xetra, Frankfurt',
  timeZone: 'Europe/Berlin',
  coversFrom: dateOf(2010, 1, 1),
  coversTo: COVERS_TO,
  verified: { from: dateOf(2010, 1, 4), to: dateOf(2023, 6, 6) },
  source: 'Trading calendars of Deutsche Börse',
  hours: [{ since: dateOf(2010, 1, 1), opens: '09:00', closes: '17:30' }],
  closedDays: (year) => [
    dateOf(year, 1, 1),
    ...easterHolidays(year),
    dateOf(year, 5, 1),
    ...(year >= 2015 && year < 2022 ? [fromEaster(year, WHIT_MONDAY)] : []),
    ...(year >= 2014 && year < 2022 ? [dateOf(year, 10, 3)] : []), // Day of German Unity
    ...closuresOf('XETR', year),
    ...[24, 25, 26, 31].map((day) => dateOf(year, 12, day)),
  ],
  earlyCloses: (year) => [[orPreviousFriday(dateOf(year, 12, 30)), '14:00']],
}

export const XPAR: TradingCalendar = {
  code: 'XPAR',
  name: 'Euronext Paris',
  timeZone: 'Europe/Paris',
  coversFrom: dateOf(2015, 1, 1),
  coversTo: COVERS_TO,
  verified: null,
  source: 'Euronext calendar of business days',
  hours: [{ since: dateOf(2015, 1, 1), opens: '09:00', closes: '17:30' }],
  closedDays: (year) => [
    dateOf(year, 1, 1),
    ...easterHolidays(year),
    dateOf(year, 5, 1),
    dateOf(year, 12, 25),
    dateOf(year, 12, 26),
  ],
  earlyCloses: (year) => [24, 31].map((day) => [dateOf(year, 12, day), '14:05']),
}

export const XSWX: TradingCalendar = {
  code: 'XSWX',
  name: 'SIX Swiss Exchange',
  timeZone: 'Europe/Zurich',
  coversFrom: dateOf(2015, 1, 1),
  coversTo: COVERS_TO,
  verified: null,
  source: 'SIX trading calendar',
  hours: [{ since: dateOf(2015, 1, 1), opens: '09:00', closes: '17:30' }],
  closedDays: (year) => [
    dateOf(year, 1, 1),
    dateOf(year, 1, 2), // Berchtold's Day
    ...easterHolidays(year),
    dateOf(year, 5, 1),
    fromEaster(year, ASCENSION),
    fromEaster(year, WHIT_MONDAY),
    dateOf(year, 8, 1), // National Day
    ...[24, 25, 26, 31].map((day) => dateOf(year, 12, day)),
  ],
}

export const XSTO: TradingCalendar = {
  code: 'XSTO',
  name: 'Nasdaq Stockholm',
  timeZone: 'Europe/Stockholm',
  coversFrom: dateOf(2015, 1, 1),
  coversTo: COVERS_TO,
  verified: null,
  source: 'Nasdaq Nordic trading calendar',
  hours: [{ since: dateOf(2015, 1, 1), opens: '09:00', closes: '17:30' }],
  closedDays: (year) => [
    dateOf(year, 1, 1),
    dateOf(year, 1, 6), // Epiphany
    ...easterHolidays(year),
    dateOf(year, 5, 1),
    fromEaster(year, ASCENSION),
    dateOf(year, 6, 6), // National Day
    weekdayFrom(dateOf(year, 6, 19), FRIDAY), // Midsummer Eve
    ...[24, 25, 26, 31].map((day) => dateOf(year, 12, day)),
  ],
  earlyCloses: (year) =>
    [
      dateOf(year, 1, 5), // eve of Epiphany
      fromEaster(year, MAUNDY_THURSDAY),
      dateOf(year, 4, 30), // Walpurgis Night
      fromEaster(year, ASCENSION - 1),
      weekdayFrom(dateOf(year, 10, 30), FRIDAY), // eve of All Saints' Day, a Saturday
    ].map((day) => [day, '13:00']),
}
