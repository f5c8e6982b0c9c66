import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../src/core/time.js'
import { ANALYSIS_TYPES } from '../../../src/domains/analysis/model.js'
import { LABELLED_ADDRESSES } from '../../../src/domains/onchain/labels-model.js'
import { rulesGenerator } from '../../../src/ingest/datasets/analysis/rules/rules.js'
import { runAnalysis } from '../../../src/ingest/datasets/analysis/run-analysis.js'
import { tokenSuppliesGroup } from '../../../src/ingest/datasets/market/token-supplies-group.js'
import { addressSnapshotsGroup } from '../../../src/ingest/datasets/onchain/address-snapshots-group.js'
import { coinMetricsGroup } from '../../../src/ingest/datasets/onchain-metrics/coin-metrics-group.js'
import { legalNamesGroup } from '../../../src/ingest/datasets/screening/legal-names-group.js'
import { findFeed } from '../../../src/ingest/registry.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { runGroup } from '../../support/ingest/run-group.js'
import { loadAt, openVenueWorld, VENUES, type VenueWorld } from '../candles/items/venue-world.js'
import { openNode, type PlayedNode } from '../chains/chain-world.js'
import { formOf } from '../providers/exchanges/answers.js'
import { FIRST, runBody, sumOf } from './body-account.js'
import { OTHER_BODIES } from './other-bodies.js'
import { SMALL_BODIES } from './small-bodies.js'

const MINUTE = 60_000
const log = createLogger('silent')
const clock = fixedClock(FIRST)
const bytes = (text: string) => new TextEncoder().encode(text)

/** The counts of the newest run of a feed in the ledger. */
async function ledgerOf(database: Database, feed: string) {
  const [row] = await database.rows<Record<string, unknown>>(
    'select added, revised, unchanged, rejected, absent from ingest_run where feed = $1 order by started_at desc limit 1',
    [feed],
  )
  return row
}

