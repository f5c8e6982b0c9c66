import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decimal, decimalText } from '../../../src/core/decimal.js'
import { parseCurrencyCode } from '../../../src/core/identifiers.js'
import type { IsoDate } from '../../../src/core/time.js'
import { writeRates } from '../../../src/domains/forex/store.js'
import { roundRate } from '../../../src/gateway/compat/frankfurter/round-rate.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

/** Rates in units per euro, by day and currency. */
type Rates = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Published by the European Central Bank; 2025-05-10 and 11 were a weekend, and BGN ended in 2025. */
const PUBLISHED: Rates = {
  '2025-05-08': { GBP: 0.84693, JPY: 163.52, USD: 1.1297, BGN: 1.9558 },
  '2025-05-09': { GBP: 0.84613, JPY: 163.35, USD: 1.1252, BGN: 1.9558 },
  '2025-05-12': { GBP: 0.84228, JPY: 164.35, USD: 1.1106, BGN: 1.9558 },
}

async function writeDays(app: TestApp, rates: Rates): Promise<void> {
  const now = app.clock.now()
  const rows = Object.entries(rates).flatMap(([date, byCode]) =>
    Object.entries(byCode).map(([code, rate]) => {
      const quote = parseCurrencyCode(code)
      if (quote === null) throw new Error(`${code} is no currency code`)
      return { quote, date: date as IsoDate, rate: decimalText(decimal(rate)) }
    }),
  )
  await app.database.transaction(async (tx) => {
    await writeRates(tx, rows, { knownAt: now, source: 'ecb' })
    const state = { source: 'ecb', isDevDataset: false, observedAt: now, changedAt: now }
    await bumpDataset(tx, { dataset: 'forex', ...state })
  })
}

let app: TestApp
let key: string
beforeAll(async () => {
  const clock = new TestClock(new Date('2026-10-03T09:00:00Z'))
  app = await startTestApp(quickestDatabase(), { world: 'empty', clock })
  key = await app.newKey({ tier: 'pro' })
  await writeDays(app, PUBLISHED)
  clock.advance(1_000)
})
afterAll(() => app?.close())

const get = (path: string, headers = {}) => app.rest<unknown>(`/compat/frankfurter${path}`, { key, headers })
/** Status and body of a response. */
const answer = async (path: string) => {
  const { status, body } = await get(path)
  return [status, body]
}

