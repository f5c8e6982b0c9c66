import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { tiingoGroup } from '../../../../src/ingest/datasets/prices/tiingo-group.js'
import { RetryLater } from '../../../../src/ingest/feed.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { fetchBodyWith } from '../../../../src/ingest/run/ask-for-body.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../../src/platform/http-client/provider-addresses.js'
import { withProviderKeys } from '../../../../src/platform/http-client/provider-keys.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'
import { runGroup, runOperatorFile } from '../../../support/ingest/run-group.js'
import { samplePath } from '../../../support/samples.js'

const TUESDAY = '2026-11-24T02:00:00Z'
const WEDNESDAY = '2026-11-25T02:00:00Z'

/** A day as Tiingo writes it. */
const dayOf = (date: string, close: number, more: object = {}) => ({
  date: `${date}T00:00:00.000Z`,
  ...{ close, high: close + 1, low: close - 1, open: close, volume: 1000 },
  ...{
    adjClose: close,
    adjHigh: close,
    adjLow: close,
    adjOpen: close,
    adjVolume: 1000,
    divCash: 0.0,
    splitFactor: 1.0,
  },
  ...more,
})
const DAYS = [
  dayOf('2026-11-19', 200),
  dayOf('2026-11-20', 50, { splitFactor: 4.0 }),
  dayOf('2026-11-23', 51, { divCash: 0.25 }),
]

