import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadFunds } from '../../../src/domains/etf/fund-list-store.js'
import { etfSink } from '../../../src/ingest/datasets/etf/ingestion.js'
import { findFund, runFundFeed } from '../../../src/ingest/datasets/etf/run-fund-feed.js'
import { type BoundFeed, bindFeed } from '../../../src/ingest/feed.js'
import { isharesHoldings } from '../../../src/ingest/providers/ishares/holdings-csv.js'
import { nport } from '../../../src/ingest/providers/sec/nport.js'
import { parseXtrackersHoldings } from '../../../src/ingest/providers/xtrackers/holdings-json.js'
import { createLogger } from '../../../src/platform/logger.js'
import { AT, XDWD } from '../../ingest/providers/funds.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { availableDatabases } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

const IVV_FILE = samplePath('etf/ishares_IVV_holdings_2024-12-06.csv')
const TRIMMED = samplePath('sec/NPORT-P_IVV_S000004310_20260331_trimmed.xml')
const ADVANCED = samplePath('sec/NPORT-P_AdvancedSeries_S000030880_20221230.xml')
const OFFICIAL = samplePath('sec/NPORT_SEC_official_sample3.xml')
const GERMAN = samplePath('etf/xtrackers_holdings-de-de.json')
const ENGLISH = samplePath('etf/xtrackers_holdings-en-gb.json')
const FRENCH = samplePath('etf/xtrackers_holdings-fr-fr.json')

describe.skipIf([IVV_FILE, TRIMMED, ADVANCED, OFFICIAL].includes(null)).each(availableDatabases())(
  'recorded files of ETFs on %s (skipped without their sample files)',
  (kind) => {
    let app: TestApp
    let key: string
    beforeAll(async () => {
      app = await startTestApp(kind, { world: 'seeded' })
      key = await app.newKey({ tier: 'growth' })
    })
    afterAll(() => app?.close())

    const ingest = (bound: BoundFeed, path: string | null) => {
      app.clock.advance(60_000)
      const { database, clock } = app
      const fetchBody = () => expect.fail('nothing is fetched')
      const deps = { database, clock, log: createLogger('silent'), fetchBody }
      return runFundFeed(deps, bound, { kind: 'file', path: path ?? '' })
    }

    it('the 508 holdings of IVV sum to 0.9998 and give a NAV of 608.82; repeating the run changes nothing', async () => {
      const bound = bindFeed(isharesHoldings(await findFund(app.database, 'ivv')), etfSink)
      expect(await ingest(bound, IVV_FILE)).toMatchObject({ added: 508, revised: 0, rejected: 0 })
      expect(await ingest(bound, IVV_FILE)).toMatchObject({ added: 0, revised: 0, unchanged: 508 })
      app.clock.advance(1_000)
      const { body } = await app.graphql<{ etf: Readonly<Record<string, unknown>> }>(
        `{ etf(ticker: "IVV") { nav nav_date holdings_count top_holdings { ticker weight }
          instrument { report { weight_sum source } } _meta { freshness_status sources } } }`,
        { key },
      )
      expect(body.data?.etf).toEqual({
        nav: 608.8237,
        nav_date: '2024-12-06',
        holdings_count: 508,
        top_holdings: [
          ['AAPL', 0.0715],
          ['NVDA', 0.0679],
          ['MSFT', 0.0638],
          ['AMZN', 0.0411],
          ['META', 0.0264],
          ['TSLA', 0.0209],
          ['GOOGL', 0.0198],
          ['BRKB', 0.0167],
          ['GOOG', 0.0164],
          ['AVGO', 0.0162],
        ].map(([ticker, weight]) => ({ ticker, weight })),
        instrument: { report: { weight_sum: 0.9998, source: 'ishares' } },
        _meta: { freshness_status: 'expired', sources: ['ishares', 'seed'] },
      })
    })

    it('the holdings lead from Apple to IVV', async () => {
      const { body } = await app.graphql(
        '{ asset(id: "apple") { data { held_by { weight as_of etf { ticker } } } } }',
        {
          key,
        },
      )
      expect(body.data).toEqual({
        asset: { data: { held_by: [{ weight: 0.0715, as_of: '2024-12-06', etf: { ticker: 'IVV' } }] } },
      })
    })

    it('a truncated filing is quarantined, and the previous report stays', async () => {
      const funds = await loadFunds(app.database)
      const bound = bindFeed(nport({ funds, fund: null, filing: null }), etfSink)
      await expect(ingest(bound, TRIMMED)).rejects.toThrow('sum to 0.0763463, not to between 0.95 and 1.05')
      app.clock.advance(1_000)
      const { body } = await app.graphql(
        '{ etf(ticker: "IVV") { holdings_count instrument { report { is_stale } } } }',
        {
          key,
        },
      )
      expect(body.data).toEqual({ etf: { holdings_count: 508, instrument: { report: { is_stale: true } } } })
    })

    it("the SEC's own example without weights is quarantined with its one holding", async () => {
      const funds = await loadFunds(app.database)
      const fund = await findFund(app.database, 'SPY')
      const bound = bindFeed(nport({ funds, fund, filing: null }), etfSink)
      await expect(ingest(bound, OFFICIAL)).rejects.toThrow(
        'the weights of 1 holdings as of 2017-07-01 sum to 0, not to',
      )
    })

    it('a filing of a liquidated fund has cash only', async () => {
      const funds = await loadFunds(app.database)
      const bound = bindFeed(
        nport({ funds, fund: await findFund(app.database, 'HLAL'), filing: null }),
        etfSink,
      )
      await ingest(bound, ADVANCED)
      expect(await ingest(bound, ADVANCED)).toMatchObject({ added: 0, unchanged: 1 })
      app.clock.advance(1_000)
      const { body } = await app.rest<object>('/v1/etf/HLAL/holdings', { key })
      expect(body).toMatchObject({ data: [], meta: { total: 0, data_quality: 'empty' } })
    })
  },
)

describe.skipIf(GERMAN === null || ENGLISH === null || FRENCH === null)(
  'recorded answers of Xtrackers (skipped without their sample files)',
  () => {
    const read = async (path: string | null) =>
      parseXtrackersHoldings(await readFile(path ?? ''), XDWD, { ...AT, asOf: null })

    it('the files of three languages give the same holdings', async () => {
      const [german, english, french] = [await read(GERMAN), await read(ENGLISH), await read(FRENCH)]
      expect([german, english, french].map(({ holdings }) => holdings.length)).toEqual([7, 5, 7])
      expect([german, english, french].flatMap(({ rejections }) => rejections)).toEqual([])
      // Those that the English one has; the French one is of another fund.
      const names = english.holdings.map(({ name }) => name)
      expect(german.holdings.filter(({ name }) => names.includes(name))).toEqual(english.holdings)
      const cash = {
        name: 'US DOLLAR',
        weight: '0.00012',
        marketValueUsd: '2890000',
        assetCategory: 'cash',
        country: null,
      }
      for (const { holdings } of [german, english, french]) expect(holdings.at(-1)).toMatchObject(cash)
      expect(french.holdings.find(({ isin }) => isin === 'NL0010273215')).toMatchObject({
        weight: '0.00425',
        country: 'NL',
        assetCategory: 'equity',
      })
    })
  },
)
