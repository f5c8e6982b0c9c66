import { type GraphQLField, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLISHED_RULES } from '../../../src/platform/bi-temporal/published-rules.js'
import { graphSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { callGraphql, callRest, exampleArguments, rootFields } from '../../support/app/endpoint-calls.js'
import { fullSelection } from '../../support/app/selections.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { randomOf } from '../../support/figures.js'

type Field = GraphQLField<unknown, unknown>

const hasArgument = ({ args }: Pick<Field, 'args'>, wanted: string) =>
  args.some(({ name }) => name === wanted)

const FIELDS = Object.values(graphSchema.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()))

const ROOTS = rootFields().filter(({ field }) => hasArgument(field, 'basis'))

const readsOf = (field: Field) =>
  (field.extensions.endpoint ?? field.extensions.edge)?.reads as readonly (keyof typeof PUBLISHED_RULES)[]

const hasRule = (field: Field) => readsOf(field).some((dataset) => PUBLISHED_RULES[dataset] !== undefined)

const QUESTIONS = 1_000
const SEED = 60

const DAY_MS = 86_400_000

/** The members of rows that tell when they were published. */
interface Row {
  readonly date: string
  readonly ts: string
  readonly vwap_usd: number | null
  readonly published_at: string
}

/** The rule of each dataset by its words, with the time zones of the run time and not of the database. */
function localInstant(timeZone: string, day: string, time: string): number {
  const utc = Date.parse(`${day}T${time}Z`)
  const parts = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const shown = Date.parse(`${parts.format(utc).replace(' ', 'T')}Z`)
  return utc - (shown - utc)
}

