import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IsoDate } from '../../../src/core/time.js'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import { type InstrumentFacts, NOTHING_STATED } from '../../../src/domains/instruments/model.js'
import { FACT_MARKET_SNAPSHOT, FACT_VWAP_CONSENSUS } from '../../../src/domains/star/market-facts.js'
import { loadPageIndex, type PageIndex } from '../../../src/domains/star/page-index.js'
import { loadFactPage } from '../../../src/domains/star/service.js'
import { isServed, type ServedTable, type StarTable } from '../../../src/domains/star/table.js'
import type { Database, Sql } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const ASSETS = [9_001, 9_002, 9_003]

const KNOWN_AT = new Date('2025-02-01T00:00:00Z')

const coin = (assetId: number): InstrumentFacts => ({
  ...NOTHING_STATED,
  assetId,
  slug: `coin-${assetId}`,
  ticker: `C${assetId}`,
  name: `Coin ${assetId}`,
  assetClass: 'crypto',
})

/** Rows from one instant to another: those of each hour, and at midnight those of the day. */
const candles = (from: string, to: string) =>
  `insert into candle (asset_id, timeframe, ts, vwap_usd, exchanges_count, methodology_version, sources, source, known_from)
   select asset_id, timeframe::timeframe, ts,
     case when extract(hour from ts at time zone 'UTC') = 3 then null else 1 + asset_id + n end, 3, 'm', '\\x01', 'test', '2025-02-01Z'
   from generate_series('${from}'::timestamptz, '${to}'::timestamptz, '1 hour') with ordinality as g(ts, n)
   cross join unnest(array[${ASSETS}]) as asset_id cross join unnest(array['1h', '1d']) as timeframe
   where timeframe = '1h' or extract(hour from ts at time zone 'UTC') = 0`

/** Over New Year, where a partition ends; hours of unlike size, one of them and a day without any row. */
const FILLED = [
  candles('2024-12-30T20:00Z', '2025-01-01T08:00Z'),
  candles('2025-01-03T00:00Z', '2025-01-03T04:00Z'),
  `delete from candle where asset_id = 9002 and extract(hour from ts at time zone 'UTC') between 7 and 12`,
  `update candle set known_to = '2025-02-02Z' where ts = '2025-01-01T05:00Z'`,
]

const WITHDRAWN = [
  `update candle set known_to = '2025-02-03Z' where known_to is null and ts >= '2024-12-31T00:00Z' and ts < '2024-12-31T02:00Z'`,
  `delete from candle where ts >= '2025-01-01T06:00Z' and ts < '2025-01-02T00:00Z'`,
  `update candle set vwap_usd = null where asset_id = 9003 and ts >= '2024-12-31T22:00Z' and ts < '2025-01-01T02:00Z'`,
  `delete from candle where ts >= '2025-01-03T00:00Z'`,
]

function served(table: StarTable): ServedTable {
  if (!isServed(table)) throw new Error(`${table.view} is not served`)
  return table
}

const PRICES = served(FACT_VWAP_CONSENSUS)
const DAYS = served(FACT_MARKET_SNAPSHOT)

interface Asked {
  readonly table: ServedTable
  readonly assetId: number | null
  readonly choice: string | null
  readonly from: IsoDate | null
  readonly to: IsoDate | null
}

const day = (text: string) => text as IsoDate
const ALL = { assetId: null, choice: null, from: null, to: null }

const QUESTIONS: readonly (Asked & { readonly name: string })[] = [
  { name: 'all prices', table: PRICES, ...ALL },
  { name: 'prices from a day on', table: PRICES, ...ALL, from: day('2024-12-31') },
  { name: 'prices up to a day', table: PRICES, ...ALL, to: day('2025-01-01') },
  { name: 'prices of a day', table: PRICES, ...ALL, from: day('2025-01-01'), to: day('2025-01-01') },
  { name: 'prices from a day without any', table: PRICES, ...ALL, from: day('2025-01-02') },
  { name: 'prices of an asset', table: PRICES, ...ALL, assetId: 9_002 },
  {
    name: 'prices of an asset and some days',
    table: PRICES,
    assetId: 9_003,
    choice: null,
    from: day('2024-12-31'),
    to: day('2025-01-02'),
  },
  { name: 'hourly prices', table: PRICES, ...ALL, choice: '1h' },
  { name: 'daily prices', table: PRICES, ...ALL, choice: '1d' },
  { name: 'hourly prices of an asset', table: PRICES, ...ALL, choice: '1h', assetId: 9_002 },
  { name: 'daily prices from a day on', table: PRICES, ...ALL, choice: '1d', from: day('2024-12-31') },
  { name: 'days', table: DAYS, ...ALL },
  { name: 'days of an asset', table: DAYS, ...ALL, assetId: 9_001 },
]

type Key = string

async function wholeOf(sql: Sql, { table, assetId, choice, from, to }: Asked): Promise<readonly Key[]> {
  const { order } = table.endpoint
  const rows = await sql.rows<Record<string, unknown>>(
    `select ${order.join(', ')} from star_public.${table.view}
     where ($1::int is null or asset_id = $1) and ($2::date is null or snapshot_date >= $2)
       and ($3::date is null or snapshot_date <= $3)
       and ${choice === null ? 'true' : `timeframe = '${choice}'`} order by ${order.join(', ')}`,
    [assetId, from, to],
  )
  return rows.map((row) => keyOf(table, row))
}

