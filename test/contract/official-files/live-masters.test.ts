import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../src/core/time.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import { createLogger } from '../../../src/platform/logger.js'
import { loadAt, openVenueWorld, VENUES } from '../../ingest/candles/items/venue-world.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { runOperatorFile } from '../../support/ingest/run-group.js'

interface Card {
  readonly asset_id: number
  readonly ticker: string
  readonly price_consensus_usd: number | null
  readonly price_source: string
}

interface Cards {
  readonly data: readonly Card[]
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: Readonly<Record<string, unknown>>
}

describe('an empty database without synthetic data', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty' })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const ingest = async (id: string) => {
    const bound = findFeed(id)
    const fetchBody = () => expect.fail('nothing is fetched')
    const clock = fixedClock(app.clock.now())
    await runFeed(
      { database: app.database, clock, fetchBody, log: createLogger('silent') },
      bound,
      usualSourceOf(bound.feed),
    )
    app.clock.advance(1_000) // versions are read again every half second
  }

  it('says that it has no data yet', async () => {
    const { status, text } = await app.rest('/v1/assets', { key })
    expect(status).toBe(503)
    expect(text).toContain('The dataset instruments has no data yet')
  })

  it('serves live masters once the reference was ingested', async () => {
    await ingest('reference')
    const { status, body } = await app.rest<Cards>('/v1/assets?asset_class=crypto&limit=100', { key })
    expect(status).toBe(200)
    expect(body.data).toHaveLength(60)
    expect(body.data[0]).toMatchObject({ asset_id: 1, ticker: 'BTC', price_consensus_usd: null })
    expect(body.meta).toMatchObject({
      total: 60,
      source: 'reference',
      upstream: 'reference',
      is_dev_dataset: false,
      licensed_for_commercial_use: true,
    })
    expect(body._meta).toMatchObject({ sources: ['reference'], freshness_status: 'fresh' })

    const found = await app.rest<Record<string, unknown>>('/v1/discover/AAPL', { key })
    expect(found.status).toBe(200)
    expect(found.body).toMatchObject({
      ticker: 'AAPL',
      slug: 'apple',
      isin: 'US0378331005',
      figi: 'BBG000B9XRY4',
      mic: 'XNAS',
      _meta: { sources: ['reference'] },
    })
    expect(found.headers.get('x-is-dev-dataset')).toBe('false')
  })

  it('names the operator as the source of the operator’s facts, and the reference for the rest', async () => {
    const own = new TextEncoder().encode('slug,name\napple,Own Apple\n')
    const fetchBody = () => expect.fail('nothing is fetched')
    const deps = { database: app.database, clock: app.clock, fetchBody, log: createLogger('silent') }
    await runOperatorFile('instruments', deps, { kind: 'bytes', bytes: own, origin: 'own.csv' })
    app.clock.advance(1_000)
    const sourcesOf = async (path: string) => {
      const { body } = await app.rest<{ _meta: { sources: readonly string[] } }>(path, { key })
      return body._meta.sources
    }
    expect(await sourcesOf('/v1/assets/apple')).toEqual(['operator'])
    expect(await sourcesOf('/v1/discover/AAPL')).toEqual(['operator'])
    expect(await sourcesOf('/v1/assets/microsoft')).toEqual(['reference'])
    expect(await sourcesOf('/v1/discover/MSFT')).toEqual(['reference'])
    expect(await sourcesOf('/v1/assets?asset_class=crypto')).toEqual(['reference'])
    expect(await sourcesOf('/v1/assets?asset_class=stock')).toEqual(['operator', 'reference'])
  })

  it('has prices once the bars of the venues are stored', async () => {
    const world = await openVenueWorld()
    const from = new Date('2026-11-20T10:00:00Z')
    const symbols = { binance: 'BTCUSDT', bitstamp: 'btcusd', coinbase: 'BTC-USD', kraken: 'XBTUSD' }
    for (const venue of VENUES) {
      world.bars.set(`${venue} ${symbols[venue]}`, [{ ts: from, price: '100000', volume: '1' }])
    }
    await loadAt(app.database, world, app.clock.now(), { from }).finally(() => world.close())
    app.clock.advance(1_000)
    const { body } = await app.rest<{ data: Card; meta: Cards['meta']; _meta: Cards['_meta'] }>(
      '/v1/assets/bitcoin',
      { key },
    )
    expect(body.data).toMatchObject({ price_consensus_usd: 100_000, price_source: 'consensus_vwap' })
    expect(body.meta).toMatchObject({ source: 'consensus_vwap', is_dev_dataset: false })
    expect(body._meta).toMatchObject({ sources: ['consensus_vwap', 'reference'] })
  })

  it('calls a market value synthetic while its supply is', async () => {
    await seedWorld(app.database, app.clock.now(), ['supply'])
    app.clock.advance(1_000)
    const { body } = await app.rest<Cards>('/v1/assets?tier=1&limit=1', { key })
    expect(body.meta).toMatchObject({ is_dev_dataset: true, upstream: null })
    expect(body._meta).toMatchObject({ sources: ['consensus_vwap', 'reference', 'seed'] })
    const ethereum = await app.rest<{ meta: Cards['meta'] }>('/v1/assets/ethereum', { key })
    expect(ethereum.body.meta).toMatchObject({ is_dev_dataset: false })
  })

  it('uses the supply of the issuance rule, and names the method', async () => {
    await ingest('supply-rule')
    const query = `{ asset(id: "bitcoin") {
      data { market_cap_derived_usd supply { value source methodology } } meta { is_dev_dataset }
      _meta { sources } } }`
    const { body } = await app.graphql<{
      asset: { data: { market_cap_derived_usd: number; supply: { value: number } } }
    }>(query, { key })
    const supply = expect.objectContaining({
      source: 'issuance_rule',
      methodology: expect.stringMatching(
        /^Sum of the block subsidies .* to height 97\d{4}, which is estimated: /,
      ),
    })
    expect(body.data?.asset).toMatchObject({
      data: { supply },
      meta: { is_dev_dataset: false },
      _meta: { sources: ['consensus_vwap', 'reference', 'issuance_rule'] },
    })
    const { market_cap_derived_usd: cap, supply: units } = body.data?.asset.data ?? expect.fail('no data')
    expect(units.value).toBeGreaterThan(20_000_000)
    expect(cap).toBe(units.value * 100_000)
  })
})
