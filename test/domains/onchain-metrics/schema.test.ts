import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

describe('on-chain metrics', () => {
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
  const ofDays = () => statements.filter((sql) => sql.includes('asset_onchain')).length

  it('of 20 assets take one statement, and their days another', async () => {
    const { body } = await app.graphql<{
      assets: { data: readonly { onchain_metrics: { history: readonly unknown[] } | null }[] }
    }>(
      '{ assets(asset_class: crypto, limit: 20) { data { ticker onchain_metrics { sopr history(limit: 7) { nupl } } } } }',
      { key },
    )
    expect(body.errors).toBeUndefined()
    expect(body.data?.assets.data.map(({ onchain_metrics: of }) => of?.history.length)).toEqual(
      Array(20).fill(7),
    )
    expect(ofDays()).toBe(2)
  })

  it('of the seed are complete, and marked as synthetic', async () => {
    const { body } = await app.rest<{ data: Record<string, unknown>; meta: Record<string, unknown> }>(
      '/v1/assets/bitcoin/onchain',
      { key },
    )
    expect(body.data).toMatchObject({ snapshot_date: '2026-11-19', circulating_supply_btc: 19_940_000 })
    expect(Object.values(body.data)).not.toContain(null)
    expect(body.meta).toMatchObject({ data_quality: 'full', is_dev_dataset: true, source: 'seed' })
    const early = await app.rest<{ message: string }>(
      '/v1/assets/bitcoin/onchain?as_of=2026-10-01T00:00:00Z',
      { key },
    )
    expect([early.status, early.body.message]).toEqual([
      404,
      'No on-chain metrics of bitcoin were ingested by 2026-10-01T00:00:00.000Z.',
    ])
    const ether = await app.rest<{ data: Record<string, unknown> }>('/v1/assets/ethereum/onchain', { key })
    expect(ether.body.data.circulating_supply_btc).toBeNull()
  })

  it.each([
    ['apple', 'Use GET /v1/stocks/AAPL instead.'],
    ['gold', 'Use GET /v1/commodities/XAU instead.'],
    ['zilliqa', 'No on-chain metrics of zilliqa were ingested yet'],
    ['BTC', 'To get the slug of the ticker BTC, use GET /v1/discover/BTC.'],
  ])('of %s give a 404 with the reason', async (slug, message) => {
    const { status, body } = await app.rest<{ message: string }>(`/v1/assets/${slug}/onchain`, { key })
    expect([status, body.message]).toEqual([404, expect.stringContaining(message)])
  })
})
