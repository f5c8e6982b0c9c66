import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { keptTables } from '../../../support/database/kept-tables.js'

type Row = readonly [cik: number | string, name: string, ticker: string, exchange: string | null]

/** Thirty tickers that no test changes. */
const OTHERS: readonly Row[] = Array.from({ length: 30 }, (_, at) => [
  9_000 + at,
  `Other ${at}`,
  `OT${at}X`,
  'NYSE',
])

const listOf = (...rows: readonly Row[]) => [...rows, ...OTHERS]

const deps = (database: Database, day: string) => ({
  database,
  clock: fixedClock(new Date(day.length > 10 ? day : `${day}T10:30:00Z`)),
  log: createLogger('silent'),
  fetchBody: () => expect.fail('nothing is fetched'),
})

const bytesOf = (text: string) => new TextEncoder().encode(text)

const bodyOf = (rows: readonly Row[]) =>
  JSON.stringify({ fields: ['cik', 'name', 'ticker', 'exchange'], data: rows })

const run = (database: Database, day: string, body: string | readonly Row[], isSaidWhole = false) =>
  runFeed(deps(database, day), findFeed('sec-symbols'), {
    kind: 'bytes',
    bytes: bytesOf(typeof body === 'string' ? body : bodyOf(body)),
    origin: 'test',
    isSaidWhole,
  } as Parameters<typeof runFeed>[2])

/** The periods of a ticker as they are known now. */
const periodsOf = (database: Database, ticker: string) =>
  database.rows(
    `select cik, exchange, occurrence, valid_from as begin, valid_to as ended from listed_symbol
     where ticker = $1 and known_to is null order by valid_to nulls last, cik`,
    [ticker],
  )

const TABLES = [
  'asset',
  'instrument',
  'instrument_identifier',
  'asset_version',
  'asset_contract',
  'venue_symbol',
]
const [MONDAY, TUESDAY, WEDNESDAY, THURSDAY] = [
  '2026-11-16',
  '2026-11-17',
  '2026-11-18',
  '2026-11-19',
] as const
const ACME: Row = [7, 'Acme Inc.', 'ACME', 'Nasdaq']
const OTHER_ACME: Row = [8, 'Acme Holdings', 'ACME', 'Nasdaq']

describe.each(availableDatabases())('the daily list of tickers on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    restore = keptTables(database, [...TABLES, 'listed_symbol', 'ingest_run', 'dataset_state'], async () => {
      const feed = findFeed('reference')
      await runFeed(deps(database, '2026-11-02'), feed, usualSourceOf(feed.feed))
    })
  })
  beforeEach(() => restore())
  afterAll(() => database?.close())

  const period = (cik: number, occurrence: number, begin: string | null, ended: string | null) => ({
    cik: String(cik).padStart(10, '0'),
    exchange: 'Nasdaq',
    occurrence,
    begin,
    ended,
  })

  it('begins a period for a new ticker, ends that of a missing one, and changes nothing when it comes again', async () => {
    expect(await run(database, MONDAY, listOf(ACME))).toMatchObject({ added: 31, alsoChanged: 31 })
    expect(await periodsOf(database, 'ACME')).toEqual([period(7, 1, null, null)])
    expect(await run(database, TUESDAY, listOf(ACME))).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 31,
      alsoChanged: 0,
    })
    expect(await run(database, WEDNESDAY, listOf([9, 'New Inc.', 'NEW', null]))).toMatchObject({
      added: 1,
      alsoChanged: 2, // the period and the asset of ACME
    })
    expect(await periodsOf(database, 'ACME')).toEqual([period(7, 1, null, WEDNESDAY)])
    expect(await periodsOf(database, 'NEW')).toEqual([{ ...period(9, 1, WEDNESDAY, null), exchange: '' }])
  })

  it('begins another period for a ticker that another company, or the same one, uses again', async () => {
    await run(database, MONDAY, listOf(ACME))
    await run(database, TUESDAY, listOf(OTHER_ACME))
    await run(database, WEDNESDAY, listOf())
    await run(database, THURSDAY, listOf(ACME))
    expect(await periodsOf(database, 'ACME')).toEqual([
      period(7, 1, null, TUESDAY),
      period(8, 1, TUESDAY, WEDNESDAY),
      period(7, 2, THURSDAY, null),
    ])
  })

  it('corrects the lists of the same day', async () => {
    await run(database, MONDAY, listOf(ACME))
    await run(database, TUESDAY, listOf(OTHER_ACME))
    await run(database, `${TUESDAY}T15:00:00Z`, listOf(ACME))
    expect(await periodsOf(database, 'ACME')).toEqual([period(7, 1, null, null)])
  })

  it('ends nothing if it is cut off', async () => {
    await run(database, MONDAY, listOf(ACME))
    const before = await database.rows('select * from listed_symbol order by ticker')
    const cut = bodyOf(listOf(ACME)).slice(0, 300)
    await expect(run(database, TUESDAY, cut)).rejects.toThrow(BrokenBody)
    await expect(run(database, TUESDAY, listOf(ACME).slice(0, 5))).rejects.toThrow(
      '26 of 31 known tickers are not among the 5 listed ones: the list is likely cut off; if it is complete, run the command again with --whole',
    )
    expect(await database.rows('select * from listed_symbol order by ticker')).toEqual(before)
    const whole = await run(database, TUESDAY, listOf(ACME).slice(0, 5), true)
    expect(whole).toMatchObject({ unchanged: 5, alsoChanged: 2 * 26 }) // periods and assets
  })

  it('ends nothing if a line cannot be read, and says so', async () => {
    await run(database, MONDAY, listOf(ACME))
    const summary = await run(database, TUESDAY, listOf(['x', 'Acme Inc.', 'ACME', 'Nasdaq']))
    expect(summary).toMatchObject({ alsoChanged: 0, rejected: 2 })
    expect(summary.rejections.at(-1)).toEqual({
      position: 'end of the list',
      reason: 'lines of the list could not be read, so tickers that it lacks are kept: 1',
    })
    expect(await periodsOf(database, 'ACME')).toEqual([period(7, 1, null, null)])
  })

  it('reports a ticker that two companies have, in the list or in the masters, and keeps both', async () => {
    const summary = await run(
      database,
      MONDAY,
      listOf(ACME, OTHER_ACME, [999, 'Another Apple Corp', 'AAPL', 'Nasdaq']),
    )
    expect(summary).toMatchObject({ rows: 33, added: 33, rejected: 2 })
    expect(summary.rejections).toEqual([
      {
        position: 'AAPL on Nasdaq',
        reason:
          'Another Apple Corp (CIK 0000000999) and Apple Inc. (CIK 0000320193) have it on the same day; both are kept and marked, and one of them is wrong',
      },
      {
        position: 'ACME on Nasdaq',
        reason:
          'Acme Inc. (CIK 0000000007) and Acme Holdings (CIK 0000000008) have it on the same day; both are kept and marked, and one of them is wrong',
      },
    ])
    expect(await periodsOf(database, 'ACME')).toEqual([period(7, 1, null, null), period(8, 1, null, null)])
  })

  it('is refused without exchanges', async () => {
    const body = JSON.stringify({ 0: { cik_str: 7, ticker: 'ACME', title: 'Acme Inc.' } })
    await expect(run(database, MONDAY, body)).rejects.toThrow('give company_tickers_exchange.json')
  })
})
