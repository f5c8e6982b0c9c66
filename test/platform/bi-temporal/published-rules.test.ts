import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CALENDARS } from '../../../src/core/calendars/calendars.js'
import { sessionsBetween } from '../../../src/core/calendars/trading-calendar.js'
import { asOfStatement } from '../../../src/platform/bi-temporal/as-of-statement.js'
import {
  CANDLE_PUBLISHED,
  ETF_PUBLISHED,
  FOREX_PUBLISHED,
  PRICE_PUBLISHED,
  type PublishedRule,
} from '../../../src/platform/bi-temporal/published-rules.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

/** The list of a company's filings, one column each. */
interface Submissions {
  readonly filings: {
    readonly recent: Readonly<Record<'form' | 'filingDate' | 'acceptanceDateTime', readonly string[]>>
  }
}

const T1 = new Date('2026-11-20T12:00:00Z')
const T2 = new Date('2026-11-25T12:00:00Z')

const VALUE = { value: 'float8' } as const

const selectRates = asOfStatement(
  'lacks computed value',
  VALUE,
  1,
  FOREX_PUBLISHED,
  (known) => `select f.rate::float8 as value from forex_rate as f where f.date = $1::date and ${known('f')}`,
)

const selectReports = asOfStatement(
  'lacks computed value',
  { value: 'int4' },
  1,
  ETF_PUBLISHED,
  (known) =>
    `select r.holdings_count as value from etf_report as r where r.asset_id = $1::int and ${known('r')}`,
)

const selectUnruled = asOfStatement(
  'lacks computed value',
  VALUE,
  0,
  null,
  (known) => `select f.rate::float8 as value from forex_rate as f where ${known('f')}`,
)