describe.each(availableDatabases())('prices of Tiingo on %s', (kind) => {
  let database: Database
  let url: string
  let answer: (ticker: string) => { readonly status?: number; readonly body: string }
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.headers.authorization} ${request.url}`)
    const { status = 200, body } = answer(/daily\/([^/]+)\//.exec(request.url ?? '')?.[1] ?? '')
    response.writeHead(status).end(body)
  })
  const deps = (now: string) => ({ database, clock: fixedClock(now), log: createLogger('silent') })
  const fileDeps = (now: string) => ({ ...deps(now), fetchBody: () => expect.fail('nothing is fetched') })
  const bytesOf = (...lines: readonly string[]) =>
    ({ kind: 'bytes', bytes: new TextEncoder().encode(`${lines.join('\n')}\n`), origin: 'test' }) as const

  beforeAll(async () => {
    database = await openTestDatabase(kind)
    const reference = findFeed('reference')
    await runFeed(fileDeps('2026-11-20T09:00:00Z'), reference, usualSourceOf(reference.feed))
    // Three listings are enough: two in the United States and one elsewhere.
    await database.rows(`update instrument set mic = 'XXXX' where ticker not in ('NVDA', 'IVV', 'SAP')`)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  })
  beforeEach(async () => {
    asked.length = 0
    answer = (ticker) => ({ body: JSON.stringify(ticker === 'nvda' ? DAYS : [dayOf('2026-11-23', 690)]) })
    await emptiedOfFew(database, [
      'daily_price',
      'corporate_action',
      'dividend',
      'dataset_state',
      'ingest_run',
    ])
  })
  afterAll(async () => {
    await database?.close()
    server.closeAllConnections()
    server.close()
  })

  const run = (now: string) => {
    const log = createLogger('silent')
    const client = createHttpClient({ log, allowPrivateAddresses: true } as never)
    const http = withProviderKeys(withProviderUrls(client, { tiingo: url }), { TIINGO_API_KEY: 'secret' })
    return runGroup(tiingoGroup, { ...deps(now), fetchBody: fetchBodyWith(http) })
  }
  const prices = () =>
    database.rows(
      `select i.ticker, d.date::text, d.close::float8 as close, d.volume::float8 as volume, d.source
       from daily_price d join instrument i using (instrument_id) where d.known_to is null order by 1, 2`,
    )
  const events = () =>
    database.rows(
      `select action_type::text as kind, ex_date::text as day, ratio::float8 as figure, source from corporate_action
       where known_to is null
       union all select frequency::text, ex_date::text, amount::float8, source from dividend where known_to is null
       order by day, kind`,
    )

  it('are stored with splits and dividends, from one request per listing of the United States', async () => {
    const summary = await run(TUESDAY)
    expect(summary).toMatchObject({ done: 6, added: 6, rejected: 0, failed: [] })
    expect(asked.toSorted()).toEqual([
      'Token secret /tiingo/daily/ivv/prices?startDate=2000-01-01&format=json',
      'Token secret /tiingo/daily/nvda/prices?startDate=2000-01-01&format=json',
    ])
    expect(await prices()).toEqual([
      { ticker: 'IVV', date: '2026-11-23', close: 690, volume: 1000, source: 'tiingo' },
      { ticker: 'NVDA', date: '2026-11-19', close: 200, volume: 1000, source: 'tiingo' },
      { ticker: 'NVDA', date: '2026-11-20', close: 50, volume: 1000, source: 'tiingo' },
      { ticker: 'NVDA', date: '2026-11-23', close: 51, volume: 1000, source: 'tiingo' },
    ])
    expect(await events()).toEqual([
      { kind: 'split', day: '2026-11-20', figure: 4, source: 'tiingo' },
      { kind: 'unspecified', day: '2026-11-23', figure: 0.25, source: 'tiingo' },
    ])
    const ledger = await database.rows(`select distinct origin from ingest_run where origin like '%nvda%'`)
    expect(JSON.stringify(ledger)).not.toContain('secret')
  })

  it('are requested again from thirty days before the newest one, and a correction is a revision', async () => {
    await run(TUESDAY)
    asked.length = 0
    await run(TUESDAY)
    expect(asked).toEqual([]) // Monday's prices are stored
    const corrected = [
      ...DAYS.slice(0, 2),
      dayOf('2026-11-23', 51.5, { divCash: 0.25 }),
      dayOf('2026-11-24', 52),
    ]
    answer = (ticker) => ({ body: JSON.stringify(ticker === 'nvda' ? corrected : []) })
    expect(await run(WEDNESDAY)).toMatchObject({ added: 1, revised: 1, rejected: 0 })
    expect(asked.map((line) => line.split('startDate=')[1])).toEqual([
      '2026-10-24&format=json',
      '2026-10-24&format=json',
    ])
  })

  it('stay if a later body lacks them or is cut off, and the rest of the body counts', async () => {
    await run(TUESDAY)
    const cut = JSON.stringify([dayOf('2026-11-24', 52), dayOf('2026-11-25', 53)]).slice(0, -40)
    answer = (ticker) => ({ body: ticker === 'nvda' ? cut : '[]' })
    const summary = await run(WEDNESDAY)
    expect(summary).toMatchObject({ added: 1, revised: 0 })
    expect(summary.rejected).toBeGreaterThan(0)
    expect((await prices()).length).toBe(5)
    expect((await events()).length).toBe(2)
  })

  it('are refused cell by cell with the reason, and the other days count', async () => {
    answer = (ticker) => ({
      body: JSON.stringify(
        ticker === 'nvda'
          ? [
              dayOf('2026-11-18', 199, { high: 100 }),
              dayOf('2026-11-19', 200, { splitFactor: 0 }),
              dayOf('2026-11-20', -1),
              dayOf('2026-12-24', 50),
              dayOf('2026-11-23', 51, { volume: null }),
              dayOf('2026-11-23', 52),
            ]
          : [],
      ),
    })
    await run(TUESDAY)
    const [ledger] = await database.rows<{ reasons: string }>(
      `select rejections::text as reasons from ingest_run where feed = 'tiingo-prices' and rejected > 0`,
    )
    for (const reason of [
      'close 199 is above high 100',
      'close \\"-1\\" must be above zero',
      'date 2026-12-24 is in the future',
      'date 2026-11-23 appears twice',
    ])
      expect(ledger?.reasons).toContain(reason)
    expect(await prices()).toEqual([
      { ticker: 'NVDA', date: '2026-11-19', close: 200, volume: 1000, source: 'tiingo' },
      { ticker: 'NVDA', date: '2026-11-23', close: 51, volume: null, source: 'tiingo' },
    ])
    expect(await events()).toEqual([])
  })

  it("never replace what the operator's files state, and do not repeat a dividend", async () => {
    const at = '2026-11-23T12:00:00Z'
    await runOperatorFile(
      'prices',
      fileDeps(at),
      bytesOf('ticker,mic,date,close,currency', 'NVDA,XNAS,2026-11-20,49.5,USD'),
    )
    await runOperatorFile(
      'corporate-actions',
      fileDeps(at),
      bytesOf('ticker,action_type,ex_date,ratio,description', 'NVDA,split,2026-11-20,4,Ours'),
    )
    await runOperatorFile(
      'dividends',
      fileDeps(at),
      bytesOf('ticker,ex_date,amount,currency,frequency', 'NVDA,2026-11-23,0.25,USD,quarterly'),
    )
    expect(await run(TUESDAY)).toMatchObject({ revised: 0 })
    expect(await prices()).toContainEqual({
      ...{ ticker: 'NVDA', date: '2026-11-20', close: 49.5, volume: null, source: 'operator' },
    })
    expect((await events()).map((event) => (event as { source: string }).source)).toEqual([
      'operator',
      'operator',
    ])
  })

  it('end with a request to wait when Tiingo says in words that a limit is used up, and continue where they ended', async () => {
    answer = (ticker) =>
      ticker === 'nvda'
        ? { body: JSON.stringify(DAYS) }
        : {
            body: 'You have run over your 50 requests for this hour. Please upgrade to have your limits increased.',
          }
    const error = await run(TUESDAY).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RetryLater)
    expect(error).toMatchObject({ retryAfterMs: 3_600_000 })
    asked.length = 0
    await run(TUESDAY).catch((reason: unknown) => reason)
    expect(asked.every((line) => line.includes('/ivv/'))).toBe(true)
  })

  it('of one listing that Tiingo does not know do not stop the others', async () => {
    answer = (ticker) =>
      ticker === 'ivv' ? { status: 404, body: '{"detail":"Not found."}' } : { body: JSON.stringify(DAYS) }
    const summary = await run(TUESDAY)
    expect(summary.failed.map(({ name }) => name)).toEqual([
      'IVV (prices)',
      'IVV (corporate_actions)',
      'IVV (dividends)',
    ])
    expect((await prices()).length).toBe(3)
  })

  const recorded = samplePath('prices/tiingo_ticker_price_with_date.json')
  it.skipIf(recorded === null)('are read from a recorded body (skipped without the sample)', async () => {
    answer = (ticker) => ({ body: ticker === 'nvda' ? readFileSync(recorded ?? '', 'utf8') : '[]' })
    expect(await run(TUESDAY)).toMatchObject({ added: 2, rejected: 0 })
    expect(await prices()).toMatchObject([
      { date: '2015-01-02', close: 529.55, volume: 1_327_870 },
      { date: '2015-01-05', close: 519.46, volume: 2_059_119 },
    ])
  })
})
