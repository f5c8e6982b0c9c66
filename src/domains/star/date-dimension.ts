import { dayNumber, type StarColumn, type StarTable } from './table.js'

/** SQL: the n-th given weekday (1 = Monday) of a month of year `y.y`. */
const nthWeekday = (month: number, weekday: number, place: number) =>
  `make_date(y.y, ${month}, 1) + (${weekday} - extract(isodow from make_date(y.y, ${month}, 1))::int + 7) % 7 + ${7 * (place - 1)}`

/** SQL: the last Monday of May. */
const MEMORIAL_DAY = 'make_date(y.y, 5, 31) - (extract(isodow from make_date(y.y, 5, 31))::int + 6) % 7'

/** SQL: days from the end of February to Easter (Carter, years 1900 to 2099). */
const GOOD_FRIDAY = `(
      select make_date(y.y, 3, 1) + (e.d + 7 - (y.y + y.y / 4 + e.d + 1) % 7) - 3
      from (select c.d - case when c.d > 48 then 1 else 0 end as d
        from (select (225 - 11 * (y.y % 19) - 21) % 30 + 21 as d) as c) as e
    )`

/**
 * SQL: a fixed holiday as the NYSE observes it (rule 7.2): Saturday on the Friday before, Sunday on the Monday
 * after.
 */
const observed = (month: number, day: number) =>
  `make_date(y.y, ${month}, ${day}) + case extract(isodow from make_date(y.y, ${month}, ${day})) when 6 then -1 when 7 then 1 else 0 end`

/** The NYSE does not observe New Year's Day on a Saturday, because the Friday ends a month and a year. */
const NEW_YEAR = `case extract(isodow from make_date(y.y, 1, 1)) when 6 then null when 7 then make_date(y.y, 1, 2) else make_date(y.y, 1, 1) end`

const HOLIDAYS = [
  NEW_YEAR,
  nthWeekday(1, 1, 3), // Martin Luther King, since 1998
  nthWeekday(2, 1, 3), // Washington
  GOOD_FRIDAY,
  MEMORIAL_DAY,
  `case when y.y >= 2022 then ${observed(6, 19)} end`, // Juneteenth
  observed(7, 4),
  nthWeekday(9, 1, 1), // Labor Day
  nthWeekday(11, 4, 4), // Thanksgiving
  observed(12, 25),
]

const part = (field: string) => `extract(${field} from d.day)::int`
const whole = (text: string, sql: string): StarColumn => ({ type: 'int', text, sql })

const LAST_YEAR = `extract(year from now() at time zone 'UTC')::int + 1`

/** Every day from the first block of Bitcoin to a year from today (UTC), computed. */
export const DIM_DATE: StarTable = {
  view: 'dim_date',
  kind: 'dimension',
  text: 'Calendar days from 2009-01-03 to a year from today (UTC).',
  key: ['date_key'],
  columns: {
    date_key: { ...whole('The day as YYYYMMDD.', dayNumber('d.day')), isUnique: true },
    date: { type: 'date', text: 'The day.', sql: 'd.day' },
    year: whole('Calendar year.', part('year')),
    quarter: { ...whole('Quarter of the year, 1 to 4.', part('quarter')), rule: 'value between 1 and 4' },
    month: { ...whole('Month, 1 to 12.', part('month')), rule: 'value between 1 and 12' },
    month_name: { type: 'text', text: 'English name of the month.', sql: `to_char(d.day, 'FMMonth')` },
    week_of_year: {
      ...whole('Week of ISO 8601, 1 to 53.', part('week')),
      rule: 'value between 1 and 53',
    },
    day_of_week: {
      ...whole('Day of the week, 1 = Monday to 7 = Sunday.', part('isodow')),
      rule: 'value between 1 and 7',
    },
    day_name: { type: 'text', text: 'English name of the day.', sql: `to_char(d.day, 'FMDay')` },
    day_of_month: { ...whole('Day of the month, 1 to 31.', part('day')), rule: 'value between 1 and 31' },
    day_of_year: { ...whole('Day of the year, 1 to 366.', part('doy')), rule: 'value between 1 and 366' },
    is_weekend: { type: 'boolean', text: 'Saturday or Sunday.', sql: `${part('isodow')} >= 6` },
    is_us_market_holiday: {
      type: 'boolean',
      text: 'Whether the New York Stock Exchange is closed by its rules for holidays; closures for other reasons are not known.',
      sql: 'h.day is not null',
    },
    fiscal_year: whole('Fiscal year: the calendar year.', part('year')),
    fiscal_quarter: {
      ...whole('Fiscal quarter: the calendar quarter.', part('quarter')),
      rule: 'value between 1 and 4',
    },
  },
  from: `from (
    select g.day::date as day
    from generate_series(timestamp '2009-01-03', (now() at time zone 'UTC')::date + interval '1 year', interval '1 day')
      as g(day)
  ) as d
  left join (
    select k.day from generate_series(2009, ${LAST_YEAR}) as y(y)
    cross join lateral (values
      ${HOLIDAYS.map((day) => `(${day})`).join(',\n      ')}
    ) as k(day)
  ) as h on h.day = d.day`,
  reads: [],
  endpoint: {
    path: 'dates',
    typeName: 'DimDateRead',
    summary: 'Days of the calendar',
    keywords: ['calendar dimension', 'date table'],
    order: ['date_key'],
    time: { name: 'date', kind: 'day' },
  },
}
