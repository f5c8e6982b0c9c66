import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock, type IsoDate } from '../../../../src/core/time.js'
import { loadExtents } from '../../../../src/domains/datasets/extent-store.js'
import { alpacaGroup } from '../../../../src/ingest/datasets/prices/alpaca-group.js'
import { pricesSink } from '../../../../src/ingest/datasets/prices/ingestion.js'
import { tiingoGroup } from '../../../../src/ingest/datasets/prices/tiingo-group.js'
import { bindFeed, RetryLater } from '../../../../src/ingest/feed.js'
import { alpacaBars } from '../../../../src/ingest/providers/alpaca/bars.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { fetchBodyWith } from '../../../../src/ingest/run/ask-for-body.js'
import { countRows } from '../../../../src/ingest/run/count-rows.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../../src/platform/http-client/provider-addresses.js'
import { withProviderKeys } from '../../../../src/platform/http-client/provider-keys.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'
import { runGroup } from '../../../support/ingest/run-group.js'
import { samplePath } from '../../../support/samples.js'

/** Half past one in UTC, after Monday's session in New York. */
const TUESDAY = '2026-11-24T01:30:00Z'
const WEDNESDAY = '2026-11-25T01:30:00Z'

const KEYS = { ALPACA_API_KEY_ID: 'id', ALPACA_API_SECRET_KEY: 'secret', TIINGO_API_KEY: 'token' }

/** A day as Alpaca writes it, in winter. */
const bar = (date: string, close: number, more: object = {}) => ({
  ...{ t: `${date}T05:00:00Z`, o: close, h: close + 1, l: close - 1, c: close, v: 1000, n: 10, vw: close },
  ...more,
})
const page = (bars: object, token: string | null = null) => JSON.stringify({ bars, next_page_token: token })
const NO_ACTIONS = JSON.stringify({ corporate_actions: {}, next_page_token: null })

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

