import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Price {
  readonly date: string
  readonly close: number | null
  readonly price: number | null
  readonly adjusted_close: number | null
}

interface Answer {
  readonly asset: { readonly data: { readonly prices: readonly Price[] | null } } | null
}

const FIELDS =
  'date open high low close price price_source volume volume_usd currency adjusted_close factor actions { ex_date }'

describe('the daily prices of an asset', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(() => app?.close())

  const ask = async (slug: string, args: string, fields = FIELDS) => {
    const query = `{ asset(id: "${slug}") { data { prices${args} { ${fields} } } } }`
    const { body } = await app.graphql<Answer>(query, { key })
    return body
  }
  const pricesOf = async (slug: string, args = '') => {
    const body = await ask(slug, args)
    expect(body.errors).toBeUndefined()
    return body.data?.asset?.data.prices ?? null
  }

  it('are the consensus of each finished day of a crypto asset, and the factor is 1 if an adjustment is requested', async () => {
    const prices = await pricesOf('bitcoin', '(from: "2026-11-16", to: "2026-11-20")')
    const ohlcv = await app.rest<{
      data: { candles: { ts: string; vwap_usd: number; volume_usd: number }[] }
    }>('/v1/assets/bitcoin/ohlcv?from=2026-11-16T00:00:00Z&to=2026-11-20T12:00:00Z', { key })
    expect(ohlcv.body.data.candles).toHaveLength(4)
    expect(prices).toEqual(
      ohlcv.body.data.candles.map(({ ts, vwap_usd, volume_usd }) => ({
        ...{ date: ts.slice(0, 10), open: null, high: null, low: null, close: null, volume: null },
        ...{ price: vwap_usd, price_source: 'consensus_vwap', volume_usd, currency: 'USD' },
        ...{ adjusted_close: null, factor: null, actions: [] },
      })),
    )
  })

  it('of a crypto asset are adjusted by the factor 1', async () => {
    const prices = await pricesOf('bitcoin', '(from: "2026-11-16", to: "2026-11-16", adjust: all)')
    expect(prices).toMatchObject([{ factor: 1, adjusted_close: prices?.[0]?.price }])
  })

  it('are those of stock_prices of a stock, and have the same shape', async () => {
    const range = 'from=2026-11-10&to=2026-11-19&adjust=all'
    const listed = await app.rest<{ data: Record<string, unknown>[] }>(`/v1/stocks/NVDA/prices?${range}`, {
      key,
    })
    const prices = await pricesOf('nvidia', '(from: "2026-11-10", to: "2026-11-19", adjust: all)')
    expect(prices?.length).toBeGreaterThan(4)
    expect(prices).toMatchObject(
      listed.body.data.map(({ actions: _, ...row }) => ({
        ...row,
        ...{ price: row.close, price_source: 'close', volume_usd: null },
      })),
    )
  })

  it('come in pages, oldest first, for each class', async () => {
    for (const slug of ['bitcoin', 'nvidia']) {
      const args = (page: string) => `(from: "2026-11-09", to: "2026-11-19", ${page})`
      const all = await pricesOf(slug, args('limit: 100'))
      const pages = [await pricesOf(slug, args('limit: 3')), await pricesOf(slug, args('limit: 3, page: 2'))]
      expect(pages.flat(), slug).toEqual(all?.slice(0, 6))
      expect(await pricesOf(slug, args('limit: 1000, page: 1000')), slug).toEqual([])
    }
  })

  it('are null for a commodity', async () => {
    expect(await pricesOf('gold')).toBeNull()
  })

  it('of many assets are read together', async () => {
    const statements = async (limit: number) => {
      const counts: number[] = []
      for (let run = 0; run < 4; run++) {
        const before = app.database.statementCount()
        const query = `{ assets(limit: ${limit}, offset: ${run}, asset_class: crypto) { data { prices(from: "2026-11-16") { date } } } }`
        expect((await app.graphql(query, { key })).body.errors).toBeUndefined()
        counts.push(app.database.statementCount() - before)
      }
      return Math.min(...counts)
    }
    const one = await statements(1)
    expect(await statements(10)).toBe(one)
  })

  it('of crypto assets from before the last 365 days need history:full', async () => {
    const refused = await ask('bitcoin', '(from: "2024-01-02", to: "2024-01-05")', 'date')
    expect(refused.errors?.[0]?.message).toContain('need the scope history:full')
    expect((await ask('nvidia', '(from: "2024-01-02", to: "2024-01-05")', 'date')).errors).toBeUndefined()
  })
})
