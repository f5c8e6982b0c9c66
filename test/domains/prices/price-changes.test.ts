import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Changes {
  readonly price: number | null
  readonly currency: string
  readonly price_date: string | null
  readonly change_1d: number | null
  readonly change_7d: number | null
  readonly reason: string | null
}

interface Answer {
  readonly assets: { readonly data: readonly { readonly slug: string; readonly price_changes: Changes }[] }
}

const FIELDS = 'price_changes { price currency price_date change_1d change_7d reason }'

describe('the changes of the price of an asset', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const listOf = async (args: string, by = key) => {
    const { body } = await app.graphql<Answer>(`{ assets(${args}) { data { slug ${FIELDS} } } }`, { key: by })
    expect(body.errors).toBeUndefined()
    return new Map(body.data?.assets.data.map(({ slug, price_changes }) => [slug, price_changes]))
  }
  const changesOf = async (slug: string) => {
    const query = `{ asset(id: "${slug}") { data { ${FIELDS} } } }`
    const { body } = await app.graphql<{ asset: { data: { price_changes: Changes } } }>(query, { key })
    return body.data?.asset.data.price_changes
  }

  it('are those of hourly candles of a crypto asset, also for a caller who may not read hours', async () => {
    const { body } = await app.rest<{ data: { candles: { ts: string; vwap_usd: number | null }[] } }>(
      '/v1/assets/bitcoin/ohlcv?timeframe=1h&from=2026-11-13T09:00:00Z&to=2026-11-20T12:00:00Z',
      { key },
    )
    const price = (ts: string) => body.data.candles.find((candle) => candle.ts === ts)?.vwap_usd ?? 0
    const now = price('2026-11-20T11:00:00.000Z')
    const free = await app.newKey({ tier: 'free' })
    expect((await listOf('asset_class: crypto, limit: 1', free)).get('bitcoin')).toEqual({
      price: now,
      currency: 'USD',
      price_date: '2026-11-20',
      change_1d: expect.closeTo(now / price('2026-11-19T11:00:00.000Z') - 1, 12),
      change_7d: expect.closeTo(now / price('2026-11-13T11:00:00.000Z') - 1, 12),
      reason: null,
    })
  })

  it('take the window before a missing one, at most two, and are null with a reason without one', async () => {
    const clear = (hours: string) =>
      app.database.rows(
        `update candle set known_to = now() where timeframe = '1h' and known_to is null and ts = any($1::timestamptz[])
           and asset_id = (select asset_id from asset where slug = 'ethereum')`,
        [hours.split(' ').map((hour) => `2026-11-19T${hour}:00:00Z`)],
      )
    const before = await changesOf('ethereum')
    await clear('11 10')
    const moved = await changesOf('ethereum')
    expect(moved?.change_1d).not.toBeNull()
    expect(moved?.change_1d).not.toBe(before?.change_1d)
    await clear('09')
    expect(await changesOf('ethereum')).toEqual({
      ...before,
      change_1d: null,
      reason: 'No consensus of 24 hours earlier is stored.',
    })
  })

  it('are those of the closes of a stock, adjusted for splits, in the currency of its market', async () => {
    for (const [slug, path, currency] of [
      ['nvidia', '/v1/stocks/NVDA/prices', 'USD'],
      ['sap', '/v1/stocks/SAP/prices', 'EUR'],
    ] as const) {
      const { body } = await app.rest<{ data: { date: string; close: number; adjusted_close: number }[] }>(
        `${path}?from=2026-10-20&to=2026-11-20&adjust=splits`,
        { key },
      )
      const close = (date: string) => body.data.find((row) => row.date === date)?.adjusted_close ?? 0
      expect(await changesOf(slug)).toEqual({
        price: body.data.at(-1)?.close,
        currency,
        price_date: '2026-11-19',
        change_1d: expect.closeTo(close('2026-11-19') / close('2026-11-18') - 1, 12),
        change_7d: expect.closeTo(close('2026-11-19') / close('2026-11-12') - 1, 12),
        reason: null,
      })
    }
  })

  it('of a split are not a fall of the price', async () => {
    await app.database.rows(
      `insert into corporate_action (asset_id, action_type, ex_date, ratio, source, known_from)
       select asset_id, 'split', '2026-11-18', 4, 'seed', '2026-11-01' from asset where slug = 'microsoft'`,
    )
    const changes = await changesOf('microsoft')
    // The stored closes do not fall, so the price before the split counts a quarter.
    expect(changes?.change_1d).toBeCloseTo(0, 1)
    expect(changes?.change_7d).toBeGreaterThan(2.5)
  })

  it('of closes need instruments:read, and say so', async () => {
    const free = await app.newKey({ tier: 'free' })
    const changes = (await listOf('asset_class: stock, limit: 1', free)).values().next().value
    expect(changes).toMatchObject({ price: null, price_date: null, change_1d: null, change_7d: null })
    expect(changes?.reason).toContain('This needs the scope instruments:read')
  })

  it('say why a commodity without daily prices has none', async () => {
    expect(await changesOf('wti')).toMatchObject({
      price: null,
      reason: 'No daily price of the last 45 days is stored.',
    })
  })

  it('exist for every crypto asset, stock and ETF of the synthetic world', async () => {
    for (const [one, count] of [
      ['crypto', 60],
      ['stock', 60],
      ['etf', 20],
    ] as const) {
      const all = await listOf(`asset_class: ${one}, limit: 100`)
      expect(all.size).toBe(count)
      for (const [slug, { price, price_date, reason }] of all)
        expect([slug, price !== null || reason?.startsWith('The newest window'), price_date]).toEqual([
          slug,
          true,
          expect.stringMatching(/^2026-11-(19|20)$/),
        ])
    }
  })

  it.each(['crypto', 'stock'])('of many assets are read together: %s', async (one) => {
    const statements = async (limit: number) => {
      const counts: number[] = []
      for (let run = 0; run < 4; run++) {
        const before = app.database.statementCount()
        await listOf(`limit: ${limit}, offset: ${run}, asset_class: ${one}`)
        counts.push(app.database.statementCount() - before)
      }
      return Math.min(...counts)
    }
    expect(await statements(20)).toBe(await statements(1))
  })

  it('are no part of the card in REST', async () => {
    const { body } = await app.rest<{ data: object }>('/v1/assets/bitcoin', { key })
    expect(body.data).not.toHaveProperty('price_changes')
  })
})
