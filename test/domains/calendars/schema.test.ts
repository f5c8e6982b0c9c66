import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Session {
  readonly date: string
  readonly opens_at: string | null
  readonly closes_at: string | null
  readonly is_late_open: boolean
  readonly is_early_close: boolean
}

interface Calendar {
  readonly code: string
  readonly covers_from: string
  readonly covers_to: string
  readonly verified_from: string | null
  readonly sessions: readonly Session[]
}

interface Refusal {
  readonly error: string
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

describe('trading calendars', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), {})
    key = await app.newKey({ tier: 'free' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const get = <Body>(path: string) => app.rest<Body>(path, { key })

  it('are listed with the days that they cover and the days that were compared', async () => {
    const { status, body } = await get<{ data: readonly Calendar[]; total: number }>('/v1/calendars')
    expect([status, body.total, body.data.length]).toEqual([200, 11, 11])
    expect(body.data.map(({ code }) => code)).toEqual(
      'TARGET XASX XETR XHKG XLON XNAS XNYS XPAR XSTO XSWX XTKS'.split(' '),
    )
    expect(body.data.find(({ code }) => code === 'XNYS')).toMatchObject({
      name: 'New York Stock Exchange',
      time_zone: 'America/New_York',
      covers_from: '2010-01-01',
      covers_to: '2027-12-31',
      verified_from: '2010-01-04',
      verified_to: '2023-01-13',
    })
    expect(body.data.find(({ code }) => code === 'XPAR')).toMatchObject({
      verified_from: null,
      verified_to: null,
    })
  })

  it('show sessions with opening and closing in UTC, and early closes', async () => {
    const { status, body } = await get<Calendar>('/v1/calendars/xnys?from=2026-11-25&to=2026-11-30')
    expect(status).toBe(200)
    const session = (date: string, closes: string, is_early_close: boolean) => ({
      date,
      opens_at: `${date}T14:30:00.000Z`,
      closes_at: `${date}T${closes}:00.000Z`,
      is_late_open: false,
      is_early_close,
    })
    expect(body.code).toBe('XNYS')
    expect(body.sessions).toEqual([
      session('2026-11-25', '21:00', false),
      session('2026-11-27', '18:00', true),
      session('2026-11-30', '21:00', false),
    ])
  })

  it('give the same sessions in GraphQL', async () => {
    const query =
      '{ calendar(code: "XTKS", from: "2026-09-18", to: "2026-09-25") { sessions { date opens_at closes_at is_late_open is_early_close } } }'
    const graphql = await app.graphql<{ calendar: Calendar }>(query, { key })
    const rest = await get<Calendar>('/v1/calendars/XTKS?from=2026-09-18&to=2026-09-25')
    expect(graphql.body.data?.calendar.sessions).toEqual(rest.body.sessions)
    expect(rest.body.sessions.map(({ date }) => date)).toEqual(['2026-09-18', '2026-09-24', '2026-09-25'])
  })

  it('have the sessions of this year by default', async () => {
    const { body } = await get<Calendar>('/v1/calendars/TARGET')
    const year = app.clock.now().getUTCFullYear()
    expect(body.sessions.every(({ date }) => date.startsWith(`${year}-`))).toBe(true)
    expect(body.sessions.length).toBeGreaterThan(250)
    expect(body.sessions[0]).toMatchObject({ opens_at: null, closes_at: null })
  })

  it('export their sessions as CSV', async () => {
    const { status, text } = await app.rest('/v1/calendars/XLON.csv?from=2026-12-23&to=2026-12-29', { key })
    expect(status).toBe(200)
    expect(
      text
        .trim()
        .split(/\r?\n/)
        .slice(1)
        .map((line) => line.slice(0, 10)),
    ).toEqual(['2026-12-23', '2026-12-24', '2026-12-29'])
  })

  it.each([
    ['from=2009-12-31&to=2010-01-05', 'from', 'covers: 2010-01-01 to 2027-12-31; got 2009-12-31'],
    ['from=2027-12-01&to=2028-01-01', 'to', 'covers: 2010-01-01 to 2027-12-31; got 2028-01-01'],
    ['from=2010-01-01&to=2027-12-31', 'to', 'at most 3660 days after from; got 6574 days'],
    ['from=2026-02-30', 'from', 'must be a calendar day'],
    ['from=2026-02-02&to=2026-02-01', 'from', '2026-02-0'],
  ])('refuse %s with a 422 that says what is wrong', async (query, field, message) => {
    const { status, body } = await get<Refusal>(`/v1/calendars/XNYS?${query}`)
    expect(status).toBe(422)
    expect(body.details).toContainEqual({ field, message: expect.stringContaining(message) })
  })

  it('have a 404 for an unknown code that suggests a similar one', async () => {
    const { status, body } = await get<Refusal>('/v1/calendars/XNYX')
    expect([status, body.error]).toEqual([404, 'not_found'])
    expect(body.message).toBe(
      'No calendar has the code "XNYX"; did you mean XNYS? Use GET /v1/calendars to list all calendars.',
    )
  })
})
