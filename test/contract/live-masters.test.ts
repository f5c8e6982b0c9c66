import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usualSourceOf } from '../../src/ingest/read-body.js'
import { findFeed } from '../../src/ingest/registry.js'
import { runFeed } from '../../src/ingest/run-feed.js'
import { createLogger } from '../../src/platform/logger.js'
import { openVenueWorld, runAt, VENUES } from '../ingest/venue-world.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { quickestDatabase } from '../support/database.js'

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

describe('an empty database without the synthetic world', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty' })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  it('says that nothing was ingested yet', async () => {
    const { status, text } = await app.rest('/v1/assets', { key })
    expect(status).toBe(503)
    expect(text).toContain('The dataset instruments is empty')
  })

  it('answers with live masters once the reference was ingested', async () => {
    const bound = findFeed('reference')
    const fetchBody = () => expect.fail('nothing is fetched')
    const { database, clock } = app
    const deps = { database, clock, fetchBody, log: createLogger('silent') }
    await runFeed(deps, bound, usualSourceOf(bound.feed))
    clock.advance(1_000)

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

  it('prices them once the bars of the venues are there', async () => {
    const world = await openVenueWorld()
    const from = new Date('2026-11-20T10:00:00Z')
    const symbols = { binance: 'BTCUSDT', bitstamp: 'btcusd', coinbase: 'BTC-USD', kraken: 'XBTUSD' }
    for (const venue of VENUES) {
      world.bars.set(`${venue} ${symbols[venue]}`, [{ ts: from, price: '100000', volume: '1' }])
    }
    await runAt(app.database, world, app.clock.now(), { from }).finally(() => world.close())
    app.clock.advance(1_000)
    const { body } = await app.rest<{ data: Card; meta: Cards['meta']; _meta: Cards['_meta'] }>(
      '/v1/assets/bitcoin',
      { key },
    )
    expect(body.data).toMatchObject({ price_consensus_usd: 100_000, price_source: 'consensus_vwap' })
    expect(body.meta).toMatchObject({ source: 'consensus_vwap', is_dev_dataset: false })
    expect(body._meta).toMatchObject({ sources: ['consensus_vwap', 'reference'] })
  })
})