describe('version 1', () => {
  it.each([
    ['a day', '/v1/2025-05-09?symbols=USD,GBP', { date: '2025-05-09', rates: { GBP: 0.84613, USD: 1.1252 } }],
    ['a Sunday', '/v1/2025-05-11?to=USD', { date: '2025-05-09', rates: { USD: 1.1252 } }],
    ['unknown parameters', '/v1/2025-05-09?to=usd&foo=1', { date: '2025-05-09', rates: { USD: 1.1252 } }],
    // As the original computes: 10 × 8.4613 / 11.252, where both amounts are rounded before they are divided.
    [
      'an amount of another base',
      '/v1/2025-05-09?from=USD&to=GBP,EUR,JPY&amount=10',
      { amount: 10, base: 'USD', date: '2025-05-09', rates: { EUR: 8.8873, GBP: 7.5198, JPY: 1451.74 } },
    ],
    ['codes without rates', '/v1/2025-05-09?to=ZZZ,USD', { date: '2025-05-09', rates: { USD: 1.1252 } }],
  ])('answers %s', async (_what, path, expected) => {
    expect(await answer(path)).toEqual([200, { amount: 1, base: 'EUR', ...expected }])
  })

  it('begins a range with the publication before it, and ends it with the last one', async () => {
    const friday = { '2025-05-09': { USD: 1.1252 } }
    const monday = { '2025-05-12': { USD: 1.1106 } }
    const range = { amount: 1, base: 'EUR' }
    expect(await answer('/v1/2025-05-10..2025-05-11?to=USD')).toEqual([
      200,
      { ...range, start_date: '2025-05-09', end_date: '2025-05-09', rates: friday },
    ])
    expect(await answer('/v1/2025-05-10..?to=USD')).toEqual([
      200,
      { ...range, start_date: '2025-05-09', end_date: '2025-05-12', rates: { ...friday, ...monday } },
    ])
    expect(await answer('/v1/2025-05-12..9999-12-31?to=USD')).toEqual([
      200,
      { ...range, start_date: '2025-05-12', end_date: '2025-05-12', rates: monday },
    ])
  })

  it.each([
    [404, 'not found', '/v1/latest'], // the newest rates are older than two weeks
    [404, 'not found', '/v1/1999-01-01'],
    [404, 'not found', '/v1/2025-05-09?base=UAH'],
    [404, 'not found', '/v1/2025-05-09?to=EUR'],
    [404, 'not found', '/v1/2025-05-09?to='],
    [404, 'not found', '/v1/2025-05-12..2025-04-01'],
    [404, 'not found', '/v1/2026-10-04..'],
    [404, 'not found', '/v1/nonexistent'],
    [404, 'not found', '/v1/latest/extra'],
    [422, 'invalid date', '/v1/2010-31-01'],
    [422, 'invalid date', '/v1/2014-02-30..2014-03-01'],
    [422, 'invalid amount', '/v1/2025-05-09?amount=0'],
    [422, 'invalid amount', '/v1/2025-05-09?amount=-1'],
    [422, 'invalid amount', '/v1/2025-05-09?amount='],
    [422, 'invalid amount', '/v1/2025-05-09?amount=Infinity'],
    [422, 'invalid amount', '/v1/2025-05-09?amount=1e308&from=USD'],
    [422, 'bad currency pair', '/v1/2025-05-09?from=USD&to=usd'],
  ])('refuses with %s %s: %s', async (status, message, path) => {
    expect(await answer(path)).toEqual([status, { message }])
  })

  // 81.675 and 245.025 are ties, which go to the even digit.
  it('reads amounts as the original: the number at the beginning', async () => {
    const rates = async (amount: string) => {
      const { body } = await get(`/v1/2025-05-09?to=JPY&amount=${amount}`)
      return (body as { rates: { JPY: number } }).rates.JPY
    }
    expect(await Promise.all(['1e3', '12abc', '.5', '1_000', '%201.5'].map(rates))).toEqual([
      163350, 1960.2, 81.68, 163350, 245.02,
    ])
  })

  it('lists the currencies that are quoted, with their names', async () => {
    expect(await answer('/v1/currencies')).toEqual([
      200,
      {
        BGN: 'Bulgarian Lev',
        EUR: 'Euro',
        GBP: 'British Pound',
        JPY: 'Japanese Yen',
        USD: 'United States Dollar',
      },
    ])
  })
})