describe('the account of a run', { timeout: 60_000 }, () => {
  let database: Database
  let seeded: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    seeded = await openTestDatabase(quickestDatabase(), 'seeded')
    await runBody(database, findFeed('reference'), null, FIRST)
  })
  afterAll(async () => {
    await database?.close()
    await seeded?.close()
  })

  describe('of requests to exchanges', () => {
    let world: VenueWorld
    beforeEach(async () => {
      world = await openVenueWorld()
    })
    afterEach(() => world.close())

    const SYMBOLS = { binance: 'BTCUSDT', bitstamp: 'btcusd', coinbase: 'BTC-USD', kraken: 'XBTUSD' } as const
    const play = (startMs: number) => {
      for (const venue of VENUES) {
        const bars = [1, 61].map((minute) => ({
          ...{ ts: new Date(startMs + minute * MINUTE), price: '100', volume: '1' },
        }))
        world.bars.set(`${venue} ${SYMBOLS[venue]}`, bars)
      }
      const { row } = formOf('coinbase')
      const flat = { open: '100', high: '100', low: '100', close: '100', volume: '1' }
      world.rawRows.set('coinbase BTC-USD', [
        row({ ...flat, ms: startMs - 5 * MINUTE }),
        row({ ...flat, ms: startMs + MINUTE }),
        row({ ...flat, ms: startMs + 7 * MINUTE, high: '-1' }),
      ])
    }

    it('counts rows outside the span, duplicates and bars that are not final as absent', async () => {
      const startMs = FIRST.getTime() - 120 * MINUTE
      play(startMs)
      const { venues } = await loadAt(database, world, FIRST, { from: new Date(startMs) })
      expect(
        venues.map(({ venue, read, bars, rejected, absent }) => [venue, read, bars, rejected, absent]),
      ).toEqual([
        ['binance', 2, 2, 0, 0],
        ['bitstamp', 2, 2, 0, 0],
        ['coinbase', 5, 2, 1, 2],
        ['kraken', 3, 2, 0, 1],
      ])
      for (const { read, bars, rejected, absent } of venues) expect(bars + rejected + absent).toBe(read)
      expect(await ledgerOf(database, 'candles-coinbase')).toEqual({
        ...{ added: 2, revised: 0, unchanged: 0, rejected: 1, absent: 2 },
      })
    })

    it('counts as refused both rows of a minute that differs between two pages, and an answer without rows', async () => {
      const fromMs = FIRST.getTime() - 700 * MINUTE
      const { row, body } = formOf('coinbase')
      const pages = ['2', '3', null].map((volume) =>
        volume === null
          ? { status: 200, body: '{"message":"Bad request"}' }
          : { status: 200, body: body([row({ ms: fromMs, volume })]) },
      )
      world.answer = (venue) => (venue === 'coinbase' ? (pages.shift() ?? null) : null)
      const { venues, rejections } = await loadAt(database, world, FIRST, { from: new Date(fromMs) })
      const coinbase = venues.find(({ venue }) => venue === 'coinbase')
      expect(coinbase).toMatchObject({ requests: 3, read: 3, bars: 0, rejected: 3, absent: 0 })
      const own = rejections.filter(({ position }) => position.startsWith('coinbase, '))
      expect(own.map(({ reason }) => reason).slice(0, 2)).toEqual(
        Array(2).fill('two pages have the minute with different figures; neither is used'),
      )
    })

    it('of old days adds up by exchange, with the bars of a day that came in part', async () => {
      const now = new Date('2026-11-20T12:00:00Z')
      const day = new Date('2026-03-02T00:00:00Z')
      play(day.getTime())
      let answers = 0
      world.answer = (venue) => {
        if (venue !== 'bitstamp') return null
        answers += 1
        return answers === 2 ? { status: 200, body: '{"data":5}' } : null
      }
      const summary = await loadAt(database, world, now, { from: day, to: new Date(day.getTime() + 1) })
      for (const { read, bars, rejected, absent } of summary.venues)
        expect(bars + rejected + absent).toBe(read)
      expect(
        summary.venues.map(({ venue, bars, rejected, absent }) => [venue, bars, rejected, absent]),
      ).toEqual([
        ['binance', 2, 0, 0],
        ['bitstamp', 0, 1, 2],
        ['coinbase', 2, 5, 10],
        ['kraken', 0, 0, 0],
      ])
      expect(await ledgerOf(database, 'candles-backfill')).toMatchObject({
        rejected: summary.rejected,
        absent: summary.absent,
      })
    })
  })

  describe('of requests to chains', () => {
    let ethereum: PlayedNode
    let base: PlayedNode
    beforeEach(async () => {
      ethereum = await openNode(1, FIRST)
      base = await openNode(8_453, FIRST)
      base.instead = { status: 400, body: 'no' }
    })
    afterEach(() => Promise.all([ethereum.close(), base.close()]))

    const rpcUrls = () =>
      new Map([
        [1, [ethereum.url]],
        [8_453, [base.url]],
      ])
    const http = createHttpClient({ log, userAgent: 'test' })

    it('for addresses counts those of a chain that is down as absent', async () => {
      const on = (chain: number) => LABELLED_ADDRESSES.filter(({ chainId }) => chainId === chain).length
      const settings = { rpcUrls: rpcUrls() }
      const summary = await runGroup(addressSnapshotsGroup, { database, clock, http, settings })
      expect(summary).toMatchObject({
        read: on(1) + on(8_453) + 1,
        rows: on(1),
        rejected: 1,
        absent: on(8_453),
      })
      expect(sumOf(summary)).toBe(summary.read)
      expect(await ledgerOf(database, 'address-snapshots')).toMatchObject({ rejected: 1, absent: on(8_453) })
    })

    it('for supplies counts the tokens of a chain that is down as absent', async () => {
      const urls = new Map([
        [1, [ethereum.url]],
        [42_161, [base.url]],
      ])
      const summary = await runGroup(tokenSuppliesGroup, {
        database,
        clock,
        http,
        settings: { rpcUrls: urls },
      })
      expect(summary).toMatchObject({ rows: 0, rejected: 14, absent: 1, read: 15 })
      expect(sumOf(summary)).toBe(summary.read)
      expect(await ledgerOf(database, 'supply-tokens')).toMatchObject({ rejected: 14, absent: 1 })
    })
  })

  it('of analyses counts each kind of each asset: created, unchanged, refused, or without facts', async () => {
    const summary = await runAnalysis(
      { database: seeded, clock, log, generator: rulesGenerator, signer: null },
      { slugs: ['bitcoin', 'nvidia'], types: ANALYSIS_TYPES, isForced: false },
    )
    const { read, added, unchanged, dropped, failed, absent } = summary
    expect(read).toBe(2 * ANALYSIS_TYPES.length)
    expect(added + unchanged + dropped + failed + absent).toBe(read)
    expect(absent).toBe(1)
    expect(await ledgerOf(seeded, 'analysis')).toMatchObject({ added, unchanged, absent })
  })

  it('of legal names counts the records, and the LEIs that have none', async () => {
    const { body = '' } = SMALL_BODIES['opensanctions-securities'] ?? {}
    await runBody(database, findFeed('opensanctions-securities'), body, FIRST)
    let asked = ''
    const summary = await runGroup(legalNamesGroup, {
      ...{ database, clock },
      fetchBody: async ({ url }) => {
        asked = new URL(url).searchParams.get('filter[lei]') ?? ''
        const record = { attributes: { lei: asked.split(',')[0], entity: { legalName: { name: 'A' } } } }
        return bytes(JSON.stringify({ data: [record, record] }))
      },
    })
    expect(asked.split(',')).toHaveLength(2)
    expect(summary).toMatchObject({ requested: 2, unnamed: 1, read: 2, added: 1, rejected: 0, absent: 1 })
    expect(sumOf(summary)).toBe(summary.read)
  })

  it('of several bodies is the sum of theirs', async () => {
    const { body = '', read = 0, absent = 0 } = OTHER_BODIES['coin-metrics'] ?? {}
    const source = { kind: 'bytes', bytes: bytes(body), origin: 'test' } as const
    const selection = { assets: ['bitcoin', 'ethereum'], source }
    const summary = await runGroup(coinMetricsGroup, { database, clock }, selection)
    expect(summary).toMatchObject({ done: 2, read: 2 * read, absent: 2 * absent })
    expect(sumOf(summary)).toBe(summary.read)
  })
})
