import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { macroSink } from '../../../../src/ingest/datasets/macro/ingestion.js'
import { bindFeed } from '../../../../src/ingest/feed.js'
import { blsFeed } from '../../../../src/ingest/providers/bls/bls.js'
import { ecbSeriesFeed } from '../../../../src/ingest/providers/ecb/ecb-series.js'
import { treasuryFeed } from '../../../../src/ingest/providers/ust/treasury.js'
import { fetchBodyWith } from '../../../../src/ingest/run/ask-for-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { quickestDatabase } from '../../../support/database/database.js'

const ecb = bindFeed(ecbSeriesFeed, macroSink('ecb'))
const bls = bindFeed(blsFeed, macroSink('bls'))
const treasury = bindFeed(treasuryFeed, macroSink('ust'))

interface Series {
  readonly data: readonly {
    readonly period: string
    readonly value: number | null
    readonly note: string | null
  }[]
  readonly _meta: { readonly last_updated_at: string }
  readonly meta: { readonly source: string; readonly total: number }
}

describe('series of their primary sources', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(() => app?.close())

  const run = (bound: typeof ecb, body: string) => {
    const { database, clock } = app
    const deps = {
      database,
      clock,
      log: createLogger('silent'),
      fetchBody: () => Promise.reject(new Error('no network')),
    }
    return runFeed(deps, bound, { kind: 'bytes', bytes: new TextEncoder().encode(body), origin: 'made up' })
  }
  const series = async (path: string) => {
    app.clock.advance(1_000) // versions are read again every half second
    const { status, body } = await app.rest<Series>(path, { key })
    expect(status).toBe(200)
    return body
  }
  const values = async (path: string) =>
    (await series(path)).data.map(({ period, value }) => `${period} ${value}`)

  const DFR = '/v1/macro/series/ecb/FM.D.U2.EUR.4F.KR.DFR.LEV'
  const rates = (...lines: readonly string[]) =>
    ['KEY,TIME_PERIOD,OBS_VALUE', ...lines.map((line) => `FM.D.U2.EUR.4F.KR.DFR.LEV,${line}`), ''].join('\n')

  it('keep an announced key interest rate, and show it only when it applies or is asked for', async () => {
    const first = await run(ecb, rates('2026-11-19,2', '2026-11-20,2', '2026-11-25,1.75'))
    expect(first).toMatchObject({ added: 3, rejected: 0 })
    expect(first.removedSeed).toBeGreaterThan(1_000)
    expect(await values(DFR)).toEqual(['2026-11-19 2', '2026-11-20 2'])
    expect((await series(DFR)).meta).toMatchObject({ source: 'ecb', total: 2 })
    expect(await values(`${DFR}?end_period=2026`)).toContain('2026-11-25 1.75')
    const { body } = await app.graphql<{ macro_series: { series: { observations: { period: string }[] } } }>(
      `{ macro_series(provider: ecb, key: "FM.D.U2.EUR.4F.KR.DFR.LEV") { series { observations { period } } } }`,
      { key },
    )
    expect(body.data?.macro_series.series.observations).toEqual([
      { period: '2026-11-19' },
      { period: '2026-11-20' },
    ])
    expect((await series(DFR))._meta.last_updated_at.slice(0, 10)).toBe('2026-11-20')
    app.clock.advance(5 * 86_400_000)
    expect(await values(DFR)).toContain('2026-11-25 1.75')
  })

  it('keep a value that was corrected, as of then', async () => {
    const body = (value: string) =>
      `<feed xmlns:m="urn:m"><entry><content><m:properties><NEW_DATE>2026-11-19T00:00:00</NEW_DATE><BC_10YEAR>${value}</BC_10YEAR></m:properties></content></entry></feed>`
    expect(await run(treasury, body('4.10'))).toMatchObject({ added: 1, rejected: 0 })
    const before = app.clock.now().toISOString()
    app.clock.advance(60_000)
    expect(await run(treasury, body('4.12'))).toMatchObject({ revised: 1 })
    expect(await values('/v1/macro/series/ust/PAR.10Y')).toEqual(['2026-11-19 4.12'])
    expect(await values(`/v1/macro/series/ust/PAR.10Y?as_of=${before}`)).toEqual(['2026-11-19 4.1'])
  })

  it('keep the footnotes of a value, whose end is a revision', async () => {
    const body = (footnotes: object) =>
      JSON.stringify({
        ...{ status: 'REQUEST_SUCCEEDED', message: [] },
        Results: {
          series: [
            {
              seriesID: 'CES0000000001',
              data: [
                { year: '2026', period: 'M10', value: '159500', footnotes: [footnotes] },
                {
                  year: '2025',
                  period: 'M10',
                  value: '-',
                  footnotes: [{ code: 'X', text: 'Not collected' }],
                },
              ],
            },
          ],
        },
      })
    expect(await run(bls, body({ code: 'P', text: 'preliminary' }))).toMatchObject({ added: 2, rejected: 0 })
    const path = '/v1/macro/series/bls/CE.CES0000000001'
    expect((await series(path)).data).toMatchObject([
      { period: '2025-10', value: null, note: 'X: Not collected' },
      { period: '2026-10', value: 159_500, note: 'P: preliminary' },
    ])
    app.clock.advance(60_000)
    expect(await run(bls, body({}))).toMatchObject({ added: 0, revised: 1, unchanged: 1 })
    expect((await series(`${path}?vintages=true&start_period=2026`)).data).toMatchObject([
      { note: 'P: preliminary' },
      { note: null },
    ])
  })

  it('change nothing when a body is cut, empty of rows or a page', async () => {
    await expect(run(treasury, '<html></html>')).rejects.toThrow('the root of the body is "html"')
    await expect(run(treasury, '<feed><entry>')).rejects.toThrow('the body is cut off')
    expect(await run(ecb, rates())).toMatchObject({ added: 0, revised: 0, rejected: 0 })
    expect(await values('/v1/macro/series/ust/PAR.10Y')).toEqual(['2026-11-19 4.12'])
  })

  it('take the status that a provider has for no data as an empty page', async () => {
    const client = {
      request: async () => ({ status: 404, headers: new Headers(), body: new TextEncoder().encode('{}') }),
    }
    const fetchBody = fetchBodyWith(client as unknown as Parameters<typeof fetchBodyWith>[0]) // a part of a client
    const request = { url: 'https://data-api.ecb.europa.eu/x', headers: {} }
    expect(await fetchBody({ ...request, noDataStatus: 404 })).toHaveLength(0)
    await expect(fetchBody(request)).rejects.toThrow('answered with status 404')
  })
})