describe('version 2', () => {
  const euro = (date: string, quote: string, rate: number) => ({ date, base: 'EUR', quote, rate })

  it('gives one row for each pair, and the base against itself', async () => {
    expect(await answer('/v2/rates?date=2025-05-11&quotes=USD,EUR')).toEqual([
      200,
      [euro('2025-05-09', 'EUR', 1), euro('2025-05-09', 'USD', 1.1252)],
    ])
    expect(await answer('/v2/rates?date=2025-05-11&quotes=USD')).toEqual([
      200,
      [euro('2025-05-09', 'USD', 1.1252)],
    ])
    expect(await answer('/v2/rates?date=1901-01-01')).toEqual([200, []])
  })

  it('begins a range with the newest rates before it, and sorts by day and currency', async () => {
    expect(await answer('/v2/rates?from=2025-05-10&to=2025-05-12&quotes=USD,EUR,GBP')).toEqual([
      200,
      [
        euro('2025-05-09', 'EUR', 1),
        euro('2025-05-09', 'GBP', 0.84613),
        euro('2025-05-09', 'USD', 1.1252),
        euro('2025-05-12', 'EUR', 1),
        euro('2025-05-12', 'GBP', 0.84228),
        euro('2025-05-12', 'USD', 1.1106),
      ],
    ])
    expect(await answer('/v2/rates?from=2025-05-12&to=2025-05-01')).toEqual([200, []])
  })

  it('averages weeks and months, named as in the original', async () => {
    const rows = async (query: string) => (await get(`/v2/rates?base=USD&quotes=JPY&${query}`)).body
    const week = Number(((163.52 + 163.35) / 2 / ((1.1297 + 1.1252) / 2)).toFixed(2))
    expect(await rows('from=2025-05-07&to=2025-05-08&group=week')).toEqual([
      { date: '2025-05-07', base: 'USD', quote: 'JPY', rate: week },
    ])
    const month = (163.52 + 163.35 + 164.35) / (1.1297 + 1.1252 + 1.1106)
    expect(await rows('from=2025-05-20&to=2025-05-20&group=month')).toEqual([
      { date: '2025-05-01', base: 'USD', quote: 'JPY', rate: Number(month.toFixed(2)) },
    ])
  })

  it('keeps the published digits for the only provider, and names it on request', async () => {
    await writeDays(app, { '2025-06-02': { INR: 97.5445 } })
    app.clock.advance(1_000)
    const path = '/v2/rates?date=2025-06-02&quotes=INR'
    expect(await answer(path)).toEqual([200, [euro('2025-06-02', 'INR', 97.54)]])
    expect(await answer(`${path}&providers=ecb&expand=providers`)).toEqual([
      200,
      [
        {
          ...euro('2025-06-02', 'INR', 97.5445),
          providers: [{ key: 'ECB', date: '2025-06-02', rate: 97.5445 }],
        },
      ],
    ])
  })

  it('gives one pair', async () => {
    const pair = { date: '2025-05-09', base: 'JPY', quote: 'USD', rate: 0.00689 }
    expect(await answer('/v2/rate/jpy/USD?date=2025-05-10')).toEqual([200, pair])
    expect(await answer('/v2/rate/USD/USD?date=2025-05-10')).toEqual([
      200,
      { date: '2025-05-09', base: 'USD', quote: 'USD', rate: 1 },
    ])
    expect(await answer('/v2/rate/EUR/USD?date=1999-01-01')).toEqual([
      404,
      { status: 404, message: 'not found' },
    ])
  })

  it('writes CSV by the path and by Accept, and NDJSON by Accept', async () => {
    const lines = 'date,base,quote,rate\n2025-05-12,EUR,EUR,1.0\n2025-05-12,EUR,USD,1.1106\n'
    const file = await get('/v2/rates.csv?date=2025-05-12&quotes=USD,EUR')
    expect([file.text, file.headers.get('content-type')]).toEqual([lines, 'text/csv'])
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="EUR-rates_2025-05-12.csv"')
    const query = '/v2/rates?date=2025-05-12&quotes=USD,EUR'
    expect((await get(query, { accept: 'text/csv' })).text).toBe(lines)
    const ndjson = await get(query, { accept: 'application/x-ndjson' })
    expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson')
    expect(ndjson.headers.get('vary')).toContain('Accept')
    expect(ndjson.text).toBe(
      [euro('2025-05-12', 'EUR', 1), euro('2025-05-12', 'USD', 1.1106)]
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    )
    const expanded = await get('/v2/rates.csv?from=2025-05-12&to=2025-05-12&quotes=USD&expand=providers')
    expect(expanded.text).toBe('date,base,quote,rate,providers\n2025-05-12,EUR,USD,1.1106,ECB:1.1106\n')
    expect((await get('/v2/rates.csv?date=1999-01-01')).text).toBe('')
    const other = await get('/v2/currencies.csv')
    expect([other.status, other.text]).toEqual([406, ''])
  })

  it.each([
    [422, 'unknown parameter: foo, provider', '/v2/rates?provider=ecb&foo=1'],
    [422, 'invalid date', '/v2/rates?date=not-a-date'],
    [422, 'conflicting params', '/v2/rates?date=2025-05-12&from=2025-05-01'],
    [422, 'invalid group', '/v2/rates?from=2025-05-01&group=day'],
    [422, 'invalid expand: foo', '/v2/rates?expand=foo'],
    [422, 'invalid currency: XYZ,AED', '/v2/rates?base=XYZ&quotes=USD,AED'],
    [422, 'invalid currency: XYZ', '/v2/rate/EUR/XYZ'],
    [422, 'invalid scope', '/v2/currencies?scope=some'],
    [404, 'not found', '/v2/rates?providers=ECB,BOC'],
    [404, 'not found', '/v2/currency/xyz'],
    [404, 'not found', '/v2/nothing'],
  ])('refuses with %s %s: %s', async (status, message, path) => {
    expect(await answer(path)).toEqual([status, { status, message }])
  })

  it('refuses a range of more rates than the operation gives', async () => {
    const [status, body] = await answer('/v2/rates?from=1990-01-01')
    expect([status, (body as { message: string }).message]).toEqual([
      422,
      expect.stringMatching(/^must give at most 10000 rates; \d currencies over this range/),
    ])
  })
})

