import { type IsoDate, parseIsoDate } from '../time.js'
import ROWS from './closures.json' with { type: 'json' }

const CLOSURES = ROWS.map(({ calendar, date }) => {
  const day = parseIsoDate(date)
  if (day === null) throw new Error(`closures.json: ${date} is not a date`)
  return { calendar, date: day }
})

/**
 * The days of a year on which an exchange was closed although no rule of its calendar says so. Since 23 September 2024 Hong Kong
 * opens in severe weather.
 */
export function closuresOf(calendar: string, year: number): readonly IsoDate[] {
  return CLOSURES.filter(
    (closure) => closure.calendar === calendar && closure.date.startsWith(`${year}-`),
  ).map(({ date }) => date)
}