const keyOf = ({ endpoint }: ServedTable, row: Readonly<Record<string, unknown>>): Key =>
  endpoint.order.map((name) => JSON.stringify(row[name])).join(' ')

async function pageOf(sql: Sql, asked: Asked, page: { outline: PageIndex; offset: number; limit: number }) {
  const { rows, total } = await loadFactPage(sql, asked.table, { ...asked, ...page })
  return { keys: rows.map((row) => keyOf(asked.table, row)), total }
}

/** A page from every row on, and one beyond the end. */
async function expectEveryPage(sql: Sql, asked: Asked, limit: number): Promise<number> {
  const whole = await wholeOf(sql, asked)
  const outline = await loadPageIndex(sql, asked.table, asked)
  const wrong: unknown[] = []
  for (let offset = 0; offset <= whole.length; offset++) {
    const { keys, total } = await pageOf(sql, asked, { outline, offset, limit })
    const expected = whole.slice(offset, offset + limit)
    if (total !== whole.length || !isDeepStrictEqual(keys, expected))
      wrong.push({ offset, total, keys, expected })
  }
  expect(wrong).toEqual([])
  return whole.length
}

async function expectHoursCounted(sql: Sql): Promise<void> {
  const wrong = await sql.rows(
    `select hour, v.rows, t.rows as counted
     from (select date_trunc('hour', snapshot_ts, 'UTC') as hour, count(*)::int as rows
       from star_public.fact_vwap_consensus group by 1) as v
     full join (select hour, row_count as rows from star_hour_total where fact = 'fact_vwap_consensus' and row_count > 0) as t
       using (hour) where v.rows is distinct from t.rows`,
  )
  expect(wrong).toEqual([])
}

describe.each(availableDatabases())('pages of facts on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await database.transaction((tx) =>
      writeInstruments(tx, ASSETS.map(coin), { knownAt: KNOWN_AT, source: 'test' }),
    )
    for (const sql of FILLED) await database.rows(sql)
  })
  afterAll(() => database?.close())

  it.each(QUESTIONS)('begin at every row of $name', async (asked) => {
    expect(await expectEveryPage(database, asked, 7)).toBeGreaterThan(2)
  })

  it('have the requested length, over hours, days and partitions', async () => {
    for (const limit of [1, 60]) await expectEveryPage(database, { table: PRICES, ...ALL }, limit)
  })

  it('add up to the whole', async () => {
    for (const asked of QUESTIONS) {
      const whole = await wholeOf(database, asked)
      const outline = await loadPageIndex(database, asked.table, asked)
      const keys: Key[] = []
      for (let offset = 0; offset < whole.length; offset += 20)
        keys.push(...(await pageOf(database, asked, { outline, offset, limit: 20 })).keys)
      expect(keys).toEqual(whole)
    }
  })

  it('show committed rows while a writer works, and after it gave up', async () => {
    const asked = { table: PRICES, ...ALL, from: day('2024-12-31'), to: day('2025-01-01') }
    const before = await wholeOf(database, asked)
    const undone = new Error('undone')
    await expect(
      database.transaction(async (tx) => {
        for (const sql of WITHDRAWN) await tx.rows(sql)
        expect(await expectEveryPage(tx, asked, 7)).toBeLessThan(before.length)
        // The embedded database has one connection.
        if (kind === 'postgres') expect(await expectEveryPage(database, asked, 7)).toBe(before.length)
        throw undone
      }),
    ).rejects.toBe(undone)
    expect(await expectEveryPage(database, asked, 7)).toBe(before.length)
    await expectHoursCounted(database)
  })

  it('stay exact if several writers change the same hours at once', async () => {
    const parts = Array.from({ length: 6 }, (_, number) =>
      candles('2025-01-06T00:00Z', '2025-01-06T05:00Z').replace(
        `unnest(array[${ASSETS}]) as asset_id`,
        `(values (${9_100 + number}), (${9_200 + number})) as written(asset_id)`,
      ),
    )
    await Promise.all(parts.map((sql) => database.transaction((tx) => tx.rows(sql))))
    const asked = { table: PRICES, ...ALL, from: day('2025-01-06') }
    expect(await expectEveryPage(database, asked, 7)).toBe(6 * 2 * 6) // of hours 0, 1, 2, 4, 5 and of the day
    await expectHoursCounted(database)
    await database.rows(`delete from candle where ts >= '2025-01-06Z'`)
  })

  it('found by outdated counts are rows in their order, without gaps', async () => {
    const asked = { table: PRICES, ...ALL }
    const outline = await loadPageIndex(database, PRICES, asked)
    for (const sql of WITHDRAWN) await database.rows(sql)
    const whole = await wholeOf(database, asked)
    const total = outline.before.at(-1) ?? 0
    expect(whole.length).toBeLessThan(total)
    for (let offset = 0; offset < total; offset++) {
      const { keys } = await pageOf(database, asked, { outline, offset, limit: 7 })
      const first = whole.indexOf(keys[0] ?? '')
      expect(keys).toEqual(keys.length === 0 ? [] : whole.slice(first, first + keys.length))
    }
  })

  it.each(QUESTIONS)('begin at every row of $name after withdrawals', async (asked) => {
    await expectEveryPage(database, asked, 7)
  })

  it('are counted by hour like the view', () => expectHoursCounted(database))
})