describe.each(availableDatabases())('prices of Alpaca on %s', (kind) => {
  let database: Database
  let url: string
  let bars: (query: URLSearchParams) => Answer
  let actions: Answer
  const asked: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const { headers: sent } = request
    const isTiingo = pathname.startsWith('/tiingo/')
    if (!isTiingo) expect([sent['apca-api-key-id'], sent['apca-api-secret-key']]).toEqual(['id', 'secret'])
    if (pathname === '/v2/stocks/bars') asked.push(searchParams)
    const tiingo: Answer = { body: pathname.includes('/nvda/') ? TIINGO_DAYS : '[]' }
    const stated = pathname === '/v2/stocks/bars' ? bars(searchParams) : actions
    const { status = 200, headers = {}, body } = isTiingo ? tiingo : stated
    response.writeHead(status, headers).end(body)
  })
  const deps = (now: string) => ({ database, clock: fixedClock(now), log: createLogger('silent') })

  beforeAll(async () => {
    database = await openTestDatabase(kind)
    const reference = findFeed('reference')
    const fetchBody = () => expect.fail('nothing is fetched')
    const first = { ...deps('2026-11-20T09:00:00Z'), fetchBody }
    await runFeed(first, reference, usualSourceOf(reference.feed))
    // A followed stock, a fund of which a list states the exchange only, and listings elsewhere, over the counter and former ones.
    await database.rows(
      `update instrument set mic = 'XXXX' where ticker not in ('NVDA', 'IVV', 'MSFT', 'AAPL')`,
    )
    await database.rows(`update instrument set mic = null, exchange = 'NYSE' where ticker = 'IVV'`)
    await database.rows(`update instrument set mic = null, exchange = 'OTC' where ticker = 'MSFT'`)
    await database.rows(`update instrument set inactive_since = '2026-01-01' where ticker = 'AAPL'`)
    await database.rows(`update asset set source = 'sec' where ticker = 'IVV'`)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  })
  beforeEach(async () => {
    asked.length = 0
    bars = () => ({ body: page({ IVV: [bar('2026-11-23', 690)], NVDA: [bar('2026-11-23', 51)] }) })
    actions = { body: NO_ACTIONS }
    const tables = ['daily_price', 'corporate_action', 'dividend', 'dataset_state', 'ingest_run'] as const
    await emptiedOfFew(database, [...tables])
  })
  afterAll(async () => {
    await database?.close()
    server.closeAllConnections()
    server.close()
  })

  const fetchBody = () => {
    const client = createHttpClient({ log: createLogger('silent'), allowPrivateAddresses: true } as never)
    return fetchBodyWith(withProviderKeys(withProviderUrls(client, { alpaca: url, tiingo: url }), KEYS))
  }
  const run = (now: string) => runGroup(alpacaGroup, { ...deps(now), fetchBody: fetchBody() })
  const prices = () =>
    database.rows(
      `select i.ticker, d.date::text, d.close::float8 as close, d.volume::float8 as volume, d.source
       from daily_price d join instrument i using (instrument_id) where d.known_to is null order by 1, 2, 5`,
    )
  const reasons = async () => {
    const rows = await database.rows(`select rejections::text || coalesce(error, '') as text from ingest_run`)
    return JSON.stringify(rows)
  }
  const IVV = { ticker: 'IVV', date: '2026-11-23', close: 690, volume: 1000, source: 'alpaca' }
  const NVDA = { ticker: 'NVDA', date: '2026-11-23', close: 51, volume: 1000, source: 'alpaca' }

  it('are requested for all active listings of the exchanges at once, from the consolidated tape up to the end of the last session', async () => {
    expect(await run(TUESDAY)).toMatchObject({ done: 2, added: 2, rejected: 0, absent: 0, failed: [] })
    expect(asked.map((query) => Object.fromEntries(query))).toEqual([
      {
        ...{ symbols: expect.stringMatching(/^(IVV,NVDA|NVDA,IVV)$/), timeframe: '1Day', sort: 'asc' },
        ...{ start: '2025-10-19T00:00:00Z', end: '2026-11-23T21:00:00.000Z' },
        ...{ limit: '10000', adjustment: 'raw', feed: 'sip' },
      },
    ])
    expect(await prices()).toEqual([IVV, NVDA])
    expect(JSON.stringify(await database.rows('select * from ingest_run'))).not.toContain('secret')
  })

  it('of a session are requested once, then from a week before the newest one, and a correction is a revision', async () => {
    await run(TUESDAY)
    await run(TUESDAY)
    expect(asked).toHaveLength(1)
    const corrected = [bar('2026-11-23', 51.5), bar('2026-11-24', 52)]
    bars = () => ({ body: page({ NVDA: corrected }) })
    expect(await run(WEDNESDAY)).toMatchObject({ added: 1, revised: 1, unchanged: 0, absent: 1 })
    expect(asked[1]?.get('start')).toBe('2026-11-16T00:00:00Z')
    expect(await prices()).toHaveLength(3)
  })

  it('are not requested for a session that has not ended for fifteen minutes', async () => {
    await run('2026-11-23T21:14:00Z')
    await run('2026-11-23T21:15:00Z')
    expect(asked.map((query) => query.get('end'))).toEqual([
      '2026-11-20T21:00:00.000Z',
      '2026-11-23T21:00:00.000Z',
    ])
  })

  it('are read from all pages before a symbol has none', async () => {
    bars = (query) =>
      query.get('page_token') === null
        ? { body: page({ IVV: [bar('2026-11-20', 689), bar('2026-11-23', 690)] }, 'TlZEQQ==') }
        : { body: page({ NVDA: [bar('2026-11-23', 51)] }) }
    expect(await run(TUESDAY)).toMatchObject({ done: 2, read: 3, added: 3, absent: 0, rejected: 0 })
    expect(asked.map((query) => query.get('page_token'))).toEqual([null, 'TlZEQQ=='])
    expect(await prices()).toHaveLength(3)
  })

  it('are of the day in New York, in summer time too', async () => {
    bars = () => ({
      body: page({
        NVDA: [
          bar('2026-06-01', 40, { t: '2026-06-01T04:00:00Z' }),
          bar('2026-06-02', 41, { t: '2026-06-02T05:00:00Z' }),
        ],
      }),
    })
    expect(await run(TUESDAY)).toMatchObject({ added: 1, rejected: 1 })
    expect(await reasons()).toContain('is not midnight in New York')
    expect(await prices()).toMatchObject([{ date: '2026-06-01' }])
  })

  it('that are unknown or were not requested are counted, and what is wrong is refused with its reason', async () => {
    const lost = { ...bar('2026-11-19', 50), c: undefined }
    bars = () => ({
      body: page({
        ACME: [bar('2026-11-23', 1)],
        NVDA: [
          bar('2026-11-16', 50, { h: 10 }),
          bar('2026-11-17', -1),
          bar('2026-11-18', 50, { v: 1.5 }),
          lost,
          bar('2026-11-20', 51),
          bar('2026-11-20', 51),
          bar('2026-11-23', 51),
          bar('2026-11-23', 52),
          bar('2026-11-24', 53),
        ],
      }),
    })
    const summary = await run(TUESDAY)
    expect(summary).toMatchObject({ read: 11, added: 1, rejected: 8, absent: 2 })
    for (const reason of [
      'was not requested',
      'is above high 10',
      'must be above zero',
      'must be a whole number of shares',
      'close \\\\\\"\\\\\\" must be a decimal',
      'appears twice with different figures',
      'date 2026-11-24 was not requested',
    ])
      expect(await reasons()).toContain(reason)
    expect(await prices()).toMatchObject([{ date: '2026-11-20', close: 51 }])
  })

  it.each([
    ['a body that is cut off', { body: page({ NVDA: [bar('2026-11-24', 52)] }).slice(0, -30) }, 'cut off'],
    ['a body without the token of its next page', { body: '{"bars":{}}' }, 'next_page_token is missing'],
    ['a page with status 200', { body: '<!doctype html><title>Sorry</title>' }, 'not JSON'],
    ['a message with status 200', { body: '{"message":"internal error"}' }, 'internal error'],
    [
      'an unknown key',
      { status: 401, body: '{"message":"unauthorized."}' },
      'status 401: Alpaca refuses the key',
    ],
    [
      'the plan of the key',
      { status: 403, body: '{"message":"subscription does not permit querying recent SIP data"}' },
      'status 403: Alpaca says that the plan',
    ],
  ] satisfies [string, Answer, string][])('stay when %s is refused', async (_, answer, reason) => {
    await run(TUESDAY)
    bars = () => answer
    const summary = await run(WEDNESDAY)
    expect(summary).toMatchObject({ added: 0, revised: 0 })
    expect(summary.failed.map((one) => one.reason)).toEqual([expect.stringContaining(reason)])
    expect(await prices()).toEqual([IVV, NVDA])
  })

  it('end with a request to wait at status 429', async () => {
    bars = () => ({
      status: 429,
      headers: { 'retry-after': '3600' },
      body: '{"message":"too many requests."}',
    })
    const error = await run(TUESDAY).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RetryLater)
    expect(error).toMatchObject({ retryAfterMs: 3_600_000 })
    expect(asked).toHaveLength(1)
  })

  it('come with the splits of their listings, and no others', async () => {
    const split = (symbol: string, new_rate: number, old_rate: number, ex_date = '2026-11-20') => ({
      ...{ symbol, new_rate, old_rate, ex_date },
    })
    actions = {
      body: JSON.stringify({
        corporate_actions: {
          forward_splits: [split('NVDA', 4, 1), split('ACME', 2, 1), split('IVV', 1, 0), split('IVV', 3, 3)],
          reverse_splits: [split('IVV', 1, 3)],
          cash_dividends: [{ symbol: 'NVDA', rate: 0.25 }],
        },
        next_page_token: null,
      }),
    }
    expect(await run(TUESDAY)).toMatchObject({ added: 4, rejected: 2, absent: 2 })
    const stored = await database.rows(
      `select i.ticker, a.action_type::text as kind, a.ratio::float8 as ratio, a.source
       from corporate_action a join instrument i using (asset_id) order by 1`,
    )
    expect(stored).toEqual([
      { ticker: 'IVV', kind: 'reverse_split', ratio: 1 / 3, source: 'alpaca' },
      { ticker: 'NVDA', kind: 'split', ratio: 4, source: 'alpaca' },
    ])
    expect(await reasons()).toContain('new_rate equals old_rate')
  })

  it('stand beside those of Tiingo, and a close that differs by more than 0.5 % is a finding', async () => {
    bars = () => ({ body: page({ NVDA: [bar('2026-11-20', 50.2), bar('2026-11-23', 51.4)] }) })
    await run(TUESDAY)
    await runGroup(tiingoGroup, { ...deps(TUESDAY), fetchBody: fetchBody() })
    expect((await prices()).map((row) => (row as { source: string }).source)).toEqual([
      ...['alpaca', 'tiingo', 'alpaca', 'tiingo'],
    ])
    await countRows(database, new Date(TUESDAY), {
      error: (facts: object) => expect.fail(JSON.stringify(facts)),
    })
    expect((await loadExtents(database)).get('prices')).toMatchObject({
      findings: [
        { subject: 'NVDA (XNAS)', date: '2026-11-23', sources: ['tiingo', 'alpaca'], difference: 0.007843 },
      ],
      findingsTotal: 1,
    })
  })

  const recorded = ['get_bars', 'get_bars_desc', 'multisymbol_get_bars', 'get_bars_multi_empty_response'].map(
    (name) => samplePath(`alpaca/${name}.json`),
  )
  it.skipIf(recorded.includes(null))(
    'are read from recorded bodies (skipped without the samples)',
    async () => {
      const pages = recorded.map((path) => readFileSync(path ?? '', 'utf8'))
      bars = () => ({ body: pages.shift() ?? expect.fail('the last page names another one') })
      const listed = await database.rows<{ readonly ticker: string; readonly id: number }>(
        `select ticker, instrument_id as id from instrument where ticker in ('NVDA', 'IVV') order by 1`,
      )
      const listings = listed.map(({ id }, at) => ({ instrumentId: id, ticker: ['AAPL', 'TSLA'][at] ?? '' }))
      const to = '2023-12-29' as IsoDate // safe: a calendar day
      const range = { from: '2022-01-03' as IsoDate, to, end: new Date('2023-12-29T21:00:00Z') }
      const bound = bindFeed(alpacaBars({ listings, ...range }), pricesSink)
      const summary = await runFeed({ ...deps(TUESDAY), fetchBody: fetchBody() }, bound, { kind: 'live' })
      expect(summary).toMatchObject({ read: 7, added: 7, rejected: 0, absent: 0 })
      expect(pages).toHaveLength(1) // the third page is the last one
      expect(await prices()).toMatchObject([
        { ticker: 'IVV', date: '2022-02-01', close: 174.61, volume: 85_998_033 },
        { ticker: 'IVV', date: '2022-02-02', close: 175.84, volume: 84_817_432 },
        { ticker: 'IVV', date: '2022-03-09', close: 162.95, volume: 88_496_480 },
        { ticker: 'NVDA', date: '2022-03-09', close: 858.97, volume: 19_227_323 },
        { ticker: 'NVDA', date: '2023-09-25', close: 246.99, volume: 104_668_716 },
        { ticker: 'NVDA', date: '2023-09-26', close: 244.12, volume: 102_033_779 },
        { ticker: 'NVDA', date: '2023-09-27', close: 240.5, volume: 136_616_287 },
      ])
      bars = () => ({ body: pages.shift() ?? '' })
      const empty = await runFeed({ ...deps(TUESDAY), fetchBody: fetchBody() }, bound, { kind: 'live' })
      expect(empty).toMatchObject({ read: 2, added: 0, absent: 2 })
      expect(await prices()).toHaveLength(7)
    },
  )
})

/** The same days as Tiingo writes them; the second close differs by 0.8 %. */
const TIINGO_DAYS = JSON.stringify(
  [
    ['2026-11-20', 50],
    ['2026-11-23', 51],
  ].map(([date, close]) => ({
    date: `${date}T00:00:00.000Z`,
    close,
    volume: 1000,
    divCash: 0,
    splitFactor: 1,
  })),
)
