import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { commitRevision, reviseRates } from '../../support/database/forex-revisions.js'

interface Forex {
  readonly rows: number
  readonly data: readonly { readonly date: string; readonly rate: number }[]
  readonly ended_on: string | null
  readonly data_quality: string
}

interface Versions {
  readonly revisions: readonly {
    readonly rate: number
    readonly known_from: string
    readonly known_to: string | null
    readonly published_from: string
  }[]
}

interface Refusal {
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

describe('exchange rates', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const forex = async (query: string) => (await app.rest<Forex>(`/v1/forex?${query}`, { key })).body

  it('of a currency that has ended state its end, and the range is empty', async () => {
    expect(await forex('quote=BGN')).toMatchObject({
      rows: 0,
      data: [],
      ended_on: '2025-12-31',
      data_quality: 'empty',
    })
    const whole = await forex('quote=BGN&from=2025-12-01&to=2026-01-31')
    expect(whole).toMatchObject({ ended_on: '2025-12-31', data_quality: 'full' })
    expect(whole.data.at(-1)?.date).toBe('2025-12-31')
    expect(await forex('quote=USD')).toMatchObject({ ended_on: null, data_quality: 'full' })
    // A Saturday and a Sunday.
    expect(await forex('quote=USD&from=2026-11-14&to=2026-11-15')).toMatchObject({
      rows: 0,
      data_quality: 'empty',
    })
  })

  it.each(['/v1/forex?quote=USD', '/v1/forex/cross?base=USD&quote=GBP'])(
    'begin 30 days before today without from, and a to before that needs its own from: %s',
    async (path) => {
      const whole = await app.rest<unknown>(`${path}&from=2026-10-21`, { key })
      expect((await app.rest<unknown>(path, { key })).text).toBe(whole.text)
      const upTo = await app.rest<unknown>(`${path}&to=2026-11-02`, { key })
      expect(upTo.text).toBe((await app.rest<unknown>(`${path}&from=2026-10-21&to=2026-11-02`, { key })).text)
      const refused = await app.rest<Refusal>(`${path}&to=2026-10-20`, { key })
      expect([refused.status, refused.body.details]).toEqual([
        422,
        [
          {
            field: 'from',
            message:
              'is needed because to is before its default 2026-10-21, 30 days before today; got to 2026-10-20',
          },
        ],
      ])
      expect((await app.rest(`${path}&from=2026-10-01&to=2026-10-20`, { key })).status).toBe(200)
    },
  )

  it('are given as they were known at an instant, in REST and GraphQL', async () => {
    const before = app.clock.now().toISOString()
    const { rows } = await forex('quote=GBP&from=2026-11-10&to=2026-11-13')
    app.clock.advance(1_000)
    await reviseRates(app.database, 7, app.clock.now())
    app.clock.advance(1_000)
    const range = 'quote=GBP&from=2026-11-10&to=2026-11-13'
    const rates = ({ data }: Forex) => [...new Set(data.map(({ rate }) => rate === 7))]
    expect(rates(await forex(range))).toEqual([true])
    const then = await forex(`${range}&as_of=${before}`)
    expect([then.rows, rates(then)]).toEqual([rows, [false]])
    const { body } = await app.graphql<{ forex: Forex }>(
      `{ forex(quote: "GBP", from: "2026-11-10", to: "2026-11-13", as_of: "${before}") { data { date rate } } }`,
      { key },
    )
    expect(body.data?.forex.data).toEqual(then.data)
    expect(await forex(`${range}&as_of=2020-01-01T00:00:00Z`)).toMatchObject({
      rows: 0,
      data_quality: 'empty',
    })
    expect(await forex(`${range}&as_of=2999-01-01T00:00:00Z`)).toMatchObject({
      details: [{ field: 'as_of' }],
    })
  })

  it('have versions: the first counts from its publication, a correction from when it was learned', async () => {
    const range = 'quote: "JPY", from: "2026-11-10", to: "2026-11-13"'
    const versions = async (argument = '') => {
      const { body } = await app.graphql<{ forex: Versions }>(
        `{ forex(${range}${argument}) { revisions { rate known_from known_to published_from } } }`,
        { key },
      )
      return body.data?.forex.revisions ?? []
    }
    const rateAt = async (instant: string | undefined) =>
      (await forex(`quote=JPY&from=2026-11-10&to=2026-11-13&basis=published&as_of=${instant}`)).data.at(-1)
    const before = (await versions()).length
    await commitRevision(app, 9)
    const all = await versions()
    expect(all.length).toBe(before + 1)
    const [first, last] = [all[0], all.at(-1)]
    // 16:00 in Frankfurt.
    expect(first?.published_from).toBe('2026-11-13T15:00:00.000Z')
    expect(last).toMatchObject({ rate: 9, known_to: null, published_from: last?.known_from })
    expect(all.at(-2)?.known_to).toBe(last?.known_from)
    for (const { rate, published_from } of all)
      expect(await rateAt(published_from)).toEqual({ date: '2026-11-13', rate })
    expect((await rateAt('2026-11-13T14:59:59.999Z'))?.date).toBe('2026-11-12')
    expect((await versions(', inverse: true')).at(-1)).toMatchObject({ rate: 0.111111 })
    expect((await versions(', as_of: "2020-01-01T00:00:00Z"')).length).toBe(0)
  })

  it('of a currency that has ended state its end in a file too', async () => {
    const of = async (query: string) => {
      const { headers } = await app.rest(`/v1/forex?${query}`, { key, headers: { accept: 'text/csv' } })
      return [headers.get('x-ended-on'), headers.get('x-data-quality'), headers.get('x-total-count')]
    }
    expect(await of('quote=BGN')).toEqual(['2025-12-31', 'empty', '0'])
    expect(await of('quote=BGN&from=2025-12-31&to=2026-01-31')).toEqual(['2025-12-31', 'full', '1'])
    expect(await of('quote=USD&from=2026-11-19&to=2026-11-19')).toEqual([null, 'full', '1'])
  })

  it('are refused with the applicable reason', async () => {
    const problem = async (query: string) =>
      (await app.rest<Refusal>(`/v1/forex?quote=USD&${query}`, { key })).body.details[0]
    expect(await problem('to=9999-12-31')).toEqual({
      field: 'to',
      message: 'must be in the years 1900 to 2200; got "9999-12-31"',
    })
    expect(await problem('from=2026-02-30')).toMatchObject({ field: 'from' })
  })
})
