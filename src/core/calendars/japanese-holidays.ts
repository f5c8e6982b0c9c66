import { addDays, type IsoDate } from '../time.js'
import { dateOf, MONDAY, nthWeekday, SUNDAY, weekdayOf } from './days.js'

/** Holidays that were moved for the Olympic Games of Tokyo. */
const MOVED: Readonly<
  Record<number, { readonly marine: IsoDate; readonly mountain: IsoDate; readonly sports: IsoDate }>
> = {
  2020: { marine: dateOf(2020, 7, 23), mountain: dateOf(2020, 8, 10), sports: dateOf(2020, 7, 24) },
  2021: { marine: dateOf(2021, 7, 22), mountain: dateOf(2021, 8, 8), sports: dateOf(2021, 7, 23) },
}

/** Days of an equinox in Japan, years 1980 to 2099: the mean day of 1980 moves by 0.242194 days a year less leap days. */
function equinox(year: number, month: number, mean: number): IsoDate {
  const years = year - 1980
  return dateOf(year, month, Math.floor(mean + 0.242194 * years) - Math.floor(years / 4))
}

function emperorsBirthday(year: number): readonly IsoDate[] {
  if (year < 2019) return [dateOf(year, 12, 23)] // Akihito
  return year === 2019 ? [] : [dateOf(year, 2, 23)] // Naruhito
}

/** The holidays that the law of holidays names, without substitutes. */
function namedHolidays(year: number): readonly IsoDate[] {
  const moved = MOVED[year]
  return [
    nthWeekday(year, 1, MONDAY, 2), // Coming of Age
    dateOf(year, 2, 11), // National Foundation
    ...emperorsBirthday(year),
    equinox(year, 3, 20.8431),
    dateOf(year, 4, 29), // Showa
    dateOf(year, 5, 3), // Constitution
    dateOf(year, 5, 4), // Greenery
    dateOf(year, 5, 5), // Children
    moved?.marine ?? nthWeekday(year, 7, MONDAY, 3),
    ...(year < 2016 ? [] : [moved?.mountain ?? dateOf(year, 8, 11)]),
    nthWeekday(year, 9, MONDAY, 3), // Respect for the Aged
    equinox(year, 9, 23.2488),
    moved?.sports ?? nthWeekday(year, 10, MONDAY, 2),
    dateOf(year, 11, 3), // Culture
    dateOf(year, 11, 23), // Labour Thanksgiving
    ...(year === 2019 ? [dateOf(2019, 5, 1), dateOf(2019, 10, 22)] : []), // accession of Naruhito
  ]
}

/**
 * The national holidays of a year. For a holiday on a Sunday the next day that is no holiday is one; a day between two
 * holidays is one.
 */
export function japaneseHolidays(year: number): readonly IsoDate[] {
  const named = namedHolidays(year)
  const isNamed = (day: IsoDate) => named.includes(day)
  const substitutes = named
    .filter((day) => weekdayOf(day) === SUNDAY)
    .map((day) => {
      let next = addDays(day, 1)
      while (isNamed(next)) next = addDays(next, 1)
      return next
    })
  const between = named.filter((day) => isNamed(addDays(day, 2))).map((day) => addDays(day, 1))
  return [...named, ...substitutes, ...between]
}