describe('recorded answers (skipped without their samples)', () => {
  const recorded = (name: string) => {
    const path = samplePath(`frankfurter/${name}.json`)
    return path === null ? null : JSON.parse(readFileSync(path, 'utf8'))
  }
  const history = samplePath('ecb/eurofxref-hist.csv')

  /** The rates of one day in the file of the European Central Bank. */
  const dayOf = (date: string): Rates => {
    const [header = '', ...lines] = readFileSync(history ?? '', 'utf8').split('\n')
    const codes = header.split(',').map((cell) => cell.trim())
    const cells = lines.find((line) => line.startsWith(date))?.split(',') ?? []
    const rates = codes.flatMap((code, at) => {
      const rate = Number(cells[at])
      return at === 0 || code === '' || Number.isNaN(rate) ? [] : [[code, rate]]
    })
    return { [date]: Object.fromEntries(rates) }
  }

  it.skipIf(history === null)('are the same for a day of the recorded history', async () => {
    await writeDays(app, dayOf('2025-05-16'))
    app.clock.advance(1_000)
    expect(await answer('/v1/2025-05-16?symbols=USD')).toEqual([200, recorded('v1_latest_USD_2025-05-16')])
  })

  it.skipIf(history === null)(
    'are the same for a newer day and range, with the recorded figures',
    async () => {
      const day = recorded('v1_latest_2026-09-04_GBP_JPY_USD')
      const range = recorded('v1_range_2026-09-30_2026-10-02_INR_USD')
      await writeDays(app, { [day.date]: day.rates, ...range.rates })
      app.clock.advance(1_000)
      expect(await answer('/v1/2026-09-04?symbols=GBP,JPY,USD')).toEqual([200, day])
      expect(await answer('/v1/2026-09-30..2026-10-02?symbols=INR,USD')).toEqual([200, range])
      const latest = { amount: 1, base: 'EUR', date: '2026-10-02', rates: range.rates['2026-10-02'] }
      expect(await answer('/v1/latest')).toEqual([200, latest])
    },
  )

  it.skipIf(history === null)('have the digits of the rule', () => {
    const { rates } = recorded('v1_latest_USD_2026-09-15_all') as { rates: Record<string, number> }
    expect(Object.values(rates).map(roundRate)).toEqual(Object.values(rates))
    expect(Object.keys(rates)).toEqual(Object.keys(rates).sort())
  })

  it.skipIf(history === null).each([
    ['/v2/rates?date=2025-05-12', 'v2_rates_documented_example'],
    ['/v2/currencies', 'v2_currencies_documented_example'],
    ['/v2/providers', 'v2_providers_documented_example'],
  ])('have the members of the documented example: %s', async (path, name) => {
    const { body } = await get(path)
    const [first] = body as readonly object[]
    expect(Object.keys(first ?? {})).toEqual(expect.arrayContaining(Object.keys(recorded(name)[0])))
  })
})

