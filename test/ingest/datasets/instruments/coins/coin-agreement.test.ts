import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { VenueBar } from '../../../../../src/core/consensus/venue-vwap.js'
import { decimal } from '../../../../../src/core/decimal.js'
import { fixedClock, HOUR_MS } from '../../../../../src/core/time.js'
import { writeBars } from '../../../../../src/domains/market/bar-store.js'
import { writeCandles } from '../../../../../src/domains/market/store.js'
import { rollAsset } from '../../../../../src/ingest/candles/load-bars.js'
import { attachVenueSymbols } from '../../../../../src/ingest/candles/venue-assets.js'
import { coinJobs } from '../../../../../src/ingest/datasets/instruments/coins/coin-jobs.js'
import type { JobContext } from '../../../../../src/ingest/schedule/job.js'
import type { Database } from '../../../../../src/platform/database/database.js'
import { createLogger } from '../../../../../src/platform/logger.js'
import { candleOf, quotesAround } from '../../../../domains/market/made-candles.js'
import { availableDatabases, openTestDatabase } from '../../../../support/database/database.js'
import { keptTables } from '../../../../support/database/kept-tables.js'
import { coinLists, type MadePair } from './coin-world.js'

const TABLES = [
  ...['asset', 'instrument', 'instrument_identifier', 'asset_version', 'asset_contract', 'venue_symbol'],
  ...['exchange_listing', 'excluded_listing', 'venue_coverage', 'minute_bar', 'candle', 'ingest_run'],
  ...['dataset_state', 'data_grain'],
]

const NOW = new Date('2026-11-20T12:25:00Z')
const ACME: MadePair = { ticker: 'ACME', name: 'Acme Coin' }

