import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { figiSymbolsGroup } from '../../../../src/ingest/datasets/instruments/figi-symbols-group.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { fetchBodyWith } from '../../../../src/ingest/run/ask-for-body.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startTestApp } from '../../../support/app/app.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { keptTables } from '../../../support/database/kept-tables.js'
import { runGroup } from '../../../support/ingest/run-group.js'
import { OpenFigiStage, sends } from '../../providers/openfigi/stage.js'

/** NVIDIA's composite in the United States. */
const NVIDIA = 'BBG000BBJQV0'
const [SATURDAY, NEXT, THIRD, FOURTH] = ['2026-10-31', '2026-11-07', '2026-11-14', '2026-11-21'] as const

const log = createLogger('silent')
const deps = (database: Database, day: string) => ({
  database,
  clock: fixedClock(new Date(`${day}T11:20:00Z`)),
  log,
  fetchBody: () => expect.fail('nothing is fetched'),
})

const answer = (ticker: string, figi = NVIDIA) => ({
  data: [{ figi, ticker, name: 'NVIDIA CORP', exchCode: 'US' }],
})

const run = (database: Database, day: string, ...results: readonly object[]) =>
  runFeed(deps(database, day), findFeed('figi-symbols'), {
    kind: 'bytes',
    bytes: new TextEncoder().encode(JSON.stringify(results)),
    origin: 'test',
  })

const periodsOf = (database: Database, figi = NVIDIA) =>
  database.rows(
    `select ticker, occurrence, valid_from as begin, valid_to as ended from figi_symbol
     where figi = $1 and known_to is null order by valid_from nulls first`,
    [figi],
  )

const period = (ticker: string, occurrence: number, begin: string | null, ended: string | null) => ({
  ticker,
  occurrence,
  begin,
  ended,
})