it('rounds by size, ties of the shortest decimal to even', () => {
  // As the original's own table of Ruby's results.
  expect([214.415, 643.965, 17697.5, 20.0005, 1.00005, 0.000123456, 0.00001234567].map(roundRate)).toEqual([
    214.42, 643.96, 17698, 20, 1, 0.00012, 0.000012,
  ])
})

describe('a translated request', () => {
  const path = '/compat/frankfurter/v1/2025-05-09?symbols=USD'

  it('costs what its operation costs, and nothing when it is refused', async () => {
    const own = await app.newKey({ tier: 'free' })
    const left = async (query: string) =>
      (await app.rest(`/compat/frankfurter${query}`, { key: own })).headers.get('x-ratelimit-remaining')
    expect(await left('/v1/2025-05-09')).toBe('13')
    expect(await left('/v1/1999-01-01')).toBe('13')
    expect(await left('/v1/2025-05-09?amount=0')).toBe('13')
    expect(await left('/v1/2025-05-09')).toBe('12')
  })

  it('has an entity tag, source and freshness in headers, and is served from the cache', async () => {
    const first = await app.rest(path, { key })
    const second = await app.rest(path, { key })
    for (const { headers } of [first, second])
      expect(
        ['x-data-source', 'x-is-dev-dataset', 'x-data-freshness'].map((name) => headers.get(name)),
      ).toEqual(['ecb', 'false', expect.stringMatching(/^(fresh|stale|expired)$/)])
    expect(second.text).toBe(first.text)
    expect(first.headers.get('cache-control')).toMatch(/^private, /)
    const tag = first.headers.get('etag') ?? ''
    const confirmed = await app.rest(path, { key, headers: { 'if-none-match': tag } })
    expect([confirmed.status, confirmed.text]).toEqual([304, ''])
    const other = await app.rest('/compat/frankfurter/v2/rates?date=2025-05-09', {
      key,
      headers: { 'if-none-match': tag },
    })
    expect(other.status).toBe(200)
    expect(await app.metrics.getSingleMetricAsString('gateway_cache_hits_total')).toMatch(
      /transport="frankfurter"\} [1-9]/,
    )
    expect(await app.metrics.getSingleMetricAsString('gateway_request_duration_seconds')).toContain(
      'transport="frankfurter",route="/compat/frankfurter/v1/{days}",operation="forex_cross",status="200"',
    )
  })

  it('answers HEAD, a dry run, CORS and other methods as every route does', async () => {
    const head = await app.rest(path, { key, method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const dry = await app.rest<{ cost: object }>(path, { key, headers: { 'x-dry-run': 'cost' } })
    expect(dry.body.cost).toMatchObject({ charged: 0, price: 1 })
    const page = await app.rest(path, { key, headers: { origin: 'https://app.example' } })
    expect(page.headers.get('access-control-allow-origin')).toBe('https://app.example')
    const post = await app.rest(path, { key, method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('needs a key, and is refused in the form of the original', async () => {
    const { status, body, headers } = await app.rest<{ message: string }>(path)
    expect([status, Object.keys(body)]).toEqual([401, ['message']])
    expect(headers.get('www-authenticate')).toContain('ApiKey')
    const limited = await app.newKey({ tier: 'free' })
    for (let unit = 0; unit < 14; unit += 1) await app.rest(path, { key: limited })
    const refused = await app.rest<{ message: string }>(path, { key: limited })
    expect([refused.status, refused.body]).toEqual([
      429,
      { message: expect.stringMatching(/^Hourly limit of 14 units reached/) },
    ])
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  })
})
