import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decimal, decimalText } from '../../../src/core/decimal.js'
import { parseIsoDate } from '../../../src/core/time.js'
import { MacroWriter } from '../../../src/domains/macro/store.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

interface Observation {
  readonly observation_date: string
  readonly value: number | null
}

interface SeriesAnswer {
  readonly data: readonly Observation[]
  readonly meta: Readonly<Record<string, unknown>>
}

interface CatalogueAnswer {
  readonly data: readonly { readonly series_id: string; readonly frequency: string | null }[]
  readonly total: number
}

interface Refusal {
  readonly message: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

const JAPAN = '/v1/macro/japan'
const KOREA = '/v1/macro/kr'
const KNOWN = {
  note: null,
  known_from: expect.stringMatching(/^20.*Z$/),
  known_to: null,
}

describe('series of central banks', () => {
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

  it.each([
    [JAPAN, 'BOJ', { daily: 4, monthly: 7, quarterly: 1 }],
    [KOREA, 'BOK', { daily: 5, monthly: 4, quarterly: 2, annual: 1 }],
  ])('have a catalogue below %s, whose identifiers begin with %s', async (path, prefix, frequencies) => {
    const { body, headers } = await app.rest<CatalogueAnswer>(`${path}/series`, { key })
    expect(Object.keys(body)).toEqual(['data', 'total', 'source', 'license', 'disclaimer', '_meta'])
    expect(body).toMatchObject({ total: 12, source: 'seed', license: expect.stringContaining('made up') })
    expect(headers.get('x-total-count')).toBe('12')
    expect(body.data.every(({ series_id }) => series_id.startsWith(`${prefix}_`))).toBe(true)
    const counts: Record<string, number> = {}
    for (const { frequency } of body.data) counts[`${frequency}`] = (counts[`${frequency}`] ?? 0) + 1
    expect(counts).toEqual(frequencies)
  })

  it('have entries with title, frequency and unit', async () => {
    const { body } = await app.rest<CatalogueAnswer>(`${JAPAN}/series`, { key })
    expect(body.data.find(({ series_id }) => series_id === 'BOJ_IR01_MADR1Z@D')).toEqual({
      series_id: 'BOJ_IR01_MADR1Z@D',
      description: 'The Basic Discount Rate and Basic Loan Rate (made up)',
      frequency: 'daily',
      unit: 'percent per annum',
    })
    const korea = await app.rest<CatalogueAnswer>(`${KOREA}/series`, { key })
    expect(korea.body.data.find(({ series_id }) => series_id === 'BOK_200Y101_10101_A')).toEqual({
      series_id: 'BOK_200Y101_10101_A',
      description: 'Gross domestic product, nominal (made up)',
      frequency: 'annual',
      unit: 'KRW_B',
    })
  })

  it('of Japan state what they are, and their terms', async () => {
    const { data, meta, ...rest } = await series(
      `${JAPAN}/BOJ_FM08_FXERD04?start_date=2026-11-14&end_date=2026-11-18`,
    )
    expect(data).toEqual(
      ['2026-11-16', '2026-11-17', '2026-11-18'].map((date) => ({
        observation_date: date,
        value: expect.any(Number),
        unit: 'Yen per U.S. Dollar',
        frequency: 'daily',
        period_start: date,
        period_end: date,
        ...KNOWN,
      })),
    )
    expect(meta).toEqual({
      series_id: 'BOJ_FM08_FXERD04',
      series_description: 'US.Dollar/Yen Spot Rate at 17:00 in JST, Tokyo Market (made up)',
      total: 3,
      returned: 3,
      has_next: false,
      page: 1,
      limit: 100,
      start_date: '2026-11-14',
      end_date: '2026-11-18',
      computed_at: expect.any(String),
      disclaimer: expect.stringContaining('not financial advice'),
      disclaimer_fr: expect.stringContaining('Traduction non officielle'),
      source: 'seed',
      license: expect.stringContaining('made up'),
      data_quality: 'full',
      is_dev_dataset: true,
    })
    expect(rest).toEqual({ _meta: expect.objectContaining({ sources: ['seed'] }) })
  })

  it('of Korea state what they are, and their terms', async () => {
    const { data, meta } = await series(`${KOREA}/BOK_200Y101_10101_A?end_date=2011-12-31`)
    const year = { period_start: '2011-01-01', period_end: '2011-12-31' }
    expect(data).toEqual([
      { observation_date: '2011-01-01', value: expect.any(Number), unit: 'KRW_B', ...year, ...KNOWN },
    ])
    expect(meta).toEqual({
      series_id: 'BOK_200Y101_10101_A',
      description: 'Gross domestic product, nominal (made up)',
      total: 1,
      returned: 1,
      has_next: false,
      page: 1,
      limit: 100,
      start_date: null,
      end_date: '2011-12-31',
      fetched_at: expect.any(String),
      disclaimer: expect.stringContaining('not financial advice'),
      disclaimer_fr: expect.stringContaining('Traduction non officielle'),
      source: 'seed',
      license: expect.stringContaining('made up'),
      data_quality: 'full',
      is_dev_dataset: true,
    })
  })

  it('have the freshness of their frequency', async () => {
    const intervalOf = async (path: string) => {
      const { body } = await app.rest<{ _meta: { last_updated_at: string; next_refresh_at: string } }>(path, {
        key,
      })
      const { last_updated_at: last, next_refresh_at: next } = body._meta
      return (Date.parse(next) - Date.parse(last)) / 86_400_000
    }
    expect(await intervalOf(`${JAPAN}/BOJ_FM08_FXERD04`)).toBe(1)
    expect(await intervalOf(`${JAPAN}/BOJ_FM08_FXERM07`)).toBe(35)
    expect(await intervalOf(`${KOREA}/BOK_151Y001_1000000_Q`)).toBe(100)
  })

  it('come in pages that link to each other, and are empty beyond the last', async () => {
    const path = `${JAPAN}/BOJ_CO_TK99F1000601GCQ01000`
    const answer = await app.rest<SeriesAnswer>(`${path}?page=2&limit=20`, { key })
    expect(answer.body.meta).toMatchObject({ total: 63, returned: 20, has_next: true, page: 2, limit: 20 })
    expect(answer.body.data[0]).toMatchObject({ observation_date: '2016-01-01', frequency: 'quarterly' })
    expect(answer.headers.get('x-total-count')).toBe('63')
    expect(answer.headers.get('link')).toContain(`<${path}?page=3&limit=20>; rel="next"`)
    const beyond = await series(`${path}?page=9&limit=20`)
    expect(beyond).toMatchObject({
      data: [],
      meta: { total: 63, returned: 0, has_next: false, data_quality: null },
    })
  })

  it('are available as files', async () => {
    const boj = await app.rest<null>(`${JAPAN}/BOJ_MD01_MABS1AN11.csv?limit=2`, { key })
    expect(boj.text.split('\r\n').slice(0, 2)).toEqual([
      'observation_date,value,note,unit,frequency,period_start,period_end,known_from,known_to',
      expect.stringMatching(/^2011-01-01,\d+,,100 million yen,monthly,2011-01-01,2011-01-31,20[^,]*Z,$/),
    ])
    const bok = await app.rest<null>(`${KOREA}/BOK_901Y009_0_M.ndjson?limit=2`, { key })
    expect(bok.headers.get('x-total-count')).toBe('190')
    expect(JSON.parse(bok.text.split('\n')[0] ?? '')).toEqual({
      observation_date: '2011-01-01',
      value: expect.any(Number),
      unit: 'INDEX_2020=100',
      ...{ period_start: '2011-01-01', period_end: '2011-01-31' },
      ...KNOWN,
    })
  })

  it('that do not exist give a 404 that names the existing ones', async () => {
    expect(await refused(`${JAPAN}/BOJ_FM08_FXERD05`)).toMatchObject({
      status: 404,
      message:
        'The Bank of Japan has no series "BOJ_FM08_FXERD05"; did you mean BOJ_FM08_FXERD04? Use GET /v1/macro/japan/series to list all series.',
    })
    expect((await refused(`${KOREA}/bok_731y001_0000001_d`)).message).toContain(
      'did you mean BOK_731Y001_0000001_D?',
    )
    for (const id of ['BOJ_FM08_FXERD04', 'BOK_', 'BOK_731Y001', '%20']) {
      expect((await refused(`${KOREA}/${id}`)).status).toBe(404)
    }
  })

  it('are refused for every wrong argument at once', async () => {
    const path = `${JAPAN}/BOJ_FM08_FXERD04`
    const { status, details } = await refused(
      `${path}?page=0&limit=1001&start_date=2026-02-02&end_date=2026-02-01&as_of=2100-01-01T00:00:00Z`,
    )
    expect(status).toBe(422)
    expect(details.map(({ field }) => field).sort()).toEqual(['as_of', 'limit', 'page', 'start_date'])
    const malformed = await refused(`${path}?start_date=2026-02-30&end_date=2026-Q1`)
    expect(malformed.details.map(({ field }) => field).sort()).toEqual(['end_date', 'start_date'])
    expect(malformed.details[0]?.message).toContain('YYYY-MM-DD')
    expect((await refused(`${path}?start_date=2026-02-02&end_date=2026-02-01`)).details).toEqual([
      { field: 'start_date', message: 'must not be after end_date; got 2026-02-02 and 2026-02-01' },
    ])
  })

  it('are traversed like any other series, in one statement per level', async () => {
    const cost = async (query: string) => {
      statements.length = 0
      await ask(query)
      return statements.filter((sql) => sql.includes('macro_')).length
    }
    const walk = (rows: number) =>
      `{ boj_catalogue { data { series_id series { provider series_key observations(limit: ${rows}) { period value revisions { value } } } } } }`
    await ask(walk(1))
    expect([await cost(walk(2)), await cost(walk(5))]).toEqual([3, 3])
    const both = `{ boj_catalogue { data { series { observations(limit: 4) { period } } } }
      bok_catalogue { data { series { observations(limit: 4) { period } } } } }`
    // Both catalogues, then the observations of both.
    expect(await cost(both)).toBe(2)
  })

  it('have observations by periods of any length in GraphQL', async () => {
    const found = async (id: string, range: string) => {
      const { boj_series: answer } = await ask<{ series: { observations: readonly object[] } }>(
        `{ boj_series(series_id: "${id}", limit: 1) { series { observations(${range}) { period period_start unit } } } }`,
      )
      return answer?.series.observations
    }
    expect(await found('BOJ_FM08_FXERD04', 'start_period: "2026-11-13", end_period: "2026-11-16"')).toEqual([
      { period: '2026-11-13', period_start: '2026-11-13', unit: 'Yen per U.S. Dollar' },
      { period: '2026-11-16', period_start: '2026-11-16', unit: 'Yen per U.S. Dollar' },
    ])
    expect(await found('BOJ_FM08_FXERM07', 'start_period: "2026-03", end_period: "2026-04"')).toMatchObject([
      { period: '2026-03' },
      { period: '2026-04' },
    ])
    expect(await found('BOJ_FM08_FXERM07', 'start_period: "2026-Q1", end_period: "2026-Q1"')).toHaveLength(3)
    const { body } = await app.graphql(
      '{ boj_series(series_id: "BOJ_FM08_FXERD04") { series { observations(start_period: "2026-13") { period } } } }',
      { key },
    )
    expect(body.errors?.[0]?.extensions.details).toEqual([
      expect.objectContaining({ message: expect.stringContaining('must be a year, quarter, month or day') }),
    ])
  })

  it('keep what was known before a revision', async () => {
    const asked = `${JAPAN}/BOJ_FM08_FXERD04?start_date=2026-11-17&end_date=2026-11-17`
    const [before] = (await series(asked)).data
    const seededAt = app.clock.now()
    app.clock.advance(60_000)
    const knownAt = app.clock.now()
    const periodStart = parseIsoDate('2026-11-17') ?? expect.fail('no date')
    await app.database.transaction(async (tx) => {
      const place = { provider: 'boj', dataset: 'FM08', seriesKey: 'FXERD04', country: 'JP' } as const
      const facts = { unit: null, frequency: 'daily', description: null, isHeadline: false } as const
      const row = { periodStart, value: decimalText(decimal('199.5')), isOfWholeSeries: false }
      const known = { knownAt, source: 'seed' }
      await new MacroWriter(tx).write([{ ...row, series: { ...place, ...facts } }], known)
      const state = { source: 'seed', isDevDataset: true, observedAt: knownAt, changedAt: knownAt }
      await bumpDataset(tx, { dataset: 'boj', ...state })
    })
    app.clock.advance(1_000) // versions are read again every half second
    expect((await series(asked)).data).toEqual([
      { ...before, value: 199.5, known_from: knownAt.toISOString() },
    ])
    expect((await series(`${asked}&as_of=${seededAt.toISOString()}`)).data).toEqual([before])
    const { boj_series: found } = await ask(
      `{ boj_series(series_id: "BOJ_FM08_FXERD04", start_date: "2026-11-17", end_date: "2026-11-17") {
          data { revisions { value known_to } } } }`,
    )
    expect(found).toEqual({
      data: [
        {
          revisions: [
            { value: before?.value, known_to: knownAt.toISOString() },
            { value: 199.5, known_to: null },
          ],
        },
      ],
    })
    expect((await series(`${asked}&vintages=true`)).data).toEqual([
      { ...before, known_to: knownAt.toISOString() },
      { ...before, value: 199.5, known_from: knownAt.toISOString() },
    ])
    const { body } = await app.rest<CatalogueAnswer>(`${JAPAN}/series`, { key })
    expect(body.total).toBe(12)
  })

  it('need their scope', async () => {
    const free = await app.newKey({ tier: 'free' })
    for (const path of [`${JAPAN}/series`, `${KOREA}/BOK_901Y009_0_M`]) {
      expect((await app.rest(path, { key: free })).status).toBe(403)
    }
  })
})
