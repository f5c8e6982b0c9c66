import type { JSX } from 'preact'
import { formatDay, formatQuantity } from '../parts/format.js'
import { formatMonth, isSaturdayOrSunday, listDays, listWeeks } from './month.js'

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Decimals of the dollar's rate, as the bank publishes it. */
const RATE_DECIMALS = 4

/** US dollars for one euro on a publication day. */
export interface PublishedRate {
  readonly date: string
  readonly rate: number
}

export interface MonthTableProps {
  readonly month: string
  readonly rates: readonly PublishedRate[]
  /** Days on which TARGET, the payment system of the Eurosystem, is open. */
  readonly openDays: readonly string[]
  readonly today: string
}

/** A month as a calendar with the rate of each publication day, and in words why other days have none. */
export function MonthTable({ month, rates, openDays, today }: MonthTableProps): JSX.Element {
  const byDay = new Map(rates.map(({ date, rate }) => [date, rate]))
  const weekdays = listDays(month).filter((day) => !isSaturdayOrSunday(day))
  const holidays = weekdays.filter((day) => !openDays.includes(day))
  const missing = openDays.filter((day) => day < today && !byDay.has(day))
  return (
    <>
      <table class="month">
        <caption>
          {formatMonth(month)}: {formatQuantity(rates.length, 'day')} with reference rates of the European
          Central Bank. Each shows US dollars for 1 euro.
        </caption>
        <thead>
          <tr>
            {WEEKDAYS.map((weekday) => (
              <th scope="col" key={weekday}>
                {weekday}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listWeeks(month).map((week, at) => (
            <tr key={at}>
              {week.map((day, weekday) => (
                <DayCell
                  key={day ?? WEEKDAYS[weekday]}
                  day={day}
                  rate={byDay.get(day ?? '')}
                  isHoliday={holidays.includes(day ?? '')}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">
        The bank publishes around 16:00 CET on the working days of TARGET, its payment system, never on
        Saturdays and Sundays.
      </p>
      {holidays.length > 0 && (
        <p>Weekdays on which TARGET is closed: {holidays.map((day) => formatDay(day)).join(', ')}.</p>
      )}
      {missing.length > 0 && <p>Working days without rates in the data: {listDayTexts(missing)}.</p>}
    </>
  )
}

interface DayCellProps {
  /** Null outside the month. */
  readonly day: string | null
  readonly rate: number | undefined
  /** A weekday on which TARGET is closed. */
  readonly isHoliday: boolean
}

function DayCell({ day, rate, isHoliday }: DayCellProps): JSX.Element {
  if (day === null) return <td />
  return (
    <td class={rate === undefined ? '' : 'published'}>
      <time dateTime={day}>{Number(day.slice(8))}</time>
      <span>{rate === undefined ? <NoRate isHoliday={isHoliday} /> : rate.toFixed(RATE_DECIMALS)}</span>
    </td>
  )
}

function NoRate({ isHoliday }: { readonly isHoliday: boolean }): JSX.Element {
  return isHoliday ? <>closed</> : <span class="unseen">no rates</span>
}

/** At most five days by name: a month before the stored history lacks all. */
const MAX_NAMED = 5

function listDayTexts(days: readonly string[]): string {
  if (days.length > MAX_NAMED)
    return `${days.length}, from ${formatDay(days[0] ?? '')} to ${formatDay(days.at(-1) ?? '')}`
  return days.map((day) => formatDay(day)).join(', ')
}
