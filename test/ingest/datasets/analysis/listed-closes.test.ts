import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toIsoDate } from '../../../../src/core/time.js'
import { loadListedCloses } from '../../../../src/ingest/datasets/analysis/facts/listed-closes.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { quickestDatabase } from '../../../support/database/database.js'

interface Prices {
  readonly data: readonly {
    readonly date: string
    readonly adjusted_close: number
    readonly factor: number
  }[]
  readonly meta: { readonly has_next: boolean }
}

describe('the closes that analyses of stocks and funds are made from', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'enterprise' })
    // Ratios whose inverses have no end, two on one day, one in the future, and one before the year of the closes.
    await app.database.rows(
      `insert into corporate_action (asset_id, action_type, ex_date, ratio, known_from, source)
       select a.asset_id, given.type::corporate_action_kind, given.day::date, given.ratio::numeric, now(), 'seed'
       from (values ('nvidia', 'split', '2026-06-10', '3'), ('nvidia', 'split', '2026-09-01', '7'),
         ('apple', 'reverse_split', '2026-09-01', '0.7'), ('apple', 'split', '2026-09-01', '1.5'),
         ('tesla', 'split', '2027-01-04', '2'), ('tesla', 'split', '2020-08-31', '5')) as given(slug, type, day, ratio)
       join asset as a on a.slug = given.slug`,
    )
  })
  afterAll(() => app?.close())

  it('equal the closes that stock_prices and etf_prices adjust for splits', async () => {
    const listed = await app.database.rows<{
      assetId: number
      ticker: string
      mic: string
      assetClass: string
    }>(
      `select i.asset_id as "assetId", i.ticker, i.mic, a.asset_class::text as "assetClass"
       from instrument i join asset a on a.asset_id = i.asset_id
       where i.is_primary and a.asset_class in ('stock', 'etf')
         and exists (select from daily_price d where d.instrument_id = i.instrument_id) order by i.asset_id`,
    )
    const today = toIsoDate(app.clock.now())
    const closes = await loadListedCloses(
      app.database,
      listed.map(({ assetId }) => assetId),
      today,
    )
    expect(closes.size).toBeGreaterThan(20)
    const factors = new Set<number>()
    for (const { assetId, ticker, mic, assetClass } of listed) {
      const found = closes.get(assetId)?.closes ?? []
      const path = assetClass === 'etf' ? 'etf' : 'stocks'
      const query = `mic=${mic}&adjust=splits&limit=1000&from=${found[0]?.date}&to=${found.at(-1)?.date}`
      const { status, body } = await app.rest<Prices>(`/v1/${path}/${ticker}/prices?${query}`, { key })
      expect([ticker, status, body.meta.has_next]).toEqual([ticker, 200, false])
      expect(found).toEqual(body.data.map(({ date, adjusted_close }) => ({ date, close: adjusted_close })))
      for (const { factor } of body.data) factors.add(factor)
    }
    expect(factors.size).toBeGreaterThan(1)
  })
})
