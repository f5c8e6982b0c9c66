import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decimal, decimalText } from '../../../src/core/decimal.js'
import { FOREX_CURRENCIES } from '../../../src/domains/forex/model.js'
import { writeRates } from '../../../src/domains/forex/store.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { availableDatabases } from '../../support/database/database.js'
import { reviseRates } from '../../support/database/forex-revisions.js'

interface Cross {
  readonly data: {
    readonly base: string
    readonly currencies: readonly { readonly currency: string; readonly ended_on: string | null }[]
    readonly rates: readonly {
      readonly date: string
      readonly quote: string
      readonly rate: number
      readonly is_derived: boolean
      readonly method: string
      readonly base_rate: number
      readonly quote_rate: number
    }[]
  }
  readonly meta: Readonly<Record<string, unknown>>
}

interface Converted {
  readonly data: {
    readonly amount: string
    readonly date: string
    readonly conversions: readonly {
      readonly currency: string
      readonly amount: string
      readonly rate: number
      readonly date: string
      readonly is_derived: boolean
      readonly method: string
      readonly legs: readonly Readonly<Record<string, unknown>>[]
    }[]
  }
}

interface Forex {
  readonly data: readonly { readonly date: string; readonly rate: number }[]
}

interface Refusal {
  readonly message: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

const FRESHNESS =
  'data_freshness_seconds last_updated_at next_refresh_at sources freshness_status release undated_rows'

describe.each(availableDatabases())('rates between currencies on %s', (kind) => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(kind)
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const get = <Body>(path: string) => app.rest<Body>(path, { key })
  const cross = async (query: string) => (await get<Cross>(`/v1/forex/cross?${query}`)).body
  const convert = async (query: string) => (await get<Converted>(`/v1/forex/convert?${query}`)).body
  const problems = ({ status, body }: Answer<Refusal>) => {
    expect(status).toBe(422)
    return body.details
  }

  it('are computed from the published rates of the same day, and say so', async () => {
    const [usd, gbp] = await Promise.all(
      ['USD', 'GBP'].map(
        async (quote) => (await get<Forex>(`/v1/forex?quote=${quote}&from=2026-11-02`)).body.data,
      ),
    )
    const { data, meta } = await cross('base=usd&quote=GBP,EUR&from=2026-11-02')
    expect(data.base).toBe('USD')
    const toPounds = data.rates.filter(({ quote }) => quote === 'GBP')
    expect(toPounds.map(({ date }) => date)).toEqual(usd?.map(({ date }) => date))
    for (const [at, rate] of toPounds.entries()) {
      expect([rate.base_rate, rate.quote_rate]).toEqual([usd?.[at]?.rate, gbp?.[at]?.rate])
      const exact = decimal(rate.quote_rate).dividedBy(decimal(rate.base_rate))
      expect(rate.rate).toBe(exact.toSignificantDigits(6).toNumber())
      expect(rate).toMatchObject({ is_derived: true, method: 'cross' })
    }
    expect(data.rates[1]).toMatchObject({ quote: 'EUR', quote_rate: 1, is_derived: true, method: 'inverse' })
    expect(meta).toMatchObject({ data_quality: 'full', source: 'seed', is_dev_dataset: true })
    expect(meta.data_methodology).toContain('derived via EUR')
  })

  it('against the euro are the published ones', async () => {
    const { data } = await cross('base=EUR&quote=JPY&quote=USD&from=2026-11-17')
    const published = (await get<Forex>('/v1/forex?quote=JPY&from=2026-11-17')).body.data
    expect(data.rates.filter(({ quote }) => quote === 'JPY').map(({ rate }) => rate)).toEqual(
      published.map(({ rate }) => rate),
    )
    expect(data.rates.every(({ is_derived, method }) => !is_derived && method === 'published')).toBe(true)
    expect(data.rates.slice(0, 2).map(({ quote }) => quote)).toEqual(['JPY', 'USD'])
  })

  it('are the same through both APIs', async () => {
    const inGraphql = async (query: string) =>
      (await app.graphql<{ answer: unknown }>(`{ answer: ${query} }`, { key })).body.data?.answer
    const { data, meta } = await cross('base=CHF&quote=SEK,NOK&from=2026-11-10&to=2026-11-15')
    expect(
      await inGraphql(`forex_cross(base: "CHF", quote: ["SEK", "NOK"], from: "2026-11-10", to: "2026-11-15") {
        data { base currencies { currency ended_on }
          rates { date quote rate is_derived method base_rate quote_rate } } meta { data_methodology } }`),
    ).toEqual({ data, meta: { data_methodology: meta.data_methodology } })
    const { data: converted } = await convert('from=CHF&to=SEK,EUR&amount=12.5&date=2026-11-15')
    expect(
      await inGraphql(`forex_convert(from: "CHF", to: ["SEK", "EUR"], amount: "12.5", date: "2026-11-15") {
        data { from amount date as_of conversions { currency amount rate date is_derived method
          legs { currency date rate source _meta { ${FRESHNESS} } } } } }`),
    ).toEqual({ data: converted })
  })

  it('take as many statements for all currencies as for one', async () => {
    let run = 0
    // The fewest of several runs, each of a question never asked: what is written in the background counts as well.
    const statements = async (quotes: readonly string[]) => {
      const counts: number[] = []
      for (let times = 0; times < 6; times++) {
        run += 1
        const before = app.database.statementCount()
        const day = `2025-10-${10 + run}`
        const { data } = await cross(`base=USD&quote=${quotes.join(',')}&from=2025-10-01&to=${day}`)
        const answer = await convert(`from=USD&to=${quotes.join(',')}&date=${day}`)
        counts.push(app.database.statementCount() - before)
        expect(data.currencies).toHaveLength(quotes.length + 1)
        expect(answer.data.conversions).toHaveLength(quotes.length)
      }
      return Math.min(...counts)
    }
    const all = FOREX_CURRENCIES.map(({ code }) => code).filter((code) => code !== 'USD')
    const one = await statements(['GBP'])
    expect(one).toBeGreaterThanOrEqual(2)
    expect(await statements(all)).toBe(one)
  })

  it('convert amounts exactly, by the newest day that has both rates', async () => {
    const sunday = await convert('from=USD&to=GBP,EUR&amount=1000000.01&date=2026-11-15')
    expect(sunday.data).toMatchObject({ amount: '1000000.01', date: '2026-11-15' })
    const [pounds, euros] = sunday.data.conversions
    expect(pounds).toMatchObject({ currency: 'GBP', date: '2026-11-13', is_derived: true, method: 'cross' })
    expect(pounds?.legs).toMatchObject([
      { currency: 'USD', date: '2026-11-13', source: 'seed', _meta: { sources: ['seed'] } },
      { currency: 'GBP', date: '2026-11-13', source: 'seed' },
    ])
    const [usd = 0, gbp = 0] = pounds?.legs.map(({ rate }) => Number(rate)) ?? []
    const due = decimal(gbp).dividedBy(decimal(usd)).times('1000000.01').toDecimalPlaces(8)
    expect(pounds?.amount).toBe(due.toFixed())
    expect(euros).toMatchObject({ currency: 'EUR', date: '2026-11-13', method: 'inverse' })
    expect(euros?.legs).toHaveLength(1)
    const back = await convert('from=EUR&to=USD&amount=-3&date=2026-11-13')
    expect(back.data.conversions[0]).toMatchObject({
      amount: decimal(usd).times(-3).toFixed(),
      is_derived: false,
      method: 'published',
    })
  })

  it('of an ended currency stop at its end', async () => {
    const { data, meta } = await cross('base=USD&quote=BGN,GBP&from=2025-12-29&to=2026-01-05')
    expect(data.currencies).toEqual([
      { currency: 'USD', ended_on: null },
      { currency: 'BGN', ended_on: '2025-12-31' },
      { currency: 'GBP', ended_on: null },
    ])
    const days = data.rates.filter(({ quote }) => quote === 'BGN').map(({ date }) => date)
    expect(days).toEqual(['2025-12-29', '2025-12-30', '2025-12-31'])
    expect(data.rates.at(-1)).toMatchObject({ date: '2026-01-05', quote: 'GBP' })
    expect(meta.data_quality).toBe('full')
    expect((await cross('base=USD&quote=BGN,GBP')).meta.data_quality).toBe('partial')
    expect((await cross('base=BGN&quote=GBP')).meta.data_quality).toBe('empty')
    expect((await convert('from=BGN&to=GBP&date=2025-12-31')).data.conversions[0]?.date).toBe('2025-12-31')
    expect(problems(await get('/v1/forex/convert?from=GBP&to=BGN&date=2026-01-01'))).toEqual([
      {
        field: 'date',
        message:
          'must not be after 2025-12-31, the last rate of BGN, which is no longer quoted; got 2026-01-01',
      },
    ])
  })

  it('are refused with all problems and their fixes', async () => {
    expect(problems(await get('/v1/forex/cross?base=USX&quote=GBP,,USX'))).toEqual([
      {
        field: 'base',
        message: 'must be a currency that the European Central Bank quotes; got USX; did you mean USD?',
      },
      { field: 'quote', message: 'must be a currency code of three letters, such as USD' },
      {
        field: 'quote',
        message: 'must be a currency that the European Central Bank quotes; got USX; did you mean USD?',
      },
    ])
    expect(problems(await get('/v1/forex/cross?base=USD&quote=USD,GBP,gbp'))).toMatchObject([
      { message: 'must differ from base; got USD for both' },
      { message: 'must name each currency once; got GBP more than once' },
    ])
    const codes = FOREX_CURRENCIES.map(({ code }) => code).join(',')
    expect(
      problems(await get(`/v1/forex/cross?base=EUR&quote=${codes}&from=1999-01-04`)).map(
        ({ field }) => field,
      ),
    ).toEqual(['quote'])
    expect(problems(await get(`/v1/forex/convert?from=EUR&to=${`${codes},`.repeat(2)}`))).toMatchObject([
      { field: 'to', message: 'must have at most 50 currencies; got 61' },
    ])
    for (const amount of ['1,5', '1e15', '0.000000001', 'NaN', '%20'])
      expect(problems(await get(`/v1/forex/convert?from=EUR&to=USD&amount=${amount}`))).toMatchObject([
        { field: 'amount' },
      ])
    expect(
      problems(await get('/v1/forex/convert?from=EUR&to=USD,JPY&date=1998-12-31')).map(
        ({ message }) => message,
      ),
    ).toEqual(
      ['USD', 'JPY'].map((code) =>
        expect.stringMatching(
          new RegExp(`^must not be before \\d{4}-\\d\\d-\\d\\d, the first rate of ${code}; got 1998-12-31$`),
        ),
      ),
    )
    expect(
      problems(await get('/v1/forex/convert?from=EUR&to=USD&date=2026-11-21')).map(({ field }) => field),
    ).toEqual(['date'])
  })

  it('charge nothing if they are refused, and one unit otherwise', async () => {
    const charged = async (query: string) => {
      const { headers } = await get(query)
      return Number(headers.get('x-ratelimit-remaining'))
    }
    const before = await charged('/v1/forex/convert?from=EUR&to=USD&amount=7')
    expect(await charged('/v1/forex/convert?from=EUR&to=XXQ')).toBe(before)
    expect(await charged('/v1/forex/convert?from=EUR&to=USD,GBP,JPY&amount=7')).toBe(before - 1)
  })

  it('return what was known at an instant', async () => {
    const asOf = app.clock.now().toISOString()
    const before = await cross(`base=USD&quote=GBP&from=2026-11-16`)
    app.clock.advance(60_000)
    await reviseRates(app.database, 2, app.clock.now())
    const newest = { quote: 'SEK', date: '2026-11-19', rate: decimalText(decimal('10.5')) }
    await app.database.transaction((tx) =>
      writeRates(tx, [newest as Parameters<typeof writeRates>[1][number]], {
        knownAt: app.clock.now(),
        source: 'seed',
      }),
    )
    app.clock.advance(60_000)
    expect((await cross('base=USD&quote=GBP&from=2026-11-16')).data.rates.at(0)?.rate).toBe(1)
    const then = await cross(`base=USD&quote=GBP&from=2026-11-16&as_of=${asOf}`)
    expect(then.data).toEqual(before.data)
    const [usd, converted] = await Promise.all(
      ['', `&as_of=${asOf}`].map((known) => convert(`from=USD&to=SEK&date=2026-11-19${known}`)),
    )
    expect(usd?.data.conversions[0]?.rate).toBe(5.25)
    expect(converted?.data.conversions[0]?.rate).not.toBe(5.25)
    expect(
      problems(await get(`/v1/forex/convert?from=USD&to=SEK&date=2026-11-19&as_of=2020-01-01T00:00:00Z`)),
    ).toEqual([
      {
        field: 'date',
        message:
          'must have a rate of USD and SEK that was known at 2020-01-01T00:00:00.000Z in the 14 days up to it; got 2026-11-19',
      },
    ])
  })
})
