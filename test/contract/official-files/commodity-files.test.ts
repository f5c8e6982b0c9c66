import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFeed } from '../../../src/ingest/registry.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

const GOLD = samplePath('commodities/worldbank_gold_monthly.csv')
const IMF = samplePath('commodities/imf_commodity-prices_1980-2017.csv')

interface Commodity {
  readonly symbol: string
  readonly unit: string
  readonly currency: string
  readonly price_usd: number
  readonly price_date: string
  readonly source: string
}

interface One {
  readonly data: Commodity
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: { readonly sources: readonly string[] }
}

describe.skipIf(GOLD === null || IMF === null)(
  'recorded prices of commodities (skipped without their sample files)',
  () => {
    let app: TestApp
    let key: string
    const ingest = async (feed: string, path: string | null) => {
      app.clock.advance(60_000)
      const { database, clock } = app
      const fetchBody = () => expect.fail('nothing is fetched')
      const deps = { database, clock, log: createLogger('silent'), fetchBody }
      const summary = await runFeed(deps, findFeed(feed), { kind: 'file', path: path ?? '' })
      app.clock.advance(1_000) // versions are read again every half second
      return summary
    }
    const one = async (symbol: string) => (await app.rest<One>(`/v1/commodities/${symbol}`, { key })).body
    beforeAll(async () => {
      app = await startTestApp(quickestDatabase())
      key = await app.newKey({ tier: 'starter' })
    })
    afterAll(() => app?.close())

    it('of gold are served in USD per troy ounce, and replace the synthetic ones', async () => {
      const first = await ingest('worldbank-commodities', GOLD)
      expect(first).toMatchObject({ added: 798, revised: 0, rejected: 1, removedSeed: 480 })
      expect(first.rejections[0]?.reason).toContain('1524 months before 1960 are left out')
      const gold = await one('xau')
      expect(gold.data).toEqual({
        symbol: 'XAU',
        name: 'Gold',
        unit: 'troy ounce',
        currency: 'USD',
        price_usd: 4228,
        price_date: '2026-06-01',
        source: 'worldbank',
      })
      expect(gold.meta).toMatchObject({
        source: 'worldbank',
        is_dev_dataset: false,
        licensed_for_commercial_use: true,
      })
      const { status } = await app.rest('/v1/commodities/BRN', { key })
      expect(status).toBe(404)
    })

    it('of the whole table of the IMF are served, in USD per unit of each', async () => {
      const run = await ingest('imf-commodities', IMF)
      process.stdout.write(`IMF: ${run.rows} rows in ${run.durationMs / 1_000} s\n`)
      expect(run).toMatchObject({ added: 23_382, revised: 0, rejected: 0, removedSeed: 0 })
      const { body } = await app.rest<{ data: readonly Commodity[]; meta: { total: number } }>(
        '/v1/commodities',
        {
          key,
        },
      )
      expect(body.meta.total).toBe(54)
      const shown = body.data.map(({ symbol, unit, price_usd }) => `${symbol} ${unit} ${price_usd}`)
      expect(shown).toContain('PBEEF pound 2.061590909090909')
      expect(shown).toContain('BRN barrel 46.89454545454546')
      expect(shown).toContain('HG metric ton 5719.761363636364')
      expect(shown).toContain('NG million British thermal units 2.9388000000000005')
      expect(await one('PWHEAMT')).toMatchObject({
        data: { price_usd: 157.1960866666667, price_date: '2017-06-01', source: 'imf' },
        meta: { licensed_for_commercial_use: false, data_quality: 'full' },
        _meta: { sources: ['imf'] },
      })
    })

    it('change nothing when they are read again', async () => {
      expect(await ingest('imf-commodities', IMF)).toMatchObject({ added: 0, revised: 0, unchanged: 23_382 })
      expect(await ingest('worldbank-commodities', GOLD)).toMatchObject({
        added: 0,
        revised: 0,
        unchanged: 798,
      })
    })

    it('are served as a history in GraphQL', async () => {
      const { body } = await app.graphql<{
        commodity: { data: { history: readonly Commodity[] } }
      }>(
        '{ commodity(symbol: "XAU") { data { history(from: "1979-12-01", to: "1980-02-01") { price_date price_usd source } } } }',
        { key },
      )
      expect(body.data?.commodity.data.history.map(({ price_date }) => price_date)).toEqual([
        '1979-12-01',
        '1980-01-01',
        '1980-02-01',
      ])
    })
  },
)
