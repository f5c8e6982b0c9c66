import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CandleRow } from '../../../src/domains/market/store.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'
import { candleOf, commitCandles, quotesAround } from './made-candles.js'

interface AssetCandle {
  readonly asset_id: number
  readonly slug: string
  readonly ts: string
  readonly vwap_usd: number | null
  readonly volume_usd: number | null
  readonly exchanges_count: number
  readonly consensus_status: string
}

interface Panel {
  readonly data: readonly AssetCandle[]
  readonly next_cursor: string | null
  readonly meta: { readonly total: number; readonly has_next: boolean; readonly data_quality: string }
}

interface Refusal {
  readonly error: string
  readonly message: string
  readonly required_scope?: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

const DAY_MS = 86_400_000

/** The crypto assets of the reference. */
const ASSETS = 60

/** Two years, one of them with a leap day. */
const DAYS = 731

/** The days of the asset that begins in 2026-11. */
const SHORT = 19

/** Of all assets, each since its first one. */
const CANDLES = (ASSETS - 1) * DAYS + SHORT

const NEWEST = new Date('2026-11-19T00:00:00Z')
const FROM = new Date(NEWEST.getTime() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
const TWO_YEARS = `asset_class=crypto&timeframe=1d&from=${FROM}`

const KNOWN = new Date('2026-11-20T06:00:00Z')
const REVISED = new Date('2026-11-20T08:00:00Z')

/** Bitcoin lacks a candle of 2026-11-10; asset 3 begins in 2026-11. */
function daysOf(assetId: number): readonly CandleRow[] {
  const made = candleOf({ assetId, timeframe: '1d', ts: NEWEST }, quotesAround(100 + assetId))
  const length = assetId === 3 ? SHORT : DAYS
  return Array.from({ length }, (_, index) => ({
    ...made,
    ts: new Date(NEWEST.getTime() - index * DAY_MS),
  })).filter(({ ts }) => assetId !== 1 || ts.toISOString().slice(0, 10) !== '2026-11-10')
}

describe('GET /v1/candles and candles', () => {
  let database: Database
  let app: TestApp
  let key: string
  let statements: string[] = []
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    await seedWorld(database, SEEDED_AT, ['instruments'])
    await commitCandles(
      database,
      Array.from({ length: ASSETS }, (_, index) => daysOf(index + 1)).flat(),
      KNOWN,
    )
    const revised = candleOf(
      { assetId: 2, timeframe: '1d', ts: new Date('2026-11-15T00:00:00Z') },
      quotesAround(777),
    )
    await commitCandles(database, [revised], REVISED)
    const watched = interposed(database, (sql) => {
      if (/\bfrom candle\b/.test(sql)) statements.push(sql)
    })
    // A response from the cache would run no statement.
    app = await startTestApp(quickestDatabase(), { database: watched, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'growth' })
    await panel('limit=1') // reads which assets are traded
  }, 120_000)
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })
  beforeEach(() => {
    statements = []
  })

  const get = <Body>(query: string, options: CallOptions = { key }) =>
    app.rest<Body>(`/v1/candles?${query}`, options)
  const panel = async (query: string) => (await get<Panel>(query)).body

  it('returns two years of days of every crypto asset in three REST requests', async () => {
    const rows: AssetCandle[] = []
    let requests = 0
    let query: string | null = TWO_YEARS
    while (query !== null) {
      const page: Panel = await panel(query)
      requests += 1
      rows.push(...page.data)
      query = page.next_cursor === null ? null : `${TWO_YEARS}&cursor=${page.next_cursor}`
      expect(page.meta).toMatchObject({ total: CANDLES, has_next: query !== null })
    }
    expect(requests).toBe(3)
    expect(statements).toHaveLength(3)
    expect(rows).toHaveLength(CANDLES)
    const places = rows.map(({ slug, ts }) => `${slug} ${ts}`)
    expect(places).toEqual([...new Set(places)].sort())
  })

  it('returns two years of days of every crypto asset in one GraphQL request', async () => {
    const query = `{ candles(asset_class: crypto, from: "${FROM}", limit: 50000) { data { slug ts vwap_usd } next_cursor } }`
    const { body } = await app.graphql<{ candles: Panel }>(query, { key })
    expect(body.errors).toBeUndefined()
    expect(body.data?.candles.data).toHaveLength(CANDLES)
    expect(body.data?.candles.next_cursor).toBeNull()
    expect(statements).toHaveLength(1)
    expect(body.extensions?.cost?.charged).toBe(Math.ceil(CANDLES / 2_000))
  })

  it.each([
    ['bitcoin', ''],
    ['ethereum', ''],
    ['ethereum', '&as_of=2026-11-20T07:00:00Z'],
  ])('returns the same candles of %s as ohlcv%s', async (slug, asOf) => {
    const range = `from=2026-10-25&to=2026-11-20${asOf}`
    const [one, many] = await Promise.all([
      app.rest<{ data: { candles: readonly Record<string, unknown>[] } }>(
        `/v1/assets/${slug}/ohlcv?${range}`,
        {
          key,
        },
      ),
      panel(`slugs=solana,${slug}&${range}`),
    ])
    const own = many.data.filter((row) => row.slug === slug)
    expect(own.length).toBe(26)
    expect(own).toEqual(
      one.body.data.candles.map(({ ts, vwap_usd, volume_usd, exchanges_count, consensus_status }) => ({
        asset_id: own[0]?.asset_id,
        slug,
        ...{ ts, vwap_usd, volume_usd, exchanges_count, consensus_status },
      })),
    )
  })

  it('neither pads nor charges windows before the first candle of an asset', async () => {
    const [short] = await database.prisma.asset.findMany({ where: { assetId: 3 } })
    const before = await panel(`slugs=${short?.slug}&from=${FROM}&to=2026-10-01`)
    expect([before.data, before.meta.total, before.next_cursor]).toEqual([[], 0, null])
    const since = await panel(`slugs=${short?.slug}&from=${FROM}`)
    expect([since.data.length, since.meta.total]).toEqual([SHORT, SHORT])
    expect(since.data.every(({ vwap_usd }) => vwap_usd !== null)).toBe(true)
    const both = `slugs=${short?.slug},bitcoin&from=${FROM}`
    const pages: AssetCandle[] = []
    let cursor = ''
    do {
      const page = await panel(`${both}&limit=400${cursor}`)
      pages.push(...page.data)
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
    } while (cursor !== '')
    expect(pages).toHaveLength(DAYS + SHORT)
  })

  it('shows a window without a stored candle as insufficient_sources', async () => {
    const { data, meta } = await panel('slugs=bitcoin&from=2026-11-09&to=2026-11-12')
    expect(data.map(({ vwap_usd, consensus_status }) => [vwap_usd === null, consensus_status])).toEqual([
      [false, 'ok'],
      [true, 'insufficient_sources'],
      [false, 'ok'],
    ])
    expect(meta.data_quality).toBe('partial')
  })

  it.each(['', '&as_of=2026-11-20T07:00:00Z'])(
    'neither repeats nor skips a candle at any size of a page%s',
    async (asOf) => {
      const base = `slugs=bitcoin,ethereum,solana&from=2026-11-08&to=2026-11-19${asOf}`
      const whole = await panel(base)
      for (const limit of [1, 5, 11, 12, 32, 33, 34]) {
        const pages: AssetCandle[] = []
        let cursor = ''
        statements = []
        let requests = 0
        do {
          const page = await panel(`${base}&limit=${limit}${cursor}`)
          requests += 1
          pages.push(...page.data)
          cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
        } while (cursor !== '')
        expect(pages).toEqual(whole.data)
        expect([requests, statements.length]).toEqual([Math.ceil(33 / limit), Math.ceil(33 / limit)])
      }
    },
  )

  it('links to the next page, in JSON and in a file', async () => {
    const query = 'slugs=bitcoin,ethereum&from=2026-11-08&to=2026-11-19&limit=20'
    const { headers, body } = await get<Panel>(query)
    expect(headers.get('x-total-count')).toBe('22')
    expect(headers.get('link')).toContain(`cursor=${body.next_cursor}>; rel="next"`)
    const file = await fetch(`${app.url}/v1/candles.csv?${query}`, { headers: { 'x-api-key': key } })
    expect((await file.text()).trimEnd().split('\r\n')).toHaveLength(21)
    expect(file.headers.get('link')).toContain('rel="next"')
  })

  it.each([
    ['slugs=bitcoin&from=2026-11-08', 1],
    [`${TWO_YEARS}&limit=2000`, 1],
    [`${TWO_YEARS}&limit=2001`, 2],
    [TWO_YEARS, 10],
    ['slugs=bitcoin&from=2026-11-20&to=2026-11-20', 1],
  ])('costs 1 unit per 2,000 candles begun: %s', async (query, price) => {
    const dry = await get<{ cost: { price: number } }>(query, { key, headers: { 'x-dry-run': 'cost' } })
    expect(dry.body.cost.price).toBe(price)
    const before = await get(query, { key, headers: { 'x-dry-run': 'cost' } })
    const after = await get(query)
    const left = (headers: Headers) => Number(headers.get('x-ratelimit-remaining'))
    expect(left(before.headers) - left(after.headers)).toBe(price)
  })

  it.each([
    ['slugs=bitcoin&asset_class=crypto', 'asset_class', 'cannot be combined with slugs'],
    ['cursor=bm90aGluZw', 'cursor', 'must be the next_cursor of a response'],
    ['limit=50001', 'limit', 'must be between 1 and 50000; got 50001'],
    [
      `slugs=${Array.from({ length: 101 }, (_, index) => `coin-${index}`).join(',')}`,
      'slugs',
      'must have 1 to 100 slugs; got 101',
    ],
  ])('refuses %s with what is wrong', async (query, field, message) => {
    const { status, body } = await get<Refusal>(query)
    expect([status, body.details]).toEqual([422, [{ field, message }]])
  })

  it.each([
    ['slugs=bitcoin,bitcoim', 'No asset has the slug "bitcoim"; did you mean bitcoin (BTC)?'],
    ['asset_class=stock', 'No stock has candles: consensus prices exist for crypto assets only.'],
    ['slugs=apple', 'consensus prices exist for crypto assets only'],
  ])('answers %s with a 404 that says why', async (query, message) => {
    const { status, body } = await get<Refusal>(query)
    expect(status).toBe(404)
    expect(body.message).toContain(message)
  })

  it.each([
    ['timeframe=1h', 'free', 'ohlcv:intraday'],
    ['from=2024-11-19', 'starter', 'history:full'],
  ] as const)('refuses %s to the tier %s and names the scope', async (query, tier, scope) => {
    const { status, body } = await get<Refusal>(query, { key: await app.newKey({ tier }) })
    expect([status, body.required_scope]).toEqual([403, scope])
  })
})
