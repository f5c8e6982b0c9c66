import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { VenueBar } from '../../../../src/core/consensus/venue-vwap.js'
import { decimal } from '../../../../src/core/decimal.js'
import { loadCandlesOfDay, loadDoneVenues } from '../../../../src/domains/market/backfill-store.js'
import {
  loadBars,
  loadFirstBar,
  loadNewestBars,
  writeBars,
} from '../../../../src/domains/market/bar-store.js'
import { countRowsToConvert, startCompactRows } from '../../../../src/domains/market/compact/form-store.js'
import { convertCandles } from '../../../../src/domains/market/compact/old-candle-store.js'
import { loadCandleInputs } from '../../../../src/domains/market/inputs-store.js'
import { VENUES } from '../../../../src/domains/market/model.js'
import { loadStoredCandles } from '../../../../src/domains/market/series-store.js'
import { type CandleRow, writeCandles } from '../../../../src/domains/market/store.js'
import { readRows } from '../../../../src/domains/releases/rows-store.js'
import { MARKET_TABLES } from '../../../../src/domains/releases/tables/market-tables.js'
import { convertBatch } from '../../../../src/ingest/datasets/market/compact-rows.js'
import { lockDataset } from '../../../../src/ingest/run/lock-dataset.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { candleOf, quotesAround } from '../../../domains/market/made-candles.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'

const HOUR_MS = 3_600_000
const END = new Date('2026-11-20T00:00:00Z')
const T1 = new Date('2026-11-20T10:00:00Z')
const T2 = new Date('2026-11-20T11:00:00Z')
const T3 = new Date('2026-11-20T12:00:00Z')

/** More than a batch, in two partitions. */
const HOURS = 520
const ACROSS_YEARS = new Date('2025-12-31T23:00:00Z')

const hour = (place: number, price: number): CandleRow => {
  const ts = place === 0 ? ACROSS_YEARS : new Date(END.getTime() - place * HOUR_MS)
  return candleOf({ assetId: 1, timeframe: '1h', ts }, quotesAround(price))
}
const SERIES = Array.from({ length: HOURS }, (_, place) => hour(place, 100 + place / 7))

const bar = (venue: string, ts: Date, price: number): VenueBar => ({
  ...{
    venue,
    ts,
    open: decimal(price),
    high: decimal(price + 1),
    low: decimal(price),
    close: decimal('100.12345678'),
  },
  baseVolume: decimal('1.5'),
  quoteVolume: venue === 'okx' ? decimal('150.00000001') : null,
  vwap: null,
  quoteCurrency: venue === 'okx' ? 'USDT' : 'USD',
})
const minute = (place: number) => new Date(END.getTime() + place * 60_000)
const BARS = ['kraken', 'okx'].flatMap((venue) =>
  Array.from({ length: 50 }, (_, place) => bar(venue, minute(place * 60), 90 + place)),
)

const CANDLES = MARKET_TABLES.find(({ dataset }) => dataset === 'candles')

