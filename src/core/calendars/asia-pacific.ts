import { addDays, type IsoDate } from '../time.js'
import {
  christmasWithSubstitutes,
  dateOf,
  easterHolidays,
  MONDAY,
  nthWeekday,
  orMondayAfterSunday,
  orNextMonday,
  orPreviousFriday,
  SATURDAY,
  SUNDAY,
  weekdayOf,
} from './days.js'
import { japaneseHolidays } from './japanese-holidays.js'
import { chingMing, lunarFestivals } from './lunar-days.js'
import { closuresOf } from './special-days.js'
import type { TradingCalendar } from './trading-calendar.js'

const COVERS_TO = dateOf(2027, 12, 31)

export const XTKS: TradingCalendar = {
  code: 'XTKS',
  name: 'Tokyo Stock Exchange',
  timeZone: 'Asia/Tokyo',
  coversFrom: dateOf(2010, 1, 1),
  coversTo: COVERS_TO,
  verified: { from: dateOf(2010, 1, 4), to: dateOf(2026, 12, 30) },
  source: 'Japan Exchange Group: national holidays of Japan, 31 December and 1 to 3 January',
  hours: [
    { since: dateOf(2010, 1, 1), opens: '09:00', closes: '15:00' },
    { since: dateOf(2024, 11, 5), opens: '09:00', closes: '15:30' },
  ],
  closedDays: (year) => [
    ...[1, 2, 3].map((day) => dateOf(year, 1, day)),
    ...japaneseHolidays(year),
    ...closuresOf('XTKS', year),
    dateOf(year, 12, 31),
  ],
}

/** The first three days of the lunar year. Since 2013, if one is a Sunday, the fourth day is closed too. */
function lunarNewYear(year: number, newYear: IsoDate): readonly IsoDate[] {
  const days = [0, 1, 2].map((later) => addDays(newYear, later))
  const hasSunday = days.some((day) => weekdayOf(day) === SUNDAY)
  return hasSunday && year >= 2013 ? [...days, addDays(newYear, 3)] : days
}

/** The Ching Ming Festival. If its day is Easter Monday, it is observed on the Tuesday. */
function observedChingMing(year: number): IsoDate {
  const day = orMondayAfterSunday(chingMing(year))
  return easterHolidays(year).includes(day) ? addDays(day, 1) : day
}

/** The day after the Mid-Autumn Festival. If it is National Day, 2 October is closed too. */
function dayAfterMidAutumn(year: number, midAutumn: IsoDate): IsoDate {
  const day = orMondayAfterSunday(addDays(midAutumn, 1))
  return day === dateOf(year, 10, 1) ? addDays(day, 1) : day
}

/** Christmas and the first weekday after it, where Saturday counts as a weekday. */
function hongKongChristmas(year: number): readonly IsoDate[] {
  const christmas = dateOf(year, 12, 25)
  if (weekdayOf(christmas) === SUNDAY) return [addDays(christmas, 1), addDays(christmas, 2)]
  return [christmas, addDays(christmas, weekdayOf(christmas) === SATURDAY ? 2 : 1)]
}

function closedInHongKong(year: number): readonly IsoDate[] {
  const lunar = lunarFestivals(year)
  return [
    orMondayAfterSunday(dateOf(year, 1, 1)),
    ...lunarNewYear(year, lunar.newYear),
    observedChingMing(year),
    ...easterHolidays(year),
    orMondayAfterSunday(dateOf(year, 5, 1)),
    orMondayAfterSunday(lunar.buddhasBirthday),
    orMondayAfterSunday(lunar.dragonBoat),
    orMondayAfterSunday(dateOf(year, 7, 1)),
    dayAfterMidAutumn(year, lunar.midAutumn),
    orMondayAfterSunday(dateOf(year, 10, 1)),
    orMondayAfterSunday(lunar.doubleNinth),
    ...hongKongChristmas(year),
    ...closuresOf('XHKG', year),
  ]
}

/** Morning sessions on 24 and 31 December and, since 2012, on the eve of the lunar year. */
function earlyInHongKong(year: number): readonly (readonly [IsoDate, string])[] {
  const eves = [dateOf(year, 12, 24), dateOf(year, 12, 31)]
  if (year >= 2012) eves.push(addDays(lunarFestivals(year).newYear, -1))
  return eves.map((day) => [day, year < 2011 ? '12:30' : '12:00'])
}

export const XHKG: TradingCalendar = {
  code: 'XHKG',
  name: 'Hong Kong Stock Exchange',
  timeZone: 'Asia/Hong_Kong',
  coversFrom: dateOf(2010, 1, 1),
  coversTo: COVERS_TO,
  verified: { from: dateOf(2010, 1, 4), to: dateOf(2025, 9, 5) },
  source: 'Trading calendar of HKEX: the General Holidays Ordinance, with severe weather as announced',
  hours: [
    { since: dateOf(2010, 1, 1), opens: '10:00', closes: '16:00' },
    { since: dateOf(2011, 3, 7), opens: '09:30', closes: '16:00' },
  ],
  closedDays: closedInHongKong,
  earlyCloses: earlyInHongKong,
}

export const XASX: TradingCalendar = {
  code: 'XASX',
  name: 'Australian Securities Exchange',
  timeZone: 'Australia/Sydney',
  coversFrom: dateOf(2015, 1, 1),
  coversTo: COVERS_TO,
  verified: null,
  source: 'ASX cash market trading calendar',
  hours: [{ since: dateOf(2015, 1, 1), opens: '10:00', closes: '16:00' }],
  closedDays: (year) => [
    orNextMonday(dateOf(year, 1, 1)),
    orNextMonday(dateOf(year, 1, 26)), // Australia Day
    ...easterHolidays(year),
    dateOf(year, 4, 25), // Anzac Day
    nthWeekday(year, 6, MONDAY, 2), // birthday of the monarch
    ...christmasWithSubstitutes(year),
    ...closuresOf('XASX', year),
  ],
  earlyCloses: (year) =>
    year === 2022
      ? []
      : [dateOf(year, 12, 24), dateOf(year, 12, 31)].map((day) => [orPreviousFriday(day), '14:10']),
}
