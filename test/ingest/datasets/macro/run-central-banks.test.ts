import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { macroSink } from '../../../../src/ingest/datasets/macro/ingestion.js'
import { bindFeed, IngestError, type RetryLater } from '../../../../src/ingest/feed.js'
import { bojFeed } from '../../../../src/ingest/providers/boj/boj.js'
import { BOJ_SERIES } from '../../../../src/ingest/providers/boj/series-list.js'
import { bokFeed } from '../../../../src/ingest/providers/bok/bok.js'
import { BOK_SERIES } from '../../../../src/ingest/providers/bok/series-list.js'
import { fetchBodyWith } from '../../../../src/ingest/run/ask-for-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../../src/platform/http-client/provider-addresses.js'
import { withProviderKeys } from '../../../../src/platform/http-client/provider-keys.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { quickestDatabase } from '../../../support/database/database.js'
import { samplePath } from '../../../support/samples.js'

/** Not alike any key: a word that no rule would hide. */
const KEY = 'plainwordkey'

const boj = bindFeed({ ...bojFeed }, macroSink('boj'))
const bok = bindFeed({ ...bokFeed }, macroSink('bok'))

/** A current row of a day: its period, and since when it is known. */
const dayOf = (date: string) => ({
  period_start: date,
  period_end: date,
  known_from: expect.stringMatching(/^2026-11-20T12:/),
  known_to: null,
  note: null,
})

