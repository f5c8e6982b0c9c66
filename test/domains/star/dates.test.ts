import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { XNYS } from '../../../src/core/calendars/americas.js'
import { isWeekend } from '../../../src/core/calendars/days.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

/** Holidays of the New York Stock Exchange as it published them (nyse.com, hours and calendars). */
const NYSE: Readonly<Record<number, readonly string[]>> = {
  // Christmas and Independence Day on days of the week; New Year's Day of 2011 was a Saturday.
  2010: ['01-01', '01-18', '02-15', '04-02', '05-31', '07-05', '09-06', '11-25', '12-24'],
  2011: ['01-17', '02-21', '04-22', '05-30', '07-04', '09-05', '11-24', '12-26'],
  2015: ['01-01', '01-19', '02-16', '04-03', '05-25', '07-03', '09-07', '11-26', '12-25'],
  2017: ['01-02', '01-16', '02-20', '04-14', '05-29', '07-04', '09-04', '11-23', '12-25'],
  2020: ['01-01', '01-20', '02-17', '04-10', '05-25', '07-03', '09-07', '11-26', '12-25'],
  2021: ['01-01', '01-18', '02-15', '04-02', '05-31', '07-05', '09-06', '11-25', '12-24'],
  2022: ['01-17', '02-21', '04-15', '05-30', '06-20', '07-04', '09-05', '11-24', '12-26'],
  2023: ['01-02', '01-16', '02-20', '04-07', '05-29', '06-19', '07-04', '09-04', '11-23', '12-25'],
  2024: ['01-01', '01-15', '02-19', '03-29', '05-27', '06-19', '07-04', '09-02', '11-28', '12-25'],
  2025: ['01-01', '01-20', '02-17', '04-18', '05-26', '06-19', '07-04', '09-01', '11-27', '12-25'],
  2026: ['01-01', '01-19', '02-16', '04-03', '05-25', '06-19', '07-03', '09-07', '11-26', '12-25'],
}

/** Closures that are no holidays: hurricane Sandy and days of mourning. The dimension has holidays only. */
const CLOSURES = ['2012-10-29', '2012-10-30', '2018-12-05', '2025-01-09']

describe.each(availableDatabases())('dim_date on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())

  it.each(Object.entries(NYSE))(
    'has the holidays of the New York Stock Exchange in %s',
    async (year, days) => {
      const rows = await database.rows<{ day: string }>(
        `select to_char(date, 'MM-DD') as day from star_public.dim_date where is_us_market_holiday and year = $1 order by 1`,
        [Number(year)],
      )
      expect(rows.map(({ day }) => day)).toEqual(days)
    },
  )

  it('has the holidays of the trading calendar in every year that both cover', async () => {
    const rows = await database.rows<{ date: string }>(
      `select date::text as date from star_public.dim_date where is_us_market_holiday and date between $1::date and $2::date
       order by date`,
      [XNYS.coversFrom, XNYS.coversTo],
    )
    const [{ last = '' } = {}] = await database.rows<{ last: string }>(
      'select max(date)::text as last from star_public.dim_date',
    )
    const years = Array.from(
      { length: Number(XNYS.coversTo.slice(0, 4)) - Number(XNYS.coversFrom.slice(0, 4)) + 1 },
      (_, at) => Number(XNYS.coversFrom.slice(0, 4)) + at,
    )
    const closed = years
      .flatMap((year) => XNYS.closedDays(year))
      .filter((day) => day <= last && !isWeekend(day) && !CLOSURES.includes(day))
    expect(years.length).toBeGreaterThanOrEqual(18)
    expect(rows.map(({ date }) => date)).toEqual(closed.toSorted())
  })

  it('goes without a gap from the first block of Bitcoin to a year from today', async () => {
    const [bounds] = await database.rows<Record<string, unknown>>(
      `select min(date) as first, max(date) = ((now() at time zone 'UTC')::date + interval '1 year')::date as "endsInAYear",
         count(*)::int - (max(date) - min(date) + 1) as gaps from star_public.dim_date`,
    )
    expect(bounds).toEqual({ first: '2009-01-03', endsInAYear: true, gaps: 0 })
  })

  it('names the parts of a day by ISO 8601', async () => {
    const [day] = await database.rows('select * from star_public.dim_date where date_key = 20210103')
    expect(day).toEqual({
      date_key: 20210103,
      date: '2021-01-03',
      year: 2021,
      quarter: 1,
      month: 1,
      month_name: 'January',
      week_of_year: 53,
      day_of_week: 7,
      day_name: 'Sunday',
      day_of_month: 3,
      day_of_year: 3,
      is_weekend: true,
      is_us_market_holiday: false,
      fiscal_year: 2021,
      fiscal_quarter: 1,
    })
  })
})