describe.each(availableDatabases())('the weekly tickers of FIGIs on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    const tables = [
      'asset',
      'instrument',
      'instrument_identifier',
      'asset_version',
      'asset_contract',
      'venue_symbol',
    ]
    restore = keptTables(database, [...tables, 'figi_symbol', 'ingest_run', 'dataset_state'], async () => {
      const feed = findFeed('reference')
      await runFeed(deps(database, '2026-10-02'), feed, usualSourceOf(feed.feed))
    })
  })
  beforeEach(() => restore())
  afterAll(() => database?.close())

  it('begin with the first answer, stay, and change with the first answer of another ticker', async () => {
    expect(await run(database, SATURDAY, answer('NVDA'))).toMatchObject({ added: 1, alsoChanged: 0 })
    expect(await run(database, NEXT, answer('NVDA'))).toMatchObject({
      added: 0,
      unchanged: 1,
      alsoChanged: 0,
    })
    expect(await periodsOf(database)).toEqual([period('NVDA', 1, null, null)])
    expect(await run(database, THIRD, answer('NVX'))).toMatchObject({ added: 1, alsoChanged: 1 })
    expect(await periodsOf(database)).toEqual([period('NVDA', 1, null, THIRD), period('NVX', 1, THIRD, null)])
    await run(database, FOURTH, answer('NVDA'))
    expect(await periodsOf(database)).toEqual([
      period('NVDA', 1, null, THIRD),
      period('NVX', 1, THIRD, FOURTH),
      period('NVDA', 2, FOURTH, null),
    ])
  })

  it('take the later one of two answers of a day', async () => {
    await run(database, SATURDAY, answer('NVDA'))
    await run(database, NEXT, answer('NVX'))
    expect(await run(database, NEXT, answer('NVY'))).toMatchObject({ added: 1, alsoChanged: 1 })
    expect(await periodsOf(database)).toEqual([period('NVDA', 1, null, NEXT), period('NVY', 1, NEXT, null)])
    await run(database, NEXT, answer('NVDA'))
    expect(await periodsOf(database)).toEqual([period('NVDA', 1, null, null)])
  })

  it('end nothing without an answer, and refuse what is not a ticker or contradicts itself', async () => {
    await run(database, SATURDAY, answer('NVDA'), answer('AAPL', 'BBG000B9XRY4'))
    const summary = await run(
      database,
      NEXT,
      answer('MSFT', 'BBG000BPH459'),
      { warning: 'No identifier found.' },
      { error: 'Invalid idValue format.' },
      answer('no ticker'),
      answer('AAPL', 'BBG000B9XRY5'),
      { data: [...answer('IBM', 'BBG000BLNNH6').data, ...answer('IBM', 'BBG000BLNNH6').data] },
      { data: [...answer('APL', 'BBG000B9XRY4').data, ...answer('APX', 'BBG000B9XRY4').data] },
    )
    expect(summary).toMatchObject({ added: 2, revised: 0, unchanged: 0, absent: 2, rejected: 5 })
    expect(await periodsOf(database)).toEqual([period('NVDA', 1, null, null)])
    expect(await periodsOf(database, 'BBG000B9XRY4')).toEqual([period('AAPL', 1, null, null)])
    await expect(run(database, NEXT)).rejects.toThrow(BrokenBody)
  })

  it('write BRK/B as BRK.B', async () => {
    await run(database, SATURDAY, answer('BRK/B'))
    expect(await periodsOf(database)).toEqual([period('BRK.B', 1, null, null)])
  })

  it('complete the timeline of a ticker, and show the new one with the asset that has the FIGI', async () => {
    await run(database, SATURDAY, answer('NVDA'))
    await run(database, NEXT, answer('NVX'))
    const app = await startTestApp(kind, { database, env: { CACHE_BYTES: '0' } })
    const key = await app.newKey({ tier: 'starter' })
    const periods = async (path: string) => {
      const { body } = await app.rest<{ data: readonly Record<string, unknown>[] }>(`/v1/symbols/${path}`, {
        key,
      })
      return body.data.map(
        ({ slug, figi, valid_from, valid_to, successor, is_observed, is_contradicted, source }) => [
          ...[slug, figi, valid_from, valid_to, successor, is_observed, is_contradicted, source],
        ],
      )
    }
    expect(await periods('NVDA')).toEqual([['nvidia', NVIDIA, null, NEXT, 'NVX', true, false, 'openfigi']])
    expect(await periods('NVX')).toEqual([['nvidia', NVIDIA, NEXT, null, null, true, false, 'openfigi']])
    expect(await periods(`NVDA?as_of=2026-11-01T00:00:00Z`)).toEqual([
      ['nvidia', NVIDIA, null, null, null, false, false, 'reference'],
    ])
    await app.close()
  })

  it.each([
    ['ten with a request', null, 10],
    ['a hundred with the key of the operator', 'a-key', 100],
  ])('are requested for all stocks and ETFs, %s', async (_, apiKey, most) => {
    const stage = new OpenFigiStage()
    await stage.open()
    stage.answer({ [NVIDIA]: answer('NVDA').data })
    const settings = { openFigiKey: apiKey }
    const world = { ...deps(database, SATURDAY), fetchBody: fetchBodyWith(stage.client()), settings }
    const summary = await runGroup(figiSymbolsGroup, world)
    const sizes = stage.jobs.map(({ length }) => length)
    const figis = new Set(stage.identifiers)
    expect(new Set(stage.jobs.flat().map(({ idType }) => idType))).toEqual(new Set(['ID_BB_GLOBAL']))
    expect(
      stage.asked.every(
        ({ method, url: path, key }) => `${method} ${path} ${key ?? null}` === `POST /v3/mapping ${apiKey}`,
      ),
    ).toBe(true)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(most)
    expect(sizes.slice(0, -1).every((size) => size === most)).toBe(true)
    expect(
      await database.rows(`select count(distinct figi)::int as count from instrument join asset using (asset_id)
      where asset_class in ('stock', 'etf')`),
    ).toEqual([{ count: figis.size }])
    expect(summary).toMatchObject({
      done: sizes.length,
      added: 1,
      absent: figis.size - 1,
      rejected: 0,
      failed: [],
    })
    expect(await periodsOf(database)).toEqual([period('NVDA', 1, null, null)])
    stage.play(sends([answer('NVDA')]))
    const short = await runGroup(figiSymbolsGroup, world)
    expect(short).toMatchObject({ done: 0, added: 0 })
    expect(short.failed[0]?.reason).toMatch(/^1 results were sent for \d+ identifiers$/)
    await stage.close()
  })
})