describe('series of central banks from their addresses', () => {
  let app: TestApp
  let key: string
  let url: string
  let answer: (path: URL) => { readonly status?: number; readonly body: string }
  const asked: URL[] = []
  const logged: string[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://played')
    asked.push(path)
    const { status = 200, body } = answer(path)
    response.writeHead(status).end(body)
  })
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'starter' })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on TCP
    url = `http://127.0.0.1:${port}`
  })
  beforeEach(() => {
    asked.length = 0
    logged.length = 0
  })
  afterAll(async () => {
    await app?.close()
    server.closeAllConnections()
    server.close()
  })

  const run = (bound: typeof boj) => {
    const { database, clock } = app
    const note = (...facts: readonly unknown[]) => void logged.push(JSON.stringify(facts))
    const log = { debug: note, warn: note, info: note, error: note } as unknown as ReturnType<
      typeof createLogger
    > // pino's overloads
    const client = withProviderKeys(createHttpClient({ log, userAgent: 'test' }), { BOK_API_KEY: KEY })
    const http = withProviderUrls(client, { boj: `${url}/boj`, bok: `${url}/bok` })
    const deps = { database, clock, log, fetchBody: fetchBodyWith(http) }
    return runFeed(deps, bound, { kind: 'live' })
  }
  const values = async (path: string) => {
    app.clock.advance(1_000) // versions are read again every half second
    const { body } = await app.rest<{ data: { observation_date: string; value: number }[]; meta: object }>(
      path,
      { key },
    )
    return body
  }

  /** Each series of the request has a page of its own. */
  const japan = (path: URL, dates: readonly string[], value: number) => {
    const codes = path.searchParams.get('code')?.split(',') ?? []
    const at = Number(path.searchParams.get('startPosition') ?? 1)
    const db = path.searchParams.get('db')
    const listed = BOJ_SERIES.find(({ dataset, seriesKey }) => dataset === db && seriesKey === codes[at - 1])
    const spelled = listed?.frequency === 'daily' ? dates.map((date) => `${date}05`) : dates
    const series = {
      SERIES_CODE: listed?.seriesKey,
      NAME_OF_TIME_SERIES: listed?.description,
      UNIT: listed?.unit,
      FREQUENCY: listed?.frequency.toUpperCase(),
      VALUES: { SURVEY_DATES: spelled.map(Number), VALUES: spelled.map((_, place) => value + place) },
    }
    const next = at < codes.length ? at + 1 : null
    const parameter = { DB: db, STARTDATE: '', ENDDATE: '' }
    return JSON.stringify({ STATUS: 200, PARAMETER: parameter, NEXTPOSITION: next, RESULTSET: [series] })
  }

  it('of Japan come page by page, replace the synthetic ones, and change nothing the second time', async () => {
    answer = (path) => ({ body: japan(path, ['202601', '202602', '202603'], 100) })
    const first = await run(boj)
    expect(first).toMatchObject({ added: 36, rejected: 0 })
    expect(first.removedSeed).toBeGreaterThan(1_000)
    expect(asked).toHaveLength(BOJ_SERIES.length)
    expect(asked.every(({ pathname }) => pathname === '/boj/api/v1/getDataCode')).toBe(true)
    expect(await run(boj)).toMatchObject({ added: 0, revised: 0, unchanged: 36, rejected: 0 })
    expect(await values('/v1/macro/japan/BOJ_FM08_FXERM07')).toMatchObject({
      data: [
        { observation_date: '2026-01-01', value: 100 },
        { observation_date: '2026-02-01', value: 101 },
        { observation_date: '2026-03-01', value: 102 },
      ],
      meta: { source: 'boj', is_dev_dataset: false, license: expect.stringContaining('Bank of Japan') },
    })
  })

  it('of Japan lose what the Bank no longer lists, and keep that it was known', async () => {
    const before = app.clock.now().toISOString()
    app.clock.advance(60_000)
    answer = (path) => ({ body: japan(path, ['202601', '202602'], 100) })
    expect(await run(boj)).toMatchObject({ added: 0, revised: 0, unchanged: 24, alsoChanged: 12 })
    const path = '/v1/macro/japan/BOJ_FM08_FXERD04'
    expect((await values(path)).data.map(({ value }) => value)).toEqual([100, 101])
    expect((await values(`${path}?as_of=${before}`)).data.map(({ value }) => value)).toEqual([100, 101, 102])
  })

  it('of Japan stay unchanged if any page is broken', async () => {
    answer = (path) =>
      path.searchParams.get('db') === 'PR01' ? { body: '<html>' } : { body: japan(path, ['202601'], 7) }
    await expect(run(boj)).rejects.toThrow('the body is HTML or XML, not JSON')
    expect((await values('/v1/macro/japan/BOJ_FM08_FXERD04')).data.map(({ value }) => value)).toEqual([
      100, 101,
    ])
    answer = () => ({ body: '{"STATUS":400,"MESSAGEID":"M181013E","MESSAGE":"Code"}' })
    await expect(run(boj)).rejects.toThrow('"M181013E"')
    answer = (path) => ({
      body: japan(path, ['202601'], 7).replace(/"NEXTPOSITION":\w+/, '"NEXTPOSITION":1'),
    })
    await expect(run(boj)).rejects.toThrow('NEXTPOSITION 1 does not follow the page that begins at 1')
  })

  it('of Japan are served without a frequency if the contract has no name for it', async () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify({
        STATUS: 200,
        PARAMETER: { DB: 'MD11', STARTDATE: '', ENDDATE: '' },
        NEXTPOSITION: null,
        RESULTSET: [
          {
            SERIES_CODE: 'WEEKS',
            UNIT: '%',
            FREQUENCY: 'WEEKLY(MONDAY)',
            VALUES: { SURVEY_DATES: [20260105, 20260112], VALUES: [1, 2] },
          },
          {
            SERIES_CODE: 'HALVES',
            UNIT: '%',
            FREQUENCY: 'SEMIANNUAL',
            VALUES: { SURVEY_DATES: [202501, 202502], VALUES: [3, 4] },
          },
        ],
      }),
    )
    const { database, clock } = app
    const fetchBody = () => Promise.reject(new IngestError('nothing is asked'))
    const deps = { database, clock, log: createLogger('silent'), fetchBody }
    const given = { kind: 'bytes', bytes, origin: 'weeks.json' } as const
    expect(await runFeed(deps, boj, given)).toMatchObject({ added: 4, rejected: 0 })
    expect((await values('/v1/macro/japan/BOJ_MD11_WEEKS')).data).toMatchObject([
      { observation_date: '2026-01-05', value: 1, frequency: null },
      { observation_date: '2026-01-12', value: 2, frequency: null },
    ])
    expect((await values('/v1/macro/japan/BOJ_MD11_HALVES')).data).toMatchObject([
      { observation_date: '2025-01-01', value: 3, frequency: null },
      { observation_date: '2025-07-01', value: 4, frequency: null },
    ])
    const document =
      '{ boj_series(series_id: "BOJ_MD11_HALVES") { series { frequency observations { period } } } }'
    const { body } = await app.graphql<{ boj_series: object }>(document, { key })
    expect(body.data?.boj_series).toEqual({
      series: { frequency: 'semi_annual', observations: [{ period: '2025-S1' }, { period: '2025-S2' }] },
    })
  })

  it('of Japan fail if every page names one more', async () => {
    answer = (path) => {
      const next = Number(path.searchParams.get('startPosition') ?? 1) + 1
      return { body: `{"STATUS":200,"PARAMETER":{"DB":"BS01"},"NEXTPOSITION":${next},"RESULTSET":[]}` }
    }
    await expect(run(boj)).rejects.toThrow('the body has more than 500 pages')
    expect(asked).toHaveLength(500)
  }, 60_000)

  it('of Korea come window by window with the key in the path, which is never shown', async () => {
    const row = (parts: readonly string[], time: string, value: string) => ({
      STAT_CODE: parts[8],
      ITEM_CODE1: parts[12],
      TIME: time,
      DATA_VALUE: value,
    })
    const times: Record<string, string> = { D: '20260105', M: '202601', Q: '2026Q1', A: '2025' }
    answer = ({ pathname }) => {
      const parts = pathname.split('/').slice(1)
      const time = times[parts[9] ?? ''] ?? ''
      if (parts[8] !== '722Y001')
        return {
          body: JSON.stringify({
            StatisticSearch: { list_total_count: 1, row: [row(parts, time, '1,234.5')] },
          }),
        }
      const isFirst = parts[6] === '1'
      const found = [row(parts, isFirst ? '20260105' : '20260106', isFirst ? '2.5' : '2.75')]
      return { body: JSON.stringify({ StatisticSearch: { list_total_count: 10_001, row: found } }) }
    }
    expect(await run(bok)).toMatchObject({
      added: BOK_SERIES.length + 1,
      rejections: [{ reason: '2 rows came, but 10001 were announced' }],
    })
    expect(asked).toHaveLength(BOK_SERIES.length + 1)
    expect(asked[0]?.pathname).toMatch(
      new RegExp(`^/bok/api/StatisticSearch/${KEY}/json/kr/1/10000/722Y001/D/`),
    )
    expect(asked[1]?.pathname).toContain('/json/kr/10001/20000/722Y001/D/')
    expect((await values('/v1/macro/kr/BOK_722Y001_0101000_D')).data).toEqual([
      { observation_date: '2026-01-05', value: 2.5, unit: '% per year', ...dayOf('2026-01-05') },
      { observation_date: '2026-01-06', value: 2.75, unit: '% per year', ...dayOf('2026-01-06') },
    ])
    expect((await values('/v1/macro/kr/BOK_200Y101_10101_A')).data).toMatchObject([{ value: 1234.5 }])
    const runs = await app.database.rows(`select * from ingest_run where feed = 'bok'`)
    expect(JSON.stringify(runs)).toContain('BOK_API_KEY')
    expect(JSON.stringify(runs) + logged.join('')).not.toContain(KEY)
  })

  it('of Korea do not show the key in an error either', async () => {
    const failures = [
      { status: 500, body: 'x' },
      { status: 403, body: 'x' },
      { body: '{"RESULT":{"CODE":"INFO-100","MESSAGE":"no"}}' },
      { body: '{"RESULT":{"CODE":"ERROR-602","MESSAGE":"later"}}' },
    ]
    for (const failure of failures) {
      answer = () => failure
      const error = await run(bok).then(
        () => null,
        (reason: IngestError | RetryLater) => reason,
      )
      expect(error).toBeInstanceOf(IngestError)
      expect(`${error?.message} ${error?.cause} ${error?.stack} ${logged.join('')}`).not.toContain(KEY)
    }
    expect((await values('/v1/macro/kr/BOK_722Y001_0101000_D')).data).toHaveLength(2)
  }, 30_000)

  it.skipIf(samplePath('bok/krw_per_usd_daily.csv') === null)(
    'of Korea come whole from a file, and again change nothing (skipped without its sample)',
    async () => {
      const { database, clock } = app
      const fetchBody = () => expect.fail('nothing is fetched')
      const deps = { database, clock, log: createLogger('silent'), fetchBody }
      const ingest = () =>
        runFeed(deps, bok, { kind: 'file', path: samplePath('bok/krw_per_usd_daily.csv') ?? '' })
      const summary = await ingest()
      expect(summary).toMatchObject({ added: 16_751, revised: 0, rejected: 0 })
      process.stdout.write(
        `KRW per USD: ${summary.rows} rows in ${(summary.durationMs / 1000).toFixed(1)} s\n`,
      )
      expect(await ingest()).toMatchObject({ added: 0, revised: 0, unchanged: 16_751 })
      const path = '/v1/macro/kr/BOK_731Y001_0000001_D'
      const { data, meta } = await values(`${path}?limit=1`)
      // One more came from the address before.
      expect([data[0], meta]).toMatchObject([
        { observation_date: '1964-05-04', value: 255.77 },
        { total: 16_752 },
      ])
      expect((await values(`${path}?start_date=2023-08-08&end_date=2023-12-31`)).data).toEqual([
        { observation_date: '2023-08-08', value: 1304.1, unit: 'KRW per USD', ...dayOf('2023-08-08') },
      ])
    },
    60_000,
  )
})