describe('the basis published', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'enterprise' })
    // As an installation that loaded everything a moment ago.
    for (const table of ['forex_rate', 'candle', 'daily_price', 'etf_report']) {
      await app.database.rows(`delete from ${table} where known_to is not null`, [])
      await app.database.rows(`update ${table} set known_from = $1`, [SEEDED_AT])
    }
    // The reports of the synthetic world state no filing. Here four of five do.
    await app.database.rows(
      `insert into etf_report (asset_id, as_of, status, published_at, is_amendment, is_nav_computed, weight_sum,
         holdings_count, content_hash, known_from, source)
       select i.asset_id, day, 'good', case when extract(day from day)::int % 5 > 0 then day + interval '2 days' end,
         false, false, 1, 0, 'hash ' || i.asset_id || day, $1, 'seed'
       from instrument as i, generate_series(timestamptz '2026-08-01T00:00:00Z', '2026-10-30T00:00:00Z', '1 day') as day
       where i.ticker in ('IVV', 'SPY', 'QQQ')`,
      [SEEDED_AT],
    )
  })
  afterAll(() => app?.close())

  const get = async (path: string) => {
    const { status, body } = await app.rest<{ data: readonly Row[] | { candles: readonly Row[] } }>(path, {
      key,
    })
    expect([path, status]).toEqual([path, expect.toSatisfy((code) => code === 200 || code === 404)])
    if (status === 404) return []
    return 'candles' in body.data ? body.data.candles : body.data
  }

  it('can be asked wherever an instant of knowledge can be', () => {
    const isInstant = ({ name, type }: Field['args'][number]) =>
      (name === 'as_of' || name === 'known_at') && String(type) === 'DateTime'
    const withInstant = FIELDS.filter(({ args }) => args.some(isInstant)).map(({ name }) => name)
    expect(FIELDS.filter((field) => hasArgument(field, 'basis')).map(({ name }) => name)).toEqual(withInstant)
    expect(ROOTS.filter(({ field }) => hasRule(field)).map(({ name }) => name)).toHaveLength(16)
  })

  it.each(ROOTS)('answers $name alike in both interfaces, or says why not', async (root) => {
    const args = exampleArguments(root, { basis: 'published' })
    const selection = fullSelection(root.field.type)
    const { body } = await callGraphql(app, root, args, { key }, selection)
    const { rest } = root.endpoint
    if (rest === null) expect.fail(`${root.name} has no route`)
    const inRest = await callRest(app, root, rest, args, { key })
    if (hasRule(root.field)) {
      expect(body.errors).toBeUndefined()
      expect(inRest.status).toBe(200)
      expect(body.data?.[root.name]).toMatchObject({ _meta: { undated_rows: expect.any(Number) } })
      expect(inRest.body).toMatchObject({ _meta: { undated_rows: expect.any(Number) } })
      const observed = await callRest(app, root, rest, exampleArguments(root, {}), { key })
      expect(observed.body).toMatchObject({ _meta: { undated_rows: null } })
      return
    }
    expect(inRest.status).toBe(422)
    expect(inRest.text).toContain('must be observed')
    expect(body.errors?.[0]?.extensions.details).toMatchObject([{ field: 'basis' }])
    expect(body.extensions?.cost?.charged).toBe(0)
  })

  it(`answers ${QUESTIONS} questions about the past with nothing that was published later (seed ${SEED})`, async () => {
    const random = randomOf(SEED)
    const between = (from: string, to: Date) =>
      new Date(Date.parse(from) + random() * (to.getTime() - Date.parse(from)))
    const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value
    const found = { forex: 0, candles: 0, prices: 0, filings: 0 }
    const late: string[] = []
    const note = (dataset: keyof typeof found, path: string, publishedAt: number, at: Date) => {
      found[dataset] += 1
      if (publishedAt > at.getTime()) late.push(`${path}: ${new Date(publishedAt).toISOString()}`)
    }
    const dayOf = (at: Date, days: number) =>
      new Date(at.getTime() + days * DAY_MS).toISOString().slice(0, 10)
    const ask = async (number: number) => {
      const at = between('2026-08-20T00:00:00Z', SEEDED_AT)
      const knownAt = `as_of=${at.toISOString()}&basis=published`
      // The range ends after the instant, so that only the basis keeps the later rows out.
      const days = `from=${dayOf(at, -5)}&to=${dayOf(at, 3)}`
      if (number % 4 === 0) {
        const path = `/v1/forex?quote=${pick(['USD', 'GBP', 'JPY', 'CHF'])}&${days}&${knownAt}`
        for (const { date } of await get(path))
          note('forex', path, localInstant('Europe/Berlin', date, '16:00:00'), at)
      } else if (number % 4 === 1) {
        const timeframe = pick(['1h', '1d'])
        const instants = `from=${dayOf(at, -3)}T00:00:00Z&to=${dayOf(at, 1)}T00:00:00Z`
        const path = `/v1/assets/${pick(['bitcoin', 'ethereum'])}/ohlcv?timeframe=${timeframe}&${instants}&${knownAt}`
        const lengthMs = timeframe === '1h' ? DAY_MS / 24 : DAY_MS
        for (const { ts, vwap_usd } of await get(path))
          if (vwap_usd !== null) note('candles', path, Date.parse(ts) + lengthMs + 900_000, at)
      } else if (number % 4 === 2) {
        const path = `/v1/stocks/${pick(['AAPL', 'MSFT', 'NVDA'])}/prices?${days}&${knownAt}`
        for (const { date } of await get(path))
          note('prices', path, localInstant('America/New_York', date, '16:15:00'), at)
      } else {
        const path = `/v1/etf/${pick(['IVV', 'SPY', 'QQQ'])}/reports?known_at=${at.toISOString()}&basis=published`
        for (const { published_at } of await get(path)) {
          const nextDay = dayOf(new Date(published_at), 1)
          note('filings', path, localInstant('America/New_York', nextDay, '00:00:00'), at)
        }
      }
    }
    for (let asked = 0; asked < QUESTIONS; asked += 10)
      await Promise.all(Array.from({ length: 10 }, (_, at) => ask(asked + at)))
    expect(late).toEqual([])
    expect(Math.min(...Object.values(found))).toBeGreaterThan(QUESTIONS / 8)
  }, 300_000)

  it('answers nothing by observation in a fresh installation', async () => {
    const day = 'quote=USD&from=2026-09-01&to=2026-09-30&as_of=2026-10-15T00:00:00Z'
    expect(await get(`/v1/forex?${day}`)).toEqual([])
    expect(await get(`/v1/forex?${day}&basis=observed`)).toEqual([])
    expect(await get(`/v1/forex?${day}&basis=published`)).toHaveLength(22)
  })

  it('counts the reports that state no publication', async () => {
    const query = `{ etf_reports(ticker: "IVV", basis: published) {
      data { published_at } meta { total } _meta { undated_rows } } }`
    const { body } = await app.graphql<{ etf_reports: Record<string, never> }>(query, { key })
    expect(body.errors).toBeUndefined()
    const [counted] = await app.database.rows<{ dated: string; undated: string }>(
      `select count(published_at) as dated, count(*) - count(published_at) as undated from etf_report as r
       join instrument as i on i.asset_id = r.asset_id where i.ticker = 'IVV' and r.status = 'good'`,
      [],
    )
    expect(Number(counted?.undated)).toBeGreaterThan(0)
    expect(body.data?.etf_reports).toMatchObject({
      meta: { total: expect.any(Number) },
      _meta: { undated_rows: Number(counted?.undated) },
    })
  })

  it('shows its rule in the list of datasets, null where no rule is known', async () => {
    const { body } = await app.rest<{ data: readonly { dataset: string; published_rule: string | null }[] }>(
      '/v1/datasets',
    )
    const rules = new Map(body.data.map(({ dataset, published_rule }) => [dataset, published_rule]))
    for (const [dataset, rule] of rules)
      expect([dataset, rule]).toEqual([
        dataset,
        PUBLISHED_RULES[dataset as keyof typeof PUBLISHED_RULES] ?? null,
      ])
    expect([...rules.values()].filter((rule) => rule !== null)).toHaveLength(5)
  })

  it.each([
    [
      'with a release',
      '/v1/forex?quote=USD&basis=published&release=forex/20261120T120000.000Z-0123456789ab',
      'release',
    ],
    ['with an adjustment', '/v1/stocks/AAPL/prices?basis=published&adjust=splits', 'adjust'],
    ['of another name', '/v1/forex?quote=USD&basis=learned', 'basis'],
    ['in the future', '/v1/forex?quote=USD&basis=published&as_of=2999-01-01T00:00:00Z', 'as_of'],
  ])('is refused %s', async (_how, path, field) => {
    const { status, text } = await app.rest(path, { key })
    expect([status, text]).toEqual([422, expect.stringContaining(field)])
  })

  it('shares no cached answer and no entity tag with the other basis', async () => {
    const path = '/v1/forex?quote=CHF&from=2026-10-01&as_of=2026-10-15T12:00:00Z'
    const published = await app.rest<{ rows: number }>(`${path}&basis=published`, { key })
    const observed = await app.rest<{ rows: number }>(`${path}&basis=observed`, { key })
    const again = await app.rest<{ rows: number }>(`${path}&basis=published`, { key })
    expect([published.body.rows, observed.body.rows, again.body.rows]).toEqual([10, 0, 10])
    expect(published.headers.get('etag')).not.toBe(observed.headers.get('etag'))
    const etag = String(published.headers.get('etag'))
    const revalidated = await app.rest(`${path}&basis=observed`, { key, headers: { 'if-none-match': etag } })
    expect(revalidated.status).toBe(200)
  })

  it('answers one operation by both', async () => {
    const query = `{ published: forex(quote: "USD", from: "2026-10-01", as_of: "2026-10-15T12:00:00Z", basis: published) { rows }
      observed: forex(quote: "USD", from: "2026-10-01", as_of: "2026-10-15T12:00:00Z") { rows } }`
    const { body } = await app.graphql(query, { key })
    expect(body.data).toEqual({ published: { rows: 10 }, observed: { rows: 0 } })
  })
})
