import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../../support/database/database.js'

interface Fund {
  readonly slug: string
  readonly currency: string
  readonly nav: number
  readonly units: number
  readonly assets: number
  readonly held: number
  readonly close: number | null
  readonly usdPer: number
}

describe('the funds of the seed', () => {
  let database: Database
  let funds: readonly Fund[]
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
    funds = await database.rows<Fund>(
      `select a.slug, r.nav_currency as currency, r.nav::float as nav, r.shares_outstanding::float as units,
         r.net_assets_usd::float as assets, p.close::float as close,
         (select sum(h.market_value_usd) from etf_holding as h where h.report_id = r.report_id)::float as held,
         (select usd.rate / case r.nav_currency when 'EUR' then 1 else own.rate end from forex_rate as usd
          left join forex_rate as own on own.quote = r.nav_currency and own.date = usd.date and own.known_to is null
          where usd.quote = 'USD' and usd.known_to is null and usd.date <= r.as_of order by usd.date desc limit 1)::float as "usdPer"
       from etf_report as r join asset as a using (asset_id)
       left join lateral (
         select close from daily_price where instrument_id = r.asset_id and known_to is null and date <= r.as_of
         order by date desc limit 1
       ) as p on true
       where r.source = 'seed'`,
    )
  })
  afterAll(() => database?.close())

  it('have net assets that equal unit value times units, in USD', () => {
    expect(funds).toHaveLength(40)
    for (const { slug, currency, nav, units, assets, usdPer } of funds) {
      const usd = nav * units * (currency === 'USD' ? 1 : usdPer)
      expect([slug, Math.abs(assets / usd - 1) < 1e-9]).toEqual([slug, true])
    }
  })

  it('hold exactly their net assets', () => {
    expect(funds.filter(({ held, assets }) => Math.abs(held - assets) > 0.005)).toEqual([])
  })

  it('trade within half a per cent of the unit value, but not exactly at it', () => {
    const premiums = funds.flatMap(({ close, nav }) => (close === null ? [] : [close / nav - 1]))
    expect(premiums.length).toBeGreaterThanOrEqual(14)
    expect(Math.max(...premiums.map(Math.abs))).toBeLessThan(0.005)
    expect(premiums.filter((premium) => Math.abs(premium) > 0.0005).length).toBeGreaterThan(5)
  })
})
