import { type IsoDate, parseIsoDate } from '../time.js'
import ROWS from './special-days.json' with { type: 'json' }

/** A weekday that no rule of its calendar foresees: without hours the exchange was closed, else it opened late or closed early. */
export interface SpecialDay {
  readonly calendar: string
  readonly date: IsoDate
  /** Local time, `HH:MM`, if trading began later than usual. */
  readonly opens?: string
  /** Local time, `HH:MM`, if trading ended earlier than usual. */
  readonly closes?: string
}

const SPECIAL_DAYS = ROWS.map(({ date, ...row }): SpecialDay => {
  const day = parseIsoDate(date)
  if (day === null) throw new Error(`special-days.json: ${date} is not a date`)
  return { ...row, date: day }
})

/** The special days of a year. */
export function specialDaysOf(calendar: string, year: number): readonly SpecialDay[] {
  return SPECIAL_DAYS.filter((day) => day.calendar === calendar && day.date.startsWith(`${year}-`))
}

/** The closed days of a year. Since 23 September 2024 Hong Kong opens in severe weather. */
export function closuresOf(calendar: string, year: number): readonly IsoDate[] {
  return specialDaysOf(calendar, year)
    .filter(({ opens, closes }) => opens === undefined && closes === undefined)
    .map(({ date }) => date)
}