describe.each(availableDatabases())('published rules on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
  })
  afterAll(() => database?.close())

  /** Whether a row counts as published at an instant. `columns` are SQL. */
  const isPublished = async (rule: PublishedRule, columns: string, instant: string) => {
    const sql = `select ${rule.isPublished('r', '$1::timestamptz')} as is from (select ${columns}) as r`
    const [row] = await database.rows<{ is: boolean | null }>(sql, [new Date(instant)])
    return row?.is
  }
  /** The rule is false a millisecond before the instant, and true from it on. */
  const begins = async (rule: PublishedRule, columns: string, instant: string) => {
    const before = new Date(Date.parse(instant) - 1).toISOString()
    return [await isPublished(rule, columns, before), await isPublished(rule, columns, instant)]
  }
  const BEGINS = [false, true]

  it.each([
    ['in winter', '2026-01-15', '2026-01-15T15:00:00Z'],
    ['in summer', '2026-07-15', '2026-07-15T14:00:00Z'],
    ['on the Friday before the clocks go forward', '2025-03-28', '2025-03-28T15:00:00Z'],
    ['on the Monday after it', '2025-03-31', '2025-03-31T14:00:00Z'],
    ['on the Monday after the clocks go back', '2025-10-27', '2025-10-27T15:00:00Z'],
    ['on the first day of the euro', '1999-01-04', '1999-01-04T15:00:00Z'],
  ])('date the rates of the ECB to 16:00 in Frankfurt %s', async (_when, day, instant) => {
    expect(await begins(FOREX_PUBLISHED, `date '${day}' as date`, instant)).toEqual(BEGINS)
  })

  it.each([
    ['1h', '2026-03-29T01:00:00Z', '2026-03-29T02:15:00Z'],
    ['1d', '2024-02-29T00:00:00Z', '2024-03-01T00:15:00Z'],
  ])('date a candle of %s to a quarter of an hour after its window', async (timeframe, ts, instant) => {
    const columns = `'${timeframe}'::timeframe as timeframe, timestamptz '${ts}' as ts`
    expect(await begins(CANDLE_PUBLISHED, columns, instant)).toEqual(BEGINS)
  })

  it.each([
    ['in winter', '2026-01-15', '2026-01-15T21:15:00Z'],
    ['in summer', '2026-07-15', '2026-07-15T20:15:00Z'],
    ['between the changes of both continents', '2026-03-12', '2026-03-12T20:15:00Z'],
    ['on a half day until the usual close', '2025-11-28', '2025-11-28T21:15:00Z'],
    ['before the calendar begins until the day has ended everywhere', '2009-12-31', '2010-01-01T12:00:00Z'],
  ])('date a price of New York to the closing auction %s', async (_when, day, instant) => {
    const [apple] = await database.rows<{ id: number }>(
      `select instrument_id as id from instrument where ticker = 'AAPL' and mic = 'XNAS'`,
      [],
    )
    const columns = `${apple?.id} as instrument_id, date '${day}' as date`
    expect(await begins(PRICE_PUBLISHED, columns, instant)).toEqual(BEGINS)
  })

  it('date a price of a market without a calendar to noon of the next day in UTC', async () => {
    const columns = `-1 as instrument_id, date '2026-02-27' as date`
    expect(await begins(PRICE_PUBLISHED, columns, '2026-02-28T12:00:00Z')).toEqual(BEGINS)
  })

  it.each([
    ['2026-02-26', '2026-02-27T05:00:00Z'],
    ['2026-08-28', '2026-08-29T04:00:00Z'],
  ])('date a filing of %s to the end of its day in New York', async (day, instant) => {
    const columns = `timestamptz '${day}T00:00:00Z' as published_at`
    expect(await begins(ETF_PUBLISHED, columns, instant)).toEqual(BEGINS)
  })

  it('never date a report without a filing', async () => {
    expect(
      await isPublished(ETF_PUBLISHED, 'null::timestamptz as published_at', '2100-01-01T00:00:00Z'),
    ).toBe(null)
  })

  it('show no session before its true close', async () => {
    for (const calendar of CALENDARS.filter(({ hours }) => hours !== null)) {
      await database.rows(`update instrument set mic = null where mic = $1 and ticker <> 'AAPL'`, [
        calendar.code,
      ])
      await database.rows(`update instrument set mic = $1 where ticker = 'AAPL'`, [calendar.code])
      const sessions = sessionsBetween(calendar, calendar.coversFrom, calendar.coversTo)
      const [row] = await database.rows<{ early: string; sessions: string }>(
        `select count(*) as sessions,
           count(*) filter (where ${PRICE_PUBLISHED.isPublished('r', 'r.before')}) as early
         from (select i.instrument_id, s.date, s.before from instrument as i,
           unnest($1::date[], $2::timestamptz[]) as s(date, before) where i.ticker = 'AAPL') as r`,
        [sessions.map(({ date }) => date), sessions.map(({ closesAt }) => closesAt)],
      )
      expect([calendar.code, Number(row?.early)]).toEqual([calendar.code, 0])
      expect(Number(row?.sessions)).toBe(sessions.length)
      expect(sessions.length).toBeGreaterThan(2_500)
    }
  })

  it('give the first version of a rate from its publication on, and a correction since it was learned', async () => {
    await database.rows(`delete from forex_rate`, [])
    await database.rows(
      `insert into forex_rate (quote, date, rate, known_from, known_to, source) values
        ('USD', '2020-03-02', 1.1, $1, $2, 'ecb'), ('USD', '2020-03-02', 1.2, $2, null, 'ecb')`,
      [T1, T2],
    )
    const rate = async (at: string | Date, basis: 'observed' | 'published') =>
      (await selectRates(database, ['2020-03-02'], { at: new Date(at), basis })).map(({ value }) => value)
    expect(await rate('2020-03-02T14:59:59Z', 'published')).toEqual([])
    expect(await rate('2020-03-02T15:00:00Z', 'published')).toEqual([1.1])
    expect(await rate(new Date(T2.getTime() - 1), 'published')).toEqual([1.1])
    expect(await rate(T2, 'published')).toEqual([1.2])
    expect(await rate('2020-03-02T15:00:00Z', 'observed')).toEqual([])
    expect(await rate(T1, 'observed')).toEqual([1.1])
    expect(await rate(T2, 'observed')).toEqual([1.2])
  })

  it('give a rate that the ECB added, removed and added again no earlier than it was learned again', async () => {
    await database.rows(`delete from forex_rate`, [])
    const again = new Date(T2.getTime() + 1_000)
    await database.rows(
      `insert into forex_rate (quote, date, rate, known_from, known_to, source) values
        ('USD', '2020-03-02', 1.1, $1, $2, 'ecb'), ('USD', '2020-03-02', 1.3, $3, null, 'ecb')`,
      [T1, T2, again],
    )
    const rate = async (at: Date) =>
      (await selectRates(database, ['2020-03-02'], { at, basis: 'published' })).map(({ value }) => value)
    expect(await rate(new Date('2021-01-01'))).toEqual([1.1])
    expect(await rate(T2)).toEqual([])
    expect(await rate(again)).toEqual([1.3])
  })

  it('give each filing from its day on, and an amendment instead of it from its own day on', async () => {
    const [fund] = await database.rows<{ id: number }>(`select asset_id as id from etf_report limit 1`, [])
    await database.rows(`delete from etf_report where asset_id = $1`, [fund?.id])
    const report = (count: number, publishedAt: string | null, from: Date, to: Date | null, source: string) =>
      database.rows(
        `insert into etf_report (asset_id, as_of, status, published_at, is_amendment, is_nav_computed, weight_sum,
           holdings_count, content_hash, known_from, known_to, source)
         values ($1, '2023-12-31', 'good', $2::timestamptz, false, false, 1, $3, $4, $5, $6, $7)`,
        [fund?.id, publishedAt, count, `hash ${count}`, from, to, source],
      )
    await report(500, '2024-02-27T00:00:00Z', T1, T2, 'sec')
    await report(501, '2024-04-10T00:00:00Z', T2, null, 'sec')
    await report(502, null, T1, null, 'ishares')
    const counts = async (at: string | Date) =>
      (await selectReports(database, [fund?.id], { at: new Date(at), basis: 'published' })).map(
        ({ value }) => value,
      )
    expect(await counts('2024-02-28T04:59:59Z')).toEqual([])
    expect(await counts('2024-02-28T05:00:00Z')).toEqual([500])
    expect(await counts('2024-04-11T03:59:59Z')).toEqual([500])
    expect(await counts('2024-04-11T04:00:00Z')).toEqual([501])
    expect(await counts(T2)).toEqual([501])
  })

  const SUBMISSIONS = samplePath('sec/submissions_CIK0001835632_marvell.json')

  it.skipIf(SUBMISSIONS === null)(
    'date annual and quarterly reports 7 to 8 hours after the SEC accepted them (skipped without the samples)',
    async () => {
      const { filings } = JSON.parse(readFileSync(SUBMISSIONS ?? '', 'utf8')) as Submissions
      const { form, filingDate, acceptanceDateTime } = filings.recent
      const reports = form.flatMap((name, at) => (/^10-[KQ]/.test(name) ? [at] : []))
      expect(reports).toHaveLength(21)
      for (const at of reports) {
        const columns = `timestamptz '${filingDate[at]}T00:00:00Z' as published_at`
        const later = (hours: number) =>
          new Date(Date.parse(acceptanceDateTime[at] ?? '') + hours * 3_600_000).toISOString()
        expect(await isPublished(ETF_PUBLISHED, columns, later(7))).toBe(false)
        expect(await isPublished(ETF_PUBLISHED, columns, later(8))).toBe(true)
      }
    },
  )

  it('are needed for a question about what was published', async () => {
    const asked = selectUnruled(database, [], { at: T1, basis: 'published' })
    await expect(asked).rejects.toThrow('without a published instant')
  })
})
