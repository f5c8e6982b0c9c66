import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CandleRow } from '../../../src/domains/market/store.js'
import { candlesSink } from '../../../src/ingest/datasets/market/ingestion.js'
import { writeDataset } from '../../../src/ingest/run/write-dataset.js'
import { seedProvider } from '../../../src/ingest/seed/values/seed-provider.js'
import type { Database } from '../../../src/platform/database/database.js'
import { candleOf, quotesAround } from '../../domains/market/made-candles.js'
import { etagOf, watchValidity } from '../../support/app/answer-validity.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { SEEN_AFTER_MS, wasKept } from '../../support/app/kept-answers.js'
import { availableDatabases, openTestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

const CLOSED = 'from=2026-09-01&to=2026-10-01&timeframe=1d'
const OPEN = 'from=2026-11-01&timeframe=1d'

const candlesOf = (slug: string, range: string) => `/v1/assets/${slug}/ohlcv?${range}`
const inUrl = (query: string) => `/graphql?query=${encodeURIComponent(query)}`

interface Aged {
  readonly data: { readonly candles: readonly { readonly vwap_usd: number | null }[] }
  readonly meta: { readonly freshness_ts: string; readonly computed_at: string }
  readonly _meta: {
    readonly last_updated_at: string
    readonly next_refresh_at: string | null
    readonly freshness_status: string
  }
}

describe.each(availableDatabases())('a commit to one asset on %s', (kind) => {
  let database: Database
  let clock: TestClock
  let app: TestApp
  let other: TestApp
  /** Remembers nothing: what it answers is true. */
  let keepless: TestApp
  let key: string
  let before: (sql: string) => void | Promise<void> = () => {}
  let ids: ReadonlyMap<string, number>
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
    clock = new TestClock(SEEDED_AT)
    app = await startTestApp(kind, { database: interposed(database, (sql) => before(sql)), clock })
    other = await startTestApp(kind, { database, clock })
    keepless = await startTestApp(kind, { database, clock, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'enterprise' })
    const assets = await database.rows<{ slug: string; id: number }>('select slug, asset_id as id from asset')
    ids = new Map(assets.map(({ slug, id }) => [slug, id]))
    await write('cardano', '2026-11-19')
  })
  afterAll(async () => {
    await Promise.all([app, other, keepless].map((one) => one?.close()))
    await database?.close()
  })

  let price = 1_000
  /** Writes the candle of a day with another price, as a run does. */
  async function write(slug: string, day: string): Promise<void> {
    price += 1
    const assetId = ids.get(slug)
    if (assetId === undefined) throw new Error(`there is no ${slug}`)
    const window = { assetId, timeframe: '1d', ts: new Date(day) } as const
    const row: CandleRow = candleOf(window, quotesAround(price))
    const target = { dataset: 'candles', provider: seedProvider, sink: candlesSink } as const
    const counts = await database.transaction((tx) => writeDataset(tx, target, [[row]], clock.now()))
    expect(counts.added + counts.revised).toBe(1)
    clock.advance(SEEN_AFTER_MS)
  }

  const ask = <Body>(path: string, headers = {}, from = app) => from.rest<Body>(path, { key, headers })

  const { isValid, survives } = watchValidity(() => ({ app, other, keepless, key }))

  it.each([
    ['candles of the month', candlesOf('bitcoin', OPEN)],
    ['closed candles', candlesOf('bitcoin', CLOSED)],
    ['candles of several assets', `/v1/candles?slugs=bitcoin,solana&${OPEN}`],
    ['the card', '/v1/assets/bitcoin'],
    ['the inputs of the newest candle', '/v1/assets/bitcoin/consensus-inputs'],
    ['an analysis', '/v1/assets/bitcoin/ai-analysis/latest'],
    [
      'GraphQL',
      inUrl(
        '{ asset(id: "bitcoin") { data { ohlcv(limit: 3) { candles { vwap_usd } _meta { last_updated_at } } } } }',
      ),
    ],
    [
      'GraphQL below candles',
      inUrl('{ ohlcv(id: "bitcoin", limit: 3) { data { asset { price_consensus_usd } } } }'),
    ],
  ])('leaves %s of another asset valid on every node', async (_what, path) => {
    expect(await survives(path, () => write('ethereum', '2026-11-18'))).toBe(true)
  })

  it.each([
    ['its candles of the month', candlesOf('ethereum', OPEN)],
    ['candles of several assets', `/v1/candles?slugs=bitcoin,ethereum&${OPEN}`],
    ['candles of all assets', `/v1/candles?${OPEN}&limit=10`],
    ['its card', '/v1/assets/ethereum'],
    ['the list of cards', '/v1/assets?limit=2&tier=2'],
    ['GraphQL', inUrl('{ asset(id: "ethereum") { data { ohlcv(limit: 3) { candles { vwap_usd } } } } }')],
    [
      'an edge of a list',
      inUrl('{ assets(limit: 1) { data { ohlcv(limit: 3) { candles { vwap_usd } } } } }'),
    ],
    [
      'an edge of an edge',
      inUrl(
        '{ ohlcv(id: "ethereum", limit: 1) { data { asset { ohlcv(limit: 3) { candles { vwap_usd } } } } } }',
      ),
    ],
  ])('outdates %s', async (_what, path) => {
    expect(await survives(path, () => write('ethereum', '2026-11-18'))).toBe(false)
  })

  it('leaves its closed months valid, which only a revision of them outdates', async () => {
    expect(await survives(candlesOf('ethereum', CLOSED), () => write('ethereum', '2026-11-18'))).toBe(true)
    expect(await survives(candlesOf('ethereum', CLOSED), () => write('ethereum', '2026-09-10'))).toBe(false)
    expect(await survives(candlesOf('bitcoin', CLOSED), () => write('ethereum', '2026-09-10'))).toBe(true)
    // The month may be read together with older ones.
    expect(await survives(candlesOf('ethereum', OPEN), () => write('ethereum', '2026-09-10'))).toBe(false)
  })

  it('outdates everything if it comes from a node of an earlier release', async () => {
    const old = async () => {
      await database.rows(
        `update dataset_state set version = version + 1, commit_id = gen_random_uuid() where dataset = 'candles'`,
      )
      clock.advance(SEEN_AFTER_MS)
    }
    expect(await survives(candlesOf('bitcoin', CLOSED), old)).toBe(false)
    expect(await survives(candlesOf('bitcoin', OPEN), old)).toBe(false)
    await write('cardano', '2026-11-19')
    expect(await survives(candlesOf('bitcoin', CLOSED), () => write('ethereum', '2026-11-18'))).toBe(true)
  })

  it('shows in the age of its answers alone, the same in REST and GraphQL', async () => {
    await write('bitcoin', '2026-11-19')
    const open = await ask<Aged>(candlesOf('bitcoin', OPEN))
    const closed = await ask<Aged>(candlesOf('bitcoin', CLOSED))
    clock.advance(60_000)
    await write('ethereum', '2026-11-18')
    const later = await ask<Aged>(candlesOf('bitcoin', OPEN), {}, keepless)
    expect(later.body.meta).toEqual(open.body.meta)
    expect(later.body._meta.last_updated_at).toBe(open.body._meta.last_updated_at)
    const ofEthereum = await ask<Aged>(candlesOf('ethereum', OPEN), {}, keepless)
    expect(ofEthereum.body.meta.computed_at > later.body.meta.computed_at).toBe(true)
    // Nothing newer is expected of months that have ended.
    expect(closed.body._meta).toMatchObject({ freshness_status: 'fresh', next_refresh_at: null })
    expect(closed.headers.get('cache-control')).toBe('private, no-cache')
    expect(open.body._meta.next_refresh_at).not.toBeNull()
    const wanted =
      'meta { freshness_ts computed_at } _meta { last_updated_at next_refresh_at freshness_status }'
    const graphql = await ask<{ data: { open: Aged; closed: Aged } }>(
      inUrl(`{
        open: ohlcv(id: "bitcoin", from: "2026-11-01", timeframe: "1d") { ${wanted} }
        closed: ohlcv(id: "bitcoin", from: "2026-09-01", to: "2026-10-01", timeframe: "1d") { ${wanted} }
      }`),
      {},
      keepless,
    )
    for (const [name, { body }] of [['open', later] as const, ['closed', closed] as const]) {
      const { freshness_ts, computed_at } = body.meta
      const { last_updated_at, next_refresh_at, freshness_status } = body._meta
      expect(graphql.body.data[name]).toEqual({
        meta: { freshness_ts, computed_at },
        _meta: { last_updated_at, next_refresh_at, freshness_status },
      })
    }
  })

  it('between two statements of a run makes it run again only if the run reads the asset', async () => {
    const path = (days: number) =>
      inUrl(
        `{ a: ohlcv(id: "bitcoin", limit: ${days}) { data { rows } } b: ohlcv(id: "solana", limit: ${days}) { data { rows } } }`,
      )
    async function runsWith(slug: string, days: number): Promise<number> {
      let runs = 0
      before = async (sql) => {
        if (!sql.includes('candle as c') || runs++ > 0) return
        await write(slug, '2026-11-17')
      }
      const answer = await ask(path(days))
      before = () => {}
      expect(answer.status).toBe(200)
      expect(wasKept(app, await ask(path(days)))).toBe(true)
      return runs
    }
    const once = await runsWith('ethereum', 4)
    expect(await runsWith('bitcoin', 5)).toBe(2 * once)
  })

  it('is compared for a bounded number of assets; beyond, every commit outdates the answer', async () => {
    const roots = (count: number) =>
      [...ids.keys()].slice(0, count).map((slug, at) => `a${at}: asset(id: "${slug}") { data { ticker } }`)
    const query = (count: number) => inUrl(`{ ${roots(count).join(' ')} }`)
    const few = await ask(query(2))
    expect(etagOf(few)).toContain('!')
    const many = await ask(query(12))
    expect(etagOf(many)).toMatch(/^W/)
    expect(etagOf(many)).not.toContain('!')
    expect(etagOf(many).length).toBeLessThan(100)
    expect(await survives(query(12), () => write('ethereum', '2026-11-18'))).toBe(false)
  })

  it('is seen by a range that was open when its month ended', async () => {
    const november = candlesOf('bitcoin', 'from=2026-11-01&to=2026-11-21&timeframe=1d')
    const first = await ask<Aged>(november)
    expect(first.body._meta.next_refresh_at).not.toBeNull()
    clock.advance(new Date('2026-12-01T00:00:00Z').getTime() - clock.now().getTime())
    expect(await isValid(november, etagOf(first))).toBe(false)
    const closed = await ask<Aged>(november)
    expect(closed.body._meta).toMatchObject({ freshness_status: 'fresh', next_refresh_at: null })
    expect(await survives(november, () => write('bitcoin', '2026-12-01'))).toBe(true)
    expect(await survives(november, () => write('bitcoin', '2026-11-20'))).toBe(false)
    // A writer whose clock is still in November.
    clock.advance(new Date('2026-11-30T23:59:00Z').getTime() - clock.now().getTime())
    const late = await ask(november)
    await write('bitcoin', '2026-11-20')
    clock.advance(new Date('2026-12-01T00:10:00Z').getTime() - clock.now().getTime())
    expect(await isValid(november, etagOf(late))).toBe(false)
  })
})
