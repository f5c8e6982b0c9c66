import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAsOf } from '../../../src/core/as-of.js'
import { loadCandleInputs } from '../../../src/domains/market/inputs-store.js'
import { WINDOW_MS } from '../../../src/domains/market/model.js'
import { loadLatestFigures, loadStoredCandles } from '../../../src/domains/market/series-store.js'
import { type CandleRow, removeCandles, writeCandles } from '../../../src/domains/market/store.js'
import type { Database, Sql } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { candleOf, quotesAround } from './made-candles.js'

const T1 = new Date('2026-11-20T10:00:00.000Z')
const T2 = new Date('2026-11-20T11:00:00.000Z')
const T3 = new Date('2026-11-20T12:00:00.000Z')

const instant = (text: string) => new Date(`${text}${text.includes('T') ? '' : 'T00:00:00'}Z`)

/** A day candle of asset 1 around a price. */
const day = (ts: string, price: number, assetId = 1) =>
  candleOf({ assetId, timeframe: '1d', ts: instant(ts) }, quotesAround(price))

describe.each(availableDatabases())('market store on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())
  beforeEach(() => database.script('delete from candle; delete from asset_supply'))

  const write = (knownAt: Date, ...rows: readonly CandleRow[]) =>
    database.transaction((tx) => writeCandles(tx, rows, { knownAt, source: 'venues' }))
  const prices = async (asOf: Date | null, first = '2019-12-01', end = '2026-12-01') => {
    const range = {
      timeframe: '1d' as const,
      first: instant(first),
      end: instant(end),
      asOf: createAsOf(asOf),
    }
    const found = await loadStoredCandles(database, [1], range)
    return (found.get(1) ?? []).map(({ ts, vwapUsd }) => [ts.toISOString().slice(0, 10), vwapUsd])
  }

  it('adds new candles, leaves equal ones, and closes revised ones', async () => {
    const first = [day('2019-12-31', 100), day('2020-01-01', 101), day('2026-11-18', 102)]
    expect(await write(T1, ...first)).toEqual({ added: 3, revised: 0, unchanged: 0 })
    expect(await write(T2, ...first, day('2026-11-19', 103))).toEqual({ added: 1, revised: 0, unchanged: 3 })
    const revised = [day('2019-12-31', 110), day('2020-01-01', 101), day('2026-11-18', 112)]
    expect(await write(T3, ...revised)).toEqual({ added: 0, revised: 2, unchanged: 1 })
    const rows = await database.rows('select ts, known_from, known_to from candle order by ts, known_from')
    expect(rows).toEqual([
      { ts: instant('2019-12-31'), known_from: T1, known_to: T3 },
      { ts: instant('2019-12-31'), known_from: T3, known_to: null },
      { ts: instant('2020-01-01'), known_from: T1, known_to: null },
      { ts: instant('2026-11-18'), known_from: T1, known_to: T3 },
      { ts: instant('2026-11-18'), known_from: T3, known_to: null },
      { ts: instant('2026-11-19'), known_from: T2, known_to: null },
    ])
  })

  it('returns the candles known at an instant', async () => {
    const [old, revised] = [day('2026-11-18', 100), day('2026-11-18', 200)]
    await write(T1, old)
    await write(T2, revised)
    const expected = (row: CandleRow) => [['2026-11-18', Number(row.vwapUsd)]]
    expect(await prices(new Date(T1.getTime() - 1))).toEqual([])
    expect(await prices(T1)).toEqual(expected(old))
    expect(await prices(new Date(T2.getTime() - 1))).toEqual(expected(old))
    expect(await prices(T2)).toEqual(expected(revised))
    expect(await prices(null)).toEqual(expected(revised))
  })

  it('revises if only the sources or the method differ', async () => {
    const candle = day('2026-11-18', 100)
    await write(T1, candle)
    const [source, ...others] = candle.sources
    if (source === undefined) throw new Error('a candle without sources')
    const sources = [{ ...source, deviation: '0.5' }, ...others]
    expect(await write(T2, { ...candle, sources })).toMatchObject({ revised: 1 })
    expect(await write(T3, { ...candle, sources, methodologyVersion: 'next' })).toMatchObject({ revised: 1 })
  })

  it('dates a revision after the revised candle even if the clock stands still, and uses the last of a batch', async () => {
    await write(T2, day('2026-11-18', 100), day('2026-11-18', 101))
    expect(await write(T1, day('2026-11-18', 102))).toEqual({ added: 0, revised: 1, unchanged: 0 })
    expect(await prices(T2)).toEqual([['2026-11-18', Number(day('2026-11-18', 101).vwapUsd)]])
    expect(await prices(null)).toEqual([['2026-11-18', Number(day('2026-11-18', 102).vwapUsd)]])
  })

  it('reads windows that start in [first, end), ordered, and a list for every asset', async () => {
    await write(T1, day('2026-11-20', 3), day('2026-11-18', 1), day('2026-11-19', 2), day('2026-11-18', 9, 2))
    await write(T1, { ...day('2026-11-18', 7), timeframe: '1h' })
    const range = { first: instant('2026-11-18'), end: instant('2026-11-20'), asOf: null }
    const found = await loadStoredCandles(database, [1, 2, 3], { timeframe: '1d', ...range })
    const lists = [...found].map(([assetId, list]) => [assetId, list.map(({ ts }) => ts)])
    expect(lists).toEqual([
      [1, [instant('2026-11-18'), instant('2026-11-19')]],
      [2, [instant('2026-11-18')]],
      [3, []],
    ])
  })

  it('keeps a price and its sources to the last digit', async () => {
    const tiny = candleOf({ assetId: 1, timeframe: '1d', ts: instant('2026-11-18') }, quotesAround(0.0000123))
    await write(T1, tiny)
    const wanted = { timeframe: '1d', ts: tiny.ts, asOf: null } as const
    const inputs = async (of: Parameters<typeof loadCandleInputs>[2]) =>
      (await loadCandleInputs(database, [1, 2], of)).get(1) ?? null
    expect(await inputs({ ...wanted, ts: null })).toEqual(await inputs(wanted))
    expect(await inputs(wanted)).toEqual({
      ts: tiny.ts,
      vwapUsd: tiny.vwapUsd,
      methodologyVersion: tiny.methodologyVersion,
      sources: tiny.sources,
      knownFrom: T1,
    })
    expect(await inputs({ ...wanted, timeframe: '1h' })).toBeNull()
    expect(await inputs({ ...wanted, asOf: createAsOf(new Date(T1.getTime() - 1)) })).toBeNull()
  })

  it('finds the newest finished window of each asset, the hour before a day that ends with it', async () => {
    const hour = (ts: string, price: number, assetId = 1) => ({
      ...candleOf({ assetId, timeframe: '1h', ts: instant(ts) }, quotesAround(price)),
    })
    await write(
      T1,
      ...[day('2026-11-19', 100), hour('2026-11-19T23:00:00', 101)],
      ...[day('2026-11-19', 200, 2), hour('2026-11-19T20:00:00', 201, 2)],
      ...[day('2026-11-18', 300, 3), day('2026-11-20', 301, 3)],
      day('2025-01-01', 400, 4),
    )
    const found = await loadLatestFigures(database, [1, 2, 3, 4, 5], T3)
    const candles = [...found]
      .sort()
      .map(([id, { candle }]) => [id, candle && [candle.timeframe, candle.endsAt]])
    expect(candles).toEqual([
      ['1', ['1h', instant('2026-11-20')]],
      ['2', ['1d', instant('2026-11-20')]],
      ['3', ['1d', instant('2026-11-19')]],
      ['4', null],
      ['5', null],
    ])
    expect(found.get('1')?.candle).toMatchObject({
      vwapUsd: hour('2026-11-19T23:00:00', 101).vwapUsd,
      exchangesCount: 4,
      methodologyVersion: 'vwap-consensus-1',
    })
  })

  it('removes the candles of one source only', async () => {
    await write(T1, day('2026-11-18', 1))
    const seed = { knownAt: T1, source: 'seed' }
    await database.transaction((tx) => writeCandles(tx, [day('2026-11-17', 1)], seed))
    expect(await database.transaction((tx) => removeCandles(tx, 'seed'))).toBe(1)
    expect((await prices(null)).map(([date]) => date)).toEqual(['2026-11-18'])
  })
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly Plans?: readonly Plan[]
}