describe.each(availableDatabases())('the compact form of rows on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(async () => {
    await startCompactRows(database, T3)
    await database.close()
  })
  beforeEach(async () => {
    await emptiedOfFew(database, ['venue_bar', 'minute_bar', 'candle', 'candle_backfill', 'row_form'])
    await database.transaction(async (tx) => {
      await writeCandles(tx, SERIES, { knownAt: T1, source: 'consensus_vwap' })
      await writeCandles(tx, [hour(3, 90), hour(9, 90)], { knownAt: T2, source: 'consensus_vwap' })
      await writeBars(tx, 1, BARS, { knownAt: T1 })
      await writeBars(tx, 1, [bar('kraken', minute(0), 95)], { knownAt: T2 })
    })
  })

  const left = () => countRowsToConvert(database)
  const start = () => startCompactRows(database, T3)
  const convertAll = async () => {
    let batches = 0
    while ((await convertBatch(database)) !== 'done') batches++
    return batches
  }

  /** What every read of candles and bars gives. */
  async function answers(): Promise<unknown> {
    const one = [1]
    const windows = { timeframe: '1h', first: new Date('2025-01-01Z'), end: END } as const
    const inputs = []
    for (const asOf of [null, T1, T2]) {
      for (const ts of [null, hour(3, 0).ts, hour(4, 0).ts, ACROSS_YEARS]) {
        inputs.push(await loadCandleInputs(database, one, { timeframe: '1h', ts, asOf }))
      }
    }
    const released = []
    for (const month of ['2025-12', '2026-10', '2026-11']) {
      if (CANDLES === undefined) throw new Error('candles are not released')
      for await (const rows of readRows(database, CANDLES, month, { knownAt: T3, leftOut: [] }))
        released.push(rows)
    }
    return {
      inputs,
      released,
      now: await loadStoredCandles(database, one, { ...windows, asOf: null }),
      past: await loadStoredCandles(database, one, { ...windows, asOf: T1 }),
      ofDay: await loadCandlesOfDay(database, 1, new Date('2026-11-19Z')),
      done: await loadDoneVenues(database, one, new Date('2026-11-19Z'), 'consensus_vwap'),
      bars: await loadBars(database, { assetId: 1, from: END, to: minute(60 * 60) }),
      firstBar: await loadFirstBar(database, 1),
      newestBars: await loadNewestBars(database, 1, VENUES),
    }
  }

  it('is off on a database with rows until it is started, and rows stay readable for older nodes', async () => {
    expect(await convertBatch(database)).toBe('not started')
    expect(await left()).toEqual({ candles: HOURS + 2, bars: 101 })
    expect(await database.rows('select from candle where sources_packed is not null')).toEqual([])
    expect(await database.rows('select from minute_bar')).toEqual([])
  })

  it('gives the same answers before, half converted and after', async () => {
    const before = await answers()
    await start()
    expect(await convertBatch(database)).toEqual({ candles: 500, bars: 0 })
    expect(await answers()).toEqual(before)
    expect(await convertBatch(database)).toEqual({ candles: HOURS + 2 - 500, bars: 0 })
    expect(await convertBatch(database)).toEqual({ candles: 0, bars: 25 })
    expect(await left()).toEqual({ candles: 0, bars: 76 })
    expect(await answers()).toEqual(before)
    await convertAll()
    expect(await left()).toEqual({ candles: 0, bars: 0 })
    expect(await answers()).toEqual(before)
    expect(
      await database.rows(
        'select known_from, known_to from minute_bar where ts = $1 and venue = $2 order by 1',
        [END, 'kraken'],
      ),
    ).toEqual([
      { known_from: T1, known_to: T2 },
      { known_from: T2, known_to: null },
    ])
    expect(
      await database.rows(
        "select sum(pg_relation_size(inhrelid))::int as bytes from pg_inherits where inhparent = 'venue_bar'::regclass",
      ),
    ).toEqual([{ bytes: 0 }])
  })

  it('loses nothing when a process is killed in a batch, and goes on after it', async () => {
    const before = await answers()
    await start()
    const killed = database.transaction(async (tx) => {
      await lockDataset(tx, 'candles')
      expect(await convertCandles(tx)).toBe(500)
      throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    expect(await left()).toEqual({ candles: HOURS + 2, bars: 101 })
    expect(await convertAll()).toBeGreaterThan(2)
    expect(await answers()).toEqual(before)
  })

  it('finds rows of an older node that were written after its own', async () => {
    await start()
    await convertAll()
    await database.rows(
      `insert into candle (asset_id, timeframe, ts, exchanges_count, methodology_version, sources, source, known_from)
       values (7, '1d', '2026-11-18Z', 0, 'vwap-consensus-1', '[{"venue": "bench"}]', 'x', $1)`,
      [T1],
    )
    await database.rows(
      `insert into venue_bar (asset_id, venue, ts, open, high, low, close, base_volume, quote_currency, known_from)
       values (7, 'kraken', '2026-11-18Z', 1, 1, 1, 1, 1, 'USD', $1)`,
      [T1],
    )
    expect(await convertAll()).toBe(2)
    expect(await left()).toEqual({ candles: 0, bars: 0 })
    const wanted = { timeframe: '1d', ts: null, asOf: null } as const
    expect((await loadCandleInputs(database, [7], wanted)).get(7)?.sources).toEqual([{ venue: 'bench' }])
  })

  it('compares a written row with one that is not converted yet, and revises it if it differs', async () => {
    await start()
    const counts = await database.transaction(async (tx) => [
      await writeCandles(tx, [hour(3, 90), hour(4, 100 + 4 / 7), hour(5, 77)], {
        knownAt: T3,
        source: 'consensus_vwap',
      }),
      await writeBars(tx, 1, [bar('kraken', minute(0), 95), bar('kraken', minute(60), 97)], { knownAt: T3 }),
    ])
    expect(counts).toEqual([
      { added: 0, revised: 1, unchanged: 2 },
      { added: 0, revised: 1, unchanged: 1, changedHours: [minute(60)] },
    ])
    const price = async (asOf: Date | null) =>
      (await loadCandleInputs(database, [1], { timeframe: '1h', ts: hour(5, 0).ts, asOf })).get(1)?.vwapUsd
    const after = [await price(T2), await price(null)]
    expect(after).toEqual([hour(5, 100 + 5 / 7).vwapUsd, hour(5, 77).vwapUsd])
    await convertAll()
    expect([await price(T2), await price(null)]).toEqual(after)
    expect(
      (await loadBars(database, { assetId: 1, from: END, to: minute(61) })).map(({ open }) =>
        open.toNumber(),
      ),
    ).toEqual([95, 90, 97, 91])
  })

  it('leaves the counts of the star schema as they are', async () => {
    const totals = () => database.rows('select fact, day, row_count from star_total order by fact, day')
    const before = await totals()
    expect(before).not.toEqual([])
    await start()
    await convertAll()
    expect(await totals()).toEqual(before)
  })

  it.runIf(kind === 'postgres')('waits for no writer of the dataset', async () => {
    await start()
    await database.transaction(async (tx) => {
      await lockDataset(tx, 'candles')
      expect(await convertBatch(database)).toBe('busy')
    })
    expect(await convertBatch(database)).toEqual({ candles: 500, bars: 0 })
  })
})
