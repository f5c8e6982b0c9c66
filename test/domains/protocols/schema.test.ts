import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findFeed } from '../../../src/ingest/registry.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

interface Body {
  readonly data: Readonly<Record<string, number | string | null>>
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: { readonly sources: readonly string[] }
}

describe('fundamentals', () => {
  const statements: string[] = []
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), {
      database: interposed(database, (sql) => void statements.push(sql)),
      env: { CACHE_BYTES: '0' },
    })
    key = await app.newKey({ tier: 'growth' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })
  beforeEach(() => {
    statements.length = 0
  })

  const get = async (slug: string, query = '') =>
    (await app.rest<Body>(`/v1/assets/${slug}/fundamentals${query}`, { key })).body
  const ingest = async (feed: string, body: unknown) => {
    app.clock.advance(60_000)
    const { database, clock } = app
    const fetchBody = () => expect.fail('nothing is fetched')
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const deps = { database, clock, log: createLogger('silent'), fetchBody }
    const summary = await runFeed(deps, findFeed(feed), { kind: 'bytes', bytes, origin: 'test' })
    app.clock.advance(1_000) // versions are read again every half second
    return summary
  }
  const overview = (...totals: readonly (readonly [slug: string, total30d: number])[]) => ({
    protocols: totals.map(([slug, total30d]) => ({ name: slug, slug, total24h: 1, total7d: 7, total30d })),
  })

  it('of 20 assets take one statement, and their days another', async () => {
    const { body } = await app.graphql<{
      assets: { data: readonly { fundamentals: { history: readonly unknown[] } | null }[] }
    }>(
      '{ assets(asset_class: crypto, limit: 20) { data { fundamentals { ps_ratio history(limit: 5) { pr_ratio } } } } }',
      { key },
    )
    expect(body.errors).toBeUndefined()
    const found = body.data?.assets.data.flatMap(({ fundamentals }) => fundamentals?.history.length ?? [])
    expect(found).toEqual(Array(11).fill(5))
    expect(statements.filter((sql) => sql.includes('asset_fundamentals'))).toHaveLength(2)
  })

  it('are market capitalisation over annualised fees and revenue', async () => {
    const { data, meta } = await get('uniswap')
    const [{ cap = 0 } = {}] = await app.database.rows<{ cap: number }>(
      `select (c.vwap_usd * s.supply)::float8 as cap from candle as c
       join asset as a using (asset_id) join asset_supply as s using (asset_id)
       where a.slug = 'uniswap' and c.timeframe = '1d' and c.known_to is null and s.known_to is null
         and c.ts < '2026-11-20' and c.vwap_usd is not null order by c.ts desc limit 1`,
    )
    expect(data.snapshot_date).toBe('2026-11-20')
    expect(data.fees_annualized).toBeCloseTo(Number(data.fees_30d_usd) * 12, 4)
    expect(data.ps_ratio).toBeCloseTo(cap / Number(data.fees_annualized), 10)
    expect(data.pr_ratio).toBeCloseTo(cap / Number(data.revenue_annualized), 10)
    expect(meta).toMatchObject({
      data_quality: 'full',
      is_dev_dataset: true,
      source: 'seed',
      methodology_version: 'fundamentals-1',
      disclaimer: expect.stringContaining('Not financial advice'),
    })
  })

  it.each([
    ['apple', 'Use GET /v1/stocks/AAPL/fundamentals instead.'],
    ['gold', 'Use GET /v1/commodities/XAU instead.'],
    ['monero', 'monero has no fundamentals, because no fees of its protocols or chains were ingested'],
  ])('of %s give a 404 with the reason', async (slug, message) => {
    const { status, body } = await app.rest<{ message: string }>(`/v1/assets/${slug}/fundamentals`, { key })
    expect([status, body.message]).toEqual([404, expect.stringContaining(message)])
  })

  it('come from live fees instead of synthetic ones, as sums of the protocols of an asset', async () => {
    const fees = overview(['uniswap-v2', 100], ['uniswap-v3', 900], ['lido', 50], ['another', 7])
    const first = await ingest('defillama-fees', fees)
    expect(first).toMatchObject({ added: 4, rejected: 0 })
    expect(first.removedSeed).toBeGreaterThan(1_000)
    const { data, meta, _meta } = await get('uniswap')
    expect(data).toMatchObject({
      fees_30d_usd: 1_000,
      fees_annualized: 12_000,
      revenue_30d_usd: null,
      pr_ratio: null,
    })
    expect(data.ps_ratio).toBeGreaterThan(0)
    // The price and the supply are still synthetic.
    expect(meta).toMatchObject({ data_quality: 'partial', is_dev_dataset: true, source: 'defillama' })
    expect([_meta.sources, meta.licensed_for_commercial_use]).toEqual([['defillama', 'seed'], false])
    expect((await app.rest('/v1/assets/bitcoin/fundamentals', { key })).status).toBe(404)
  })

  it('are completed by revenue, revised with it, and unchanged by the same bodies', async () => {
    const before = app.clock.now()
    const revenue = overview(['uniswap-v3', 300], ['lido', -5])
    expect(await ingest('defillama-revenue', revenue)).toMatchObject({ added: 2, revised: 0, alsoChanged: 2 })
    expect((await get('uniswap')).data).toMatchObject({ revenue_30d_usd: 300, revenue_annualized: 3_600 })
    expect((await get('lido-dao')).data).toMatchObject({ revenue_30d_usd: -5, pr_ratio: null })
    expect(await ingest('defillama-revenue', revenue)).toMatchObject({ added: 0, revised: 0, unchanged: 2 })
    const { body } = await app.graphql<{
      asset_fundamentals: { data: { history: readonly { revenue_30d_usd: number | null }[] } }
    }>(
      `{ asset_fundamentals(id: "uniswap") { data { history(as_of: "${before.toISOString()}") { revenue_30d_usd } } } }`,
      { key },
    )
    expect(body.data?.asset_fundamentals.data.history).toEqual([{ revenue_30d_usd: null }])
    const then = before.toISOString()
    expect((await get('uniswap', `?as_of=${then}`)).data).toMatchObject({ revenue_30d_usd: null })
    const edge = await app.graphql<{ asset: { data: { fundamentals: unknown } } }>(
      `{ asset(id: "uniswap") { data { fundamentals(as_of: "${then}") { revenue_30d_usd } } } }`,
      { key },
    )
    expect(edge.body.data?.asset.data.fundamentals).toEqual({ revenue_30d_usd: null })
  })

  it('have no ratio if the fees are nearly zero', async () => {
    expect(await ingest('defillama-fees', overview(['aave-v3', 1e-29]))).toMatchObject({
      added: 1,
      revised: 0,
      alsoChanged: 1,
    })
    expect((await get('aave')).data).toMatchObject({ fees_30d_usd: 1e-29, ps_ratio: null })
  })

  it('store value locked with its protocol once a day', async () => {
    const protocols = [
      { name: 'Lido', slug: 'lido', category: 'Liquid Staking', chains: ['Ethereum'], tvl: 5, change_1d: 1 },
      { name: 'Dark', slug: 'dark', tvl: null },
    ]
    expect(await ingest('defillama-protocols', protocols)).toMatchObject({
      added: 1,
      revised: 0,
      removedSeed: 0,
    })
    expect(await ingest('defillama-protocols', protocols)).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 1,
    })
    const rows = await app.database.rows(
      `select p.name, p.category, p.chains, t.tvl_usd::float8 as tvl from protocol as p
       join protocol_tvl as t using (protocol_id) where t.known_to is null`,
    )
    expect(rows).toEqual([{ name: 'Lido', category: 'Liquid Staking', chains: ['Ethereum'], tvl: 5 }])
  })
})
