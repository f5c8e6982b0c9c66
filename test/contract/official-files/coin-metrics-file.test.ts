import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coinMetricsGroup } from '../../../src/ingest/datasets/onchain-metrics/coin-metrics-group.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { availableDatabases } from '../../support/database/database.js'
import { runGroup } from '../../support/ingest/run-group.js'
import { samplePath } from '../../support/samples.js'

const BTC = samplePath('coinmetrics/btc_2020-03_trimmed.csv')

interface Metrics {
  readonly snapshot_date: string
  readonly active_addresses: number
  readonly tx_count: number
  readonly mvrv_ratio: number
  readonly nupl: number
}

interface Listed {
  readonly data: readonly Readonly<Record<string, unknown>>[]
}

interface Body {
  readonly data: Metrics
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: Readonly<Record<string, unknown>>
}

describe.skipIf(BTC === null).each(availableDatabases())(
  'the recorded file of Coin Metrics on %s (skipped without its sample)',
  (kind) => {
    let app: TestApp
    let key: string
    const ingest = async () => {
      app.clock.advance(60_000)
      const { database, clock } = app
      const source = { kind: 'file', path: BTC ?? '' } as const
      const summary = await runGroup(coinMetricsGroup, { database, clock }, { assets: ['bitcoin'], source })
      app.clock.advance(1_000) // versions are read again every half second
      return summary
    }
    beforeAll(async () => {
      app = await startTestApp(kind)
      key = await app.newKey({ tier: 'growth' })
    })
    afterAll(() => app?.close())

    it('is served through REST, and changes nothing when it is read again', async () => {
      const counts = await app.database.rows<{ days: number }>(
        'select count(*)::int as days from asset_onchain',
      )
      expect(counts).toEqual([{ days: 600 }])
      const first = await ingest()
      expect(first).toMatchObject({ done: 1, revised: 0, rejected: 0, failed: [] })
      const { body } = await app.rest<Body>('/v1/assets/bitcoin/onchain', { key })
      expect(body.data).toMatchObject({
        asset_id: 1,
        slug: 'bitcoin',
        ticker: 'BTC',
        snapshot_date: '2020-03-29',
        active_addresses: 591_287,
        tx_count: 234_751,
        mvrv_ratio: 1.06488351,
        sopr: null,
        hodl_waves: null,
        source_rpc: 'coinmetrics',
        methodology_version: 'onchain-metrics-1',
      })
      expect(body.data.nupl).toBeCloseTo(1 - 1 / 1.06488351, 12)
      expect(body.meta).toMatchObject({
        source: 'coinmetrics',
        is_dev_dataset: false,
        licensed_for_commercial_use: false,
        data_quality: 'partial',
      })
      expect(body._meta).toMatchObject({
        last_updated_at: '2020-03-30T00:00:00.000Z',
        freshness_status: 'expired',
        sources: ['coinmetrics'],
      })
      expect(await ingest()).toMatchObject({ added: 0, revised: 0, unchanged: first.added })
    })

    it('is served through GraphQL, with its days', async () => {
      const { body } = await app.graphql<{
        asset: { data: { onchain_metrics: Metrics & { history: readonly Metrics[] } } }
      }>(
        `{ asset(id: "bitcoin") { data { onchain_metrics { snapshot_date active_addresses tx_count mvrv_ratio
          history(from: "2020-03-20", limit: 2) { snapshot_date tx_count } } } } }`,
        { key },
      )
      expect(body.data?.asset.data.onchain_metrics).toMatchObject({
        snapshot_date: '2020-03-29',
        active_addresses: 591_287,
        tx_count: 234_751,
        mvrv_ratio: 1.06488351,
        history: [{}, { snapshot_date: '2020-03-29', tx_count: 234_751 }],
      })
    })

    it('is served by the star schema through REST, GraphQL and SQL', async () => {
      const pro = await app.newKey({ tier: 'pro' })
      const day = 'asset_id=1&from=2020-03-29&to=2020-03-29'
      const core = await app.rest<Listed>(`/v1/star/fact/onchain-core?${day}`, { key: pro })
      expect(core.body.data).toMatchObject([
        {
          asset_id: 1,
          snapshot_date: '2020-03-29',
          date_key: 20_200_329,
          active_addresses: 591_287,
          tx_count: 234_751,
          source_rpc: 'coinmetrics',
        },
      ])
      const advanced = await app.rest<Listed>(`/v1/star/fact/onchain-advanced?${day}`, { key: pro })
      expect(advanced.body.data).toMatchObject([{ mvrv_ratio: 1.06488351, sopr: null, hodl_waves: null }])
      const one = 'asset_id: 1, from: "2020-03-29", to: "2020-03-29"'
      const { body } = await app.graphql<Readonly<Record<string, Listed>>>(
        `{ star_fact_onchain_core(${one}) { data { active_addresses tx_count asset { ticker } date { day_name } } }
           star_fact_onchain_advanced(${one}) { data { mvrv_ratio } } }`,
        { key: pro },
      )
      expect(body.data).toEqual({
        star_fact_onchain_core: {
          data: [
            {
              active_addresses: 591_287,
              tx_count: 234_751,
              asset: { ticker: 'BTC' },
              date: { day_name: 'Sunday' },
            },
          ],
        },
        star_fact_onchain_advanced: { data: [{ mvrv_ratio: 1.06488351 }] },
      })
      const stored = await app.database.rows(
        `select c.active_addresses, c.tx_count, a.mvrv_ratio, d.ticker
         from star_public.fact_onchain_core as c join star_public.fact_onchain_advanced as a using (asset_sk, date_key)
         join star_public.dim_asset as d using (asset_sk) where c.snapshot_date = '2020-03-29'`,
      )
      expect(stored).toEqual([
        { active_addresses: 591_287, tx_count: 234_751, mvrv_ratio: '1.06488351', ticker: 'BTC' },
      ])
    })
  },
)