function* scansOf(plan: Plan): Generator<string> {
  if (plan['Node Type'].includes('Scan') && plan['Node Type'] !== 'Function Scan') {
    yield `${plan['Node Type']} ${plan['Index Name'] ?? ''}`
  }
  for (const child of plan.Plans ?? []) yield* scansOf(child)
}

describe.runIf(availableDatabases().includes('postgres'))('the plan of the frequent read', () => {
  it('is an index-only scan of the current candles, for one asset and for fifty', async () => {
    const database = await openTestDatabase('postgres')
    try {
      const made = day('2026-10-31', 100)
      const rows = Array.from({ length: 50 * 500 }, (_, index): CandleRow => {
        const ts = new Date(made.ts.getTime() - Math.floor(index / 50) * WINDOW_MS['1d'])
        return { ...made, assetId: (index % 50) + 1, ts }
      })
      await database.transaction((tx) => writeCandles(tx, rows, { knownAt: T1, source: 'venues' }))
      await database.rows('vacuum (analyze) candle')
      const plans: Plan[] = []
      const explaining: Sql = {
        rows: async <Row>(sql: string, parameters?: readonly unknown[]) => {
          type Explained = { readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }
          const [explained] = await database.rows<Explained>(`explain (format json) ${sql}`, parameters)
          if (explained?.['QUERY PLAN'][0]) plans.push(explained['QUERY PLAN'][0].Plan)
          return [] as readonly Row[]
        },
      }
      const range = {
        timeframe: '1d' as const,
        first: instant('2025-06-01'),
        end: instant('2026-11-01'),
        asOf: null,
      }
      await loadStoredCandles(explaining, [1], range)
      const fifty = Array.from({ length: 50 }, (_, index) => index + 1)
      await loadStoredCandles(explaining, fifty, range)
      // The two partitions of the range and no other.
      const partitions = ['candle_2025', 'candle_2026']
      const indexes = partitions.map((name) => `Index Only Scan ${name}_asset_id_timeframe_ts_`)
      expect(plans).toHaveLength(2)
      for (const plan of plans) {
        const scans = [...scansOf(plan)]
        expect(scans).toHaveLength(indexes.length)
        for (const [place, index] of indexes.entries()) expect(scans[place]).toContain(index)
      }
    } finally {
      await database.close()
    }
  })
})
