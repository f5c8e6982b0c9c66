import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MACRO_PROVIDERS } from '../../../src/domains/macro/model.js'
import { parseMacroKey } from '../../../src/domains/macro/series/macro-key.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { ID_PUBLISHERS } from '../../support/id-publishers.js'

type Row = Readonly<Record<string, unknown>>

interface Answer {
  readonly data: readonly Row[]
  readonly series: Row
  readonly meta: Row
  readonly _meta: Row
}

interface Refusal {
  readonly message: string
  readonly details: readonly { readonly field: string }[]
}

describe('the macro series of all publishers', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(() => app?.close())

  const get = async (path: string) => {
    const { status, body } = await app.rest<Answer>(`/v1/macro/series${path}`, { key })
    expect(status).toBe(200)
    return body
  }
  const names = async (query: string) => (await get(`?${query}`)).data.map(({ name }) => name)
  const refused = async (path: string) => {
    const { status, body } = await app.rest<Refusal>(`/v1/macro/series${path}`, { key })
    return { status, message: body.message, fields: body.details?.map(({ field }) => field) }
  }

  it('are in one catalogue, each under the key that reads it', async () => {
    const { data, meta, _meta } = await get('?limit=1000')
    expect(meta).toMatchObject({ total: data.length, has_next: false, is_dev_dataset: true })
    expect(_meta.sources).toEqual(['seed'])
    expect(new Set(data.map(({ provider }) => provider))).toEqual(new Set(MACRO_PROVIDERS))
    const stored = await app.database.rows<Row>(
      `select provider, dataset as dataset_code, series_key from macro_series where is_headline`,
    )
    expect(data.length).toBe(stored.length)
    for (const row of stored) expect(data).toContainEqual(expect.objectContaining(row))
    for (const { key: shown, dataset_code: dataset, series_key: seriesKey } of data)
      expect(parseMacroKey(String(shown))).toEqual({ dataset, seriesKey })
  })

  it('are found by words, publisher and country', async () => {
    expect(await names('q=unemployment%20rates')).toEqual([
      'US unemployment rate (seasonally adjusted)',
      'US unemployment rate (not seasonally adjusted)',
    ])
    expect(await names('q=the%20policy%20rate%20of%20Korea')).toContain('South Korea policy rate (base rate)')
    expect(await names('provider=ust&q=10%20year')).toEqual([
      'US 10 year Treasury yield',
      'US 10 year real yield (TIPS)',
    ])
    expect(await names('country=u2&q=inflation')).toEqual([
      'Euro area inflation (HICP, year on year)',
      'Euro area inflation (HICP, year on year, until 2025)',
    ])
    expect((await get('?q=nothing%20like%20it')).meta).toMatchObject({ total: 0, data_quality: 'empty' })
    const page = await get('?limit=2&offset=1')
    expect(page.data.map(({ key: shown }) => shown)).toEqual(
      (await get('?limit=3')).data.slice(1).map(({ key: shown }) => shown),
    )
  })

  it('have one form, with the bounds of each period', async () => {
    const { data, series, meta } = await get('/bok/200Y104.1400_Q?start_period=2026-Q1&end_period=2026-06')
    expect(data).toEqual(
      [
        ['2026-Q1', '2026-01-01', '2026-03-31'],
        ['2026-Q2', '2026-04-01', '2026-06-30'],
      ].map(([period, period_start, period_end]) => ({
        ...{ period, period_start, period_end, value: expect.any(Number), note: null, unit: 'KRW_B' },
        ...{ known_from: expect.any(String), known_to: null },
      })),
    )
    expect(series).toMatchObject({
      provider: 'bok',
      key: '200Y104.1400_Q',
      dataset_name: null,
      frequency: 'quarterly',
    })
    expect(meta).toMatchObject({ total: 2, start_period: '2026-Q1', end_period: '2026-06', source: 'seed' })
    expect((await get('/bis/WS_TC.Q.US.P.A.M.770.A?limit=1')).series).toMatchObject({
      dataset_name: 'Total credit',
      country_name: 'United States',
      name: 'US private debt (total credit)',
    })
  })

  it('have the values that the routes of one publisher have', async () => {
    for (const { id, path, seriesIds } of ID_PUBLISHERS) {
      const { body } = await app.rest<Answer>(`${path}/${seriesIds.example}?limit=1000`, { key })
      const macroKey = seriesIds.example.replace(`${seriesIds.prefix}_`, '').replace('_', '.')
      const all = await get(`/${id}/${macroKey}?limit=1000`)
      expect(all.data.map(({ period_start, value }) => [period_start, value])).toEqual(
        body.data.map(({ period_start, value }) => [period_start, value]),
      )
      expect(all._meta).toEqual(body._meta)
    }
  })

  it('that do not exist give a 404 that suggests a similar one and names the catalogue', async () => {
    expect(await refused('/ust/PAR.10YR')).toMatchObject({
      status: 404,
      message:
        'The US Department of the Treasury has no series "PAR.10YR"; did you mean PAR.10Y? Use GET /v1/macro/series to list all series.',
    })
    for (const path of ['/ust/PAR', '/ust/.10Y', '/bls/PAR.10Y'])
      expect((await refused(path)).status).toBe(404)
  })

  it('are refused for every wrong argument', async () => {
    expect(await refused('/ust/PAR.10Y?limit=20001&start_period=2026-13')).toMatchObject({
      status: 422,
      fields: ['limit', 'start_period'],
    })
    expect(await refused('/fed/PAR.10Y')).toMatchObject({ status: 422, fields: ['provider'] })
    expect((await refused('?limit=1001')).fields).toEqual(['limit'])
  })

  it('say that a publisher is not loaded, and list the others', async () => {
    await app.database.rows(`delete from dataset_state where dataset = 'ust'`)
    app.clock.advance(1_000) // states are read again every half second
    expect((await refused('/ust/PAR.10Y')).status).toBe(503)
    expect((await refused('?provider=ust')).status).toBe(503)
    expect((await get('?provider=bls')).meta.total).toBe(25)
    expect((await get('?limit=1')).data).toHaveLength(1)
  })
})
