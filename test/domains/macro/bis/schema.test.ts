import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decimal, decimalText } from '../../../../src/core/decimal.js'
import { parseIsoDate } from '../../../../src/core/time.js'
import { BIS_DATASETS } from '../../../../src/domains/macro/bis/datasets-model.js'
import { MacroWriter } from '../../../../src/domains/macro/store.js'
import { bumpDataset } from '../../../../src/platform/database/versions/bump-dataset.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../../support/database/database.js'
import { interposed } from '../../../support/database/interposed-database.js'

const SERIES = '/v1/macro/bis/WS_TC/Q.US.P.A.M.770.A'

interface Observation {
  readonly period: string
  readonly unit: string | null
  readonly value: number | null
}

interface CountrySeries {
  readonly dataset_code: string
  readonly observations: readonly object[]
}

interface SeriesAnswer {
  readonly data: readonly Observation[]
  readonly meta: Readonly<Record<string, unknown>>
}

interface Refusal {
  readonly message: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

describe('series of the BIS', () => {
  let app: TestApp
  let key: string
  const statements: string[] = []
  beforeAll(async () => {
    const kind = quickestDatabase()
    const database = await openTestDatabase(kind, 'seeded')
    app = await startTestApp(kind, { database: interposed(database, (sql) => void statements.push(sql)) })
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const series = async (path: string) => (await app.rest<SeriesAnswer>(path, { key })).body
  const refused = async (path: string) => {
    const { status, body } = await app.rest<Refusal>(path, { key })
    return { status, message: body.message, details: body.details }
  }
  const ask = async <Value>(query: string) => {
    const { body } = await app.graphql<Readonly<Record<string, Value>>>(query, { key })
    expect(body.errors).toBeUndefined()
    return body.data ?? expect.fail('no data')
  }

  it('have a catalogue of datasets and one of countries', async () => {
    const datasets = await app.rest<{ data: object[] }>('/v1/macro/bis/datasets', { key })
    expect(datasets.body).toMatchObject({
      total: 8,
      source: 'seed',
      license: expect.stringContaining('made up'),
    })
    expect(Object.keys(datasets.body)).toEqual(['data', 'total', 'source', 'license', 'disclaimer', '_meta'])
    expect(datasets.body.data[0]).toEqual({
      code: 'WS_TC',
      name: 'Total credit',
      frequency: 'quarterly',
      unit: '%_GDP',
      description: expect.stringContaining('private non-financial sector'),
      series_key_pattern: 'Q.{CC}.P.A.M.770.A',
    })
    const countries = await app.rest<{ data: { code: string }[] }>('/v1/macro/bis/countries', { key })
    expect(countries.body).toMatchObject({ total: 40, source: 'seed' })
    expect(countries.headers.get('x-total-count')).toBe('40')
    expect(countries.body.data.find(({ code }) => code === 'US')).toEqual({
      code: 'US',
      name: 'United States',
      series_keys: {
        WS_CBPOL: 'Q.US',
        WS_CREDIT_GAP: 'Q.US.P.A.C',
        WS_DSR: 'Q.US.P',
        WS_EER: 'Q.R.B.US',
        WS_LBS_D_PUB: 'Q.S.C.A.TO1.A.5J.A.US.A.5J.N',
        WS_LONG_CPI: 'Q.US.628',
        WS_SPP: 'Q.US.R.628',
        WS_TC: 'Q.US.P.A.M.770.A',
      },
    })
  })

  it('state what they are, and their terms', async () => {
    const { data, meta, ...rest } = await series(`${SERIES}?start_period=2024&end_period=2024-Q2`)
    expect(data.map(({ period, unit }) => [period, unit])).toEqual([
      ['2024-Q1', '%_GDP'],
      ['2024-Q2', '%_GDP'],
    ])
    expect(data.every(({ value }) => typeof value === 'number')).toBe(true)
    expect(Object.keys(data[0] ?? {})).toEqual(['period', 'unit', 'value', 'known_from', 'known_to'])
    expect(meta).toEqual({
      dataset: expect.objectContaining({ code: 'WS_TC', unit: '%_GDP', frequency: 'quarterly' }),
      series_key: 'Q.US.P.A.M.770.A',
      total: 2,
      returned: 2,
      has_next: false,
      page: 1,
      limit: 100,
      start_period: '2024',
      end_period: '2024-Q2',
      computed_at: expect.any(String),
      source: 'seed',
      license: expect.stringContaining('made up'),
      disclaimer: expect.stringContaining('not financial advice'),
      disclaimer_fr: expect.stringContaining('Traduction non officielle'),
      country_code: 'US',
      country_name: 'United States',
      data_quality: 'full',
      is_dev_dataset: true,
    })
    expect(rest).toEqual({ _meta: expect.objectContaining({ freshness_status: 'fresh', sources: ['seed'] }) })
  })

  it('come in pages that link to each other, and are empty beyond the last', async () => {
    const answer = await app.rest<SeriesAnswer>(`${SERIES}?page=2&limit=20`, { key })
    expect(answer.body.meta).toMatchObject({ total: 63, returned: 20, has_next: true, page: 2, limit: 20 })
    expect(answer.body.data[0]?.period).toBe('2016-Q1')
    expect(answer.headers.get('x-total-count')).toBe('63')
    expect(answer.headers.get('link')).toBe(
      ['1>; rel="first"', '1>; rel="prev"', '3>; rel="next"', '4>; rel="last"']
        .map((page) => `<${SERIES}?limit=20&page=${page}`)
        .map((link) => link.replace(/limit=20&page=(\d)/, 'page=$1&limit=20'))
        .concat('</v1/operations/bis_series.graphql>; rel="alternate"; type="application/graphql"')
        .join(', '),
    )
    const beyond = await app.rest<SeriesAnswer>(`${SERIES}?page=9&limit=20`, { key })
    expect(beyond.body).toMatchObject({
      data: [],
      meta: { total: 63, returned: 0, has_next: false, data_quality: null },
    })
    expect(beyond.headers.get('link')).toContain('page=4&limit=20>; rel="prev"')
  })

  it('of months are the mean of each quarter, stated in the description', async () => {
    const { data, meta } = await series('/v1/macro/bis/WS_LONG_CPI/Q.US.628?end_period=2011-Q1')
    expect(data).toHaveLength(1)
    expect(meta.dataset).toMatchObject({ description: expect.stringContaining('mean of its three months') })
  })

  it('are available as files', async () => {
    const { text } = await app.rest<null>(`${SERIES}.csv?limit=2`, { key })
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'period,unit,value,known_from,known_to',
      expect.stringMatching(/^2011-Q1,%_GDP,\d[^,]*,20[^,]*Z,$/),
    ])
  })

  it('that do not exist give a 404 that names the existing ones', async () => {
    expect(await refused('/v1/macro/bis/WS_TX/Q.US.P.A.M.770.A')).toMatchObject({
      status: 404,
      message:
        'The BIS has no dataset "WS_TX"; did you mean WS_TC? Use GET /v1/macro/bis/datasets to list all datasets.',
    })
    expect(await refused('/v1/macro/bis/WS_TC/q.us.p.a.m.770.a')).toMatchObject({
      status: 404,
      message:
        'The dataset WS_TC has no series "q.us.p.a.m.770.a"; did you mean Q.US.P.A.M.770.A? Use GET /v1/macro/bis/countries to list the key of each country.',
    })
    expect((await refused('/v1/macro/bis/WS_TC/%20')).status).toBe(404)
  })

  it('are refused for every wrong argument at once', async () => {
    const { status, details } = await refused(
      `${SERIES}?page=0&limit=1001&start_period=2024-05&end_period=x&as_of=2100-01-01T00:00:00Z`,
    )
    expect(status).toBe(422)
    expect(details.map(({ field }) => field)).toEqual([
      'limit',
      'page',
      'start_period',
      'end_period',
      'as_of',
    ])
    expect((await refused(`${SERIES}?start_period=2024-Q2&end_period=2024-Q1`)).details).toEqual([
      { field: 'start_period', message: 'must not be after end_period; got 2024-Q2 and 2024-Q1' },
    ])
    expect((await refused(`${SERIES}?start_period=1899`)).details[0]?.message).toContain('1900 to 2200')
  })

  it('are traversed from dataset or country to observations, in one statement per level', async () => {
    const cost = async (query: string) => {
      statements.length = 0
      await ask(query)
      return statements.filter((sql) => sql.includes('macro_')).length
    }
    const walk = (limit: number, rows: number) =>
      `{ bis_datasets { data { code series(limit: ${limit}) { series_key observations(limit: ${rows}) { period value } } } } }`
    await ask(walk(1, 1))
    expect([await cost(walk(20, 5)), await cost(walk(2, 3))]).toEqual([3, 3])
    const { bis_series: found } = await ask<{ country: { series: CountrySeries[] } }>(
      `{ bis_series(dataset_code: "WS_TC", series_key: "Q.FR.P.A.M.770.A", limit: 1) {
          series { description is_discontinued }
          country { code series { dataset_code unit observations(start_period: "2026-Q3") { period period_start value } } }
      } }`,
    )
    expect(found).toMatchObject({
      series: { description: 'France - Total credit (made up)', is_discontinued: false },
      country: { code: 'FR' },
    })
    const { country } = found ?? expect.fail('no series')
    expect(country.series.map(({ dataset_code }) => dataset_code).sort()).toEqual(
      BIS_DATASETS.map(({ code }) => code).sort(),
    )
    expect(country.series.map(({ observations }) => observations)).toEqual(
      country.series.map(() => [
        { period: '2026-Q3', period_start: '2026-07-01', value: expect.any(Number) },
      ]),
    )
  })

  it('keep what was known before a revision', async () => {
    const asked = `${SERIES}?start_period=2024-Q4&end_period=2024-Q4`
    const [before] = (await series(asked)).data
    const seededAt = app.clock.now()
    app.clock.advance(60_000)
    const knownAt = app.clock.now()
    const periodStart = parseIsoDate('2024-10-01') ?? expect.fail('no date')
    await app.database.transaction(async (tx) => {
      const stored = {
        provider: 'bis',
        dataset: 'WS_TC',
        seriesKey: 'Q.US.P.A.M.770.A',
        country: 'US',
      } as const
      const facts = { unit: null, frequency: 'quarterly', description: null, isHeadline: true } as const
      const row = { periodStart, value: decimalText(decimal('199.5')), isOfWholeSeries: false }
      await new MacroWriter(tx).write([{ ...row, series: { ...stored, ...facts } }], {
        knownAt,
        source: 'seed',
      })
      const state = { source: 'seed', isDevDataset: true, observedAt: knownAt, changedAt: knownAt }
      await bumpDataset(tx, { dataset: 'bis', ...state })
    })
    app.clock.advance(1_000) // versions are read again every half second
    expect((await series(asked)).data).toEqual([
      { ...before, value: 199.5, known_from: knownAt.toISOString() },
    ])
    expect((await series(`${asked}&as_of=${seededAt.toISOString()}`)).data).toEqual([before])
    const { bis_series: found } = await ask(
      `{ bis_series(dataset_code: "WS_TC", series_key: "Q.US.P.A.M.770.A", start_period: "2024-Q4", end_period: "2024-Q4") {
          data { known_from revisions { value is_withdrawn known_from known_to } } } }`,
    )
    expect(found).toMatchObject({
      data: [
        {
          known_from: knownAt.toISOString(),
          revisions: [
            { value: before?.value, is_withdrawn: false, known_to: knownAt.toISOString() },
            { value: 199.5, is_withdrawn: false, known_from: knownAt.toISOString(), known_to: null },
          ],
        },
      ],
    })
    const versions = [
      { ...before, known_to: knownAt.toISOString() },
      { ...before, value: 199.5, known_from: knownAt.toISOString() },
    ]
    const { data, meta } = await series(`${asked}&vintages=true`)
    expect([data, meta.total]).toEqual([versions, 2])
    expect((await series(`${asked}&vintages=true&as_of=${seededAt.toISOString()}`)).data).toEqual([before])
  })
})