describe.each(availableDatabases())('the agreement of exchanges about a coin on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  let lists: ReturnType<typeof coinLists>
  let assetId: number
  const everywhere = (...pairs: readonly MadePair[]) => ({ bitstamp: pairs, coinbase: pairs, kraken: pairs })
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    lists = coinLists(database)
    restore = keptTables(database, TABLES, async () => {
      await lists.runReference('2026-11-02')
      await lists.runLists('2026-11-19', everywhere(ACME))
    })
  })
  beforeEach(async () => {
    await restore()
    const [acme] = await database.rows<{ id: number }>(
      `select asset_id as id from asset where slug = 'acme-coin'`,
    )
    assetId = acme?.id ?? expect.fail('there is no acme-coin')
  })
  afterAll(() => database?.close())

  /** A bar of each half hour of the last 24 hours at each venue, and that the venue has answered. */
  async function trade(prices: Readonly<Record<string, number>>): Promise<void> {
    const bars = Object.entries(prices).flatMap(([venue, price]) =>
      Array.from({ length: 48 }, (_, at): VenueBar => {
        const ts = new Date(NOW.getTime() - (NOW.getTime() % HOUR_MS) - (at + 1) * (HOUR_MS / 2))
        const figure = decimal(String(price))
        const figures = { open: figure, high: figure, low: figure, close: figure, baseVolume: decimal('10') }
        return { venue, ts, ...figures, quoteVolume: null, vwap: null, quoteCurrency: 'USD' }
      }),
    )
    await database.transaction((tx) => writeBars(tx, assetId, bars, { knownAt: NOW }))
    for (const venue of Object.keys(prices))
      await database.rows(
        `insert into venue_coverage (asset_id, venue, is_listed, covered_to, asked_at) values ($1, $2, true, $3, $3)`,
        [assetId, venue, NOW],
      )
  }
  const run = (name: string, now = NOW) => {
    const context = {
      ...{ database, clock: fixedClock(now), log: createLogger('silent') },
      ...{ coversTo: now, signal: new AbortController().signal },
    }
    const job = coinJobs.find((one) => one.name === name) ?? expect.fail(`no job is called ${name}`)
    return job.run(context as unknown as JobContext)
  }
  const state = async () => {
    const [row] = await database.rows(
      `select i.is_confirmed as confirmed, array(select venue from venue_symbol as s where s.asset_id = i.asset_id and s.symbol is not null
         order by venue) as venues from instrument as i where i.instrument_id = $1`,
      [assetId],
    )
    return row
  }
  const reasons = async () => {
    const rows = await database.rows<{ rejections: readonly object[] }>(
      `select rejections from ingest_run where feed = 'coin-agreement' and rejections is not null`,
    )
    return rows.flatMap(({ rejections }) => rejections)
  }
  const version = async () =>
    (
      await database.rows<{ version: number }>(
        `select version from dataset_state where dataset = 'instruments'`,
      )
    )[0]?.version ?? 0

  it('confirms it, once', async () => {
    await trade({ bitstamp: 2, coinbase: 2.05, kraken: 1.96 })
    const before = await version()
    expect(await run('coin-agreement')).toMatchObject({ counts: { revised: 1, rejected: 0 }, note: null })
    expect(await state()).toEqual({ confirmed: true, venues: ['bitstamp', 'coinbase', 'kraken'] })
    expect(await version()).toBe(before + 1)
    expect(await run('coin-agreement')).toMatchObject({ counts: { revised: 0, rejected: 0 } })
    expect(await version()).toBe(before + 1)
  })

  it('leaves it unconfirmed while prices differ or too few are known, and the ledger says why', async () => {
    expect(await run('coin-agreement')).toMatchObject({ counts: { revised: 0, rejected: 0 } })
    await trade({ bitstamp: 2, coinbase: 0.5 })
    const before = await version()
    expect(await run('coin-agreement')).toMatchObject({
      counts: { revised: 0, rejected: 1 },
      note: '1 coins or pairs wait, the ledger says why',
    })
    expect(await reasons()).toEqual([
      { position: 'acme-coin', reason: 'bitstamp and coinbase differ by 300 %' },
    ])
    expect(await state()).toEqual({ confirmed: false, venues: ['bitstamp', 'coinbase', 'kraken'] })
    expect(await version()).toBe(before)
  })

  it('requests no more bars from an exchange with another coin, also after its next list', async () => {
    await trade({ bitstamp: 2, coinbase: 2, kraken: 0.001 })
    await run('coin-agreement')
    const confirmed = { confirmed: true, venues: ['bitstamp', 'coinbase'] }
    expect(await state()).toEqual(confirmed)
    expect(await reasons()).toEqual([
      {
        position: 'acme-coin at kraken',
        reason: expect.stringMatching(
          /^another coin: its price differs from that at (bitstamp|coinbase) by 2.00e\+5 %$/,
        ),
      },
    ])
    await lists.runLists('2026-11-21', everywhere(ACME))
    expect(await state()).toEqual(confirmed)
    // Another pair of the exchange is another matter.
    await lists.runLists('2026-11-22', { ...everywhere(ACME), binance: [ACME] })
    expect(await state()).toEqual({ confirmed: true, venues: ['binance', 'bitstamp', 'coinbase'] })
  })

  it('is needed for candles', async () => {
    await trade({ bitstamp: 2, coinbase: 2.01, kraken: 2 })
    const roll = {
      ...{ bars: new Map(), from: new Date(NOW.getTime() - 6 * HOUR_MS), to: NOW, now: NOW },
      ...{ isComplete: () => true, ratesKnownAt: null },
    }
    const candles = async () => {
      const [asset] = await attachVenueSymbols(database, [
        { assetId, slug: 'acme-coin', ticker: 'ACME', tier: 3 },
      ])
      if (asset === undefined) return expect.fail('one was given')
      const rolled = await database.transaction((tx) => rollAsset(tx, asset, roll))
      return [rolled.candles.added, rolled.waiting.length]
    }
    expect(await candles()).toEqual([0, 0])
    await run('coin-agreement')
    expect(await candles()).toEqual([6, 0])
  })

  it('lets the weekly ranking give it a tier, each change a version', async () => {
    await trade({ bitstamp: 2, coinbase: 2, kraken: 2 })
    await run('coin-agreement')
    const rows = [1, 2, 3].map((day) =>
      candleOf({ assetId, timeframe: '1d', ts: new Date(`2026-11-1${day}T00:00:00Z`) }, quotesAround(2)),
    )
    await database.transaction((tx) => writeCandles(tx, rows, { knownAt: NOW, source: 'consensus_vwap' }))
    expect(await run('coin-tiers')).toMatchObject({ counts: { revised: 1 } })
    const versions = () =>
      database.rows('select tier from asset_version where asset_id = $1 order by known_from', [assetId])
    expect(await versions()).toEqual([{ tier: 3 }, { tier: 1 }])
    expect(await run('coin-tiers', new Date('2026-11-27T12:00:00Z'))).toMatchObject({
      counts: { revised: 0 },
    })
    // The list of the day leaves the tier as it is, and so do the tiers of the reference.
    await lists.runLists('2026-11-28', { ...everywhere(ACME), okx: [ACME] })
    expect(await versions()).toHaveLength(2)
    const [bitcoin] = await database.rows(`select tier from asset where slug = 'bitcoin'`)
    expect(bitcoin).toEqual({ tier: 1 })
  })
})
