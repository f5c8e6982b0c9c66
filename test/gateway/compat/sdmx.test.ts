import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import DIMENSIONS from '../../../src/gateway/compat/sdmx/dimensions.json' with { type: 'json' }
import { translateData } from '../../../src/gateway/compat/sdmx/sdmx-data.js'
import { BIS_FLOWS } from '../../../src/ingest/providers/bis/flows.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

interface Message {
  readonly header: Readonly<Record<string, unknown>>
  readonly structure: {
    readonly dimensions: Readonly<
      Record<
        'dataSet' | 'series' | 'observation',
        readonly { id: string; values: readonly { id: string }[] }[]
      >
    >
    readonly attributes: Readonly<Record<string, readonly { values: readonly { id: string }[] }[]>>
  }
  readonly dataSets: readonly {
    readonly action: string
    readonly series: Readonly<
      Record<string, { readonly observations: Readonly<Record<string, readonly (number | null)[]>> }>
    >
  }[]
}

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'enterprise' })
})
afterAll(() => app?.close())

const get = (path: string, headers = {}) => app.rest<Message>(`/compat/sdmx/data/${path}`, { key, headers })

/** Series, periods and values of a message, read by indices as readers do. */
const read = ({ structure, dataSets }: Message) => {
  const { series, observation } = structure.dimensions
  const [data] = dataSets
  return Object.entries(data?.series ?? {}).map(([indices, { observations }]) => ({
    key: indices
      .split(':')
      .map((index, at) => series[at]?.values[Number(index)]?.id)
      .join('.'),
    observations: Object.entries(observations).map(([index, [value]]) => [
      observation[0]?.values[Number(index)]?.id,
      value,
    ]),
  }))
}
const observationsOf = async (path: string) => {
  const { status, body } = await get(path)
  return status === 200 ? read(body)[0]?.observations : status
}

describe('a series in SDMX-JSON', () => {
  it('is a message with one series', async () => {
    const path = 'WS_TC/Q.US.P.A.M.770.A?startPeriod=2026'
    const { status, headers, body } = await get(path)
    expect([status, headers.get('content-type')]).toEqual([
      200,
      'application/vnd.sdmx.data+json;version=1.0.0',
    ])
    expect(body.header).toEqual({
      id: 'WS_TC/Q.US.P.A.M.770.A',
      // The end of the newest quarter.
      prepared: '2026-10-01T00:00:00.000Z',
      sender: { id: 'MARKET_DATA_GATEWAY', name: 'Market Data Gateway' },
    })
    expect(body.structure.dimensions.series[1]).toEqual({
      ...{ id: 'BORROWERS_CTY', name: 'BORROWERS_CTY', keyPosition: 1 },
      values: [{ id: 'US', name: 'US' }],
    })
    expect(read(body)).toEqual([
      {
        key: 'Q.US.P.A.M.770.A',
        observations: [
          ['2026-Q1', 96.1],
          ['2026-Q2', 95.3],
          ['2026-Q3', 95.8],
        ],
      },
    ])
    expect(body.structure.attributes.observation?.[0]?.values).toEqual([{ id: '%_GDP', name: '%_GDP' }])
    expect([headers.get('x-data-source'), headers.get('x-is-dev-dataset')]).toEqual(['seed', 'true'])
  })

  it.each([
    ['/v1/macro/bis/WS_LONG_CPI/A.US.628', 'BIS,WS_LONG_CPI,1.0/A.US.628', 'period'],
    ['/v1/macro/bis/WS_DSR/Q.ZA.P', 'WS_DSR/Q.ZA.P/all', 'period'],
    [
      '/v1/macro/series/ecb/YC.B.U2.EUR.4F.G_N_A.SV_C_YM.SR_10Y',
      'ECB_YC/B.U2.EUR.4F.G_N_A.SV_C_YM.SR_10Y',
      'period',
    ],
    ['/v1/macro/series/bls/CU.CUSR0000SA0', 'BLS,BLS_CU/CUSR0000SA0', 'period'],
    ['/v1/macro/japan/BOJ_FM08_FXERD04', 'BOJ_FM08/FXERD04', 'observation_date'],
    ['/v1/macro/kr/BOK_722Y001_0101000_D', 'BOK,BOK_722Y001/0101000_D/BOK', 'observation_date'],
  ])('has the values of %s', async (operation, path, period) => {
    const { body } = await app.rest<{ data: readonly Readonly<Record<string, unknown>>[] }>(
      `${operation}?limit=1000`,
      { key },
    )
    expect(body.data.length).toBeGreaterThan(10)
    expect(await observationsOf(path)).toEqual(body.data.map((row) => [row[period], row.value]))
  })

  it('has the euro rates of a currency', async () => {
    const { body } = await app.rest<{ data: readonly { date: string; rate: number }[] }>(
      '/v1/forex?quote=USD&from=2026-11-01&to=2026-11-10',
      { key },
    )
    expect(await observationsOf('EXR/D.USD.EUR.SP00.A?startPeriod=2026-11&endPeriod=2026-11-10')).toEqual(
      body.data.map(({ date, rate }) => [date, rate]),
    )
    const whole = await observationsOf('EXR/D.USD.EUR.SP00.A?endPeriod=2026-11-10')
    expect((whole as unknown[]).length).toBeGreaterThan(body.data.length)
  })

  it('names months, quarters and years as SDMX does', async () => {
    expect(await observationsOf('BOJ_MD01/MABS1AN11?startPeriod=2026-09&endPeriod=2026-10')).toEqual([
      ['2026-09', expect.any(Number)],
      ['2026-10', expect.any(Number)],
    ])
    const periods = async (path: string) =>
      ((await observationsOf(path)) as unknown[][]).map(([period]) => period)
    expect(await periods('BOK_151Y001/1000000_Q?startPeriod=2026')).toEqual(['2026-Q1', '2026-Q2', '2026-Q3'])
    expect(await periods('BOK_200Y101/10101_A?startPeriod=2024')).toEqual(['2024', '2025'])
  })

  it.each([
    // A quarter belongs to a range by its first day.
    ['startPeriod=2026-02-01', ['2026-Q2', '2026-Q3']],
    ['startPeriod=2026-Q2&endPeriod=2026-Q2', ['2026-Q2']],
    ['startPeriod=2025-12&endPeriod=2026-04', ['2026-Q1', '2026-Q2']],
    ['startPeriod=2025&firstNObservations=2', ['2025-Q1', '2025-Q2']],
    ['lastNObservations=1', ['2026-Q3']],
    ['startPeriod=2026&firstNObservations=1&lastNObservations=1', ['2026-Q1', '2026-Q3']],
  ])('is cut by %s', async (query, periods) => {
    const observations = await observationsOf(`WS_TC/Q.US.P.A.M.770.A?${query}`)
    expect((observations as unknown[][]).map(([period]) => period)).toEqual(periods)
  })

  it('keeps a missing value, and has no units on request', async () => {
    const path = 'WS_DSR/Q.ZA.P?startPeriod=2015-Q3&endPeriod=2015-Q3'
    expect(await observationsOf(path)).toEqual([['2015-Q3', null]])
    const { body } = await get(`${path}&detail=dataonly`)
    expect(body.structure.attributes.observation).toEqual([])
    expect(body.dataSets[0]?.series['0:0:0']?.observations).toEqual({ 0: [null] })
  })
})

describe('a series in SDMX-CSV', () => {
  const lines = [
    'DATAFLOW,FREQ,REF_AREA,VALUE,UNIT_MEASURE,TIME_PERIOD,OBS_VALUE,UNIT',
    'BIS:WS_SPP(1.0),Q,US,R,628,2026-Q2,121,INDEX_2010=100',
    'BIS:WS_SPP(1.0),Q,US,R,628,2026-Q3,120.5,INDEX_2010=100',
  ]
  const path = 'WS_SPP/Q.US.R.628?startPeriod=2026-Q2'

  it.each([
    ['format=csvdata', {}],
    ['format=csv', { accept: 'application/vnd.sdmx.data+json' }],
    ['', { accept: 'application/vnd.sdmx.data+csv;version=1.0.0, */*;q=0.1' }],
    ['', { accept: 'text/csv' }],
  ])('is written for %j and %j', async (query, headers) => {
    const { text, headers: shown } = await get(`${path}&${query}`, headers)
    expect(text).toBe(`${lines.join('\n')}\n`)
    expect(shown.get('content-type')).toBe('application/vnd.sdmx.data+csv;version=1.0.0;charset=utf-8')
  })

  it('has no column of units with detail=dataonly', async () => {
    const { text } = await get(`${path}&format=csvdata&detail=dataonly&lastNObservations=1`)
    expect(text).toBe(
      'DATAFLOW,FREQ,REF_AREA,VALUE,UNIT_MEASURE,TIME_PERIOD,OBS_VALUE\nBIS:WS_SPP(1.0),Q,US,R,628,2026-Q3,120.5\n',
    )
  })
})

describe('a refused request', () => {
  const SERIES = 'WS_TC/Q.US.P.A.M.770.A'

  it.each([
    [404, 100, 'No results found: the dataflow does not exist.', 'ICP/M.U2.N.000000.4.ANR'],
    [404, 100, 'No results found: the dataflow does not exist.', 'ECB,WS_TC/Q.US.P.A.M.770.A'],
    [
      404,
      100,
      'The Bank for International Settlements has no series "WS_TC.Q.QQ.P.A.M.770.A"',
      'WS_TC/Q.QQ.P.A.M.770.A',
    ],
    [404, 100, 'The Bank of Japan has no series "FM08.NOTHING"', 'BOJ_FM08/NOTHING'],
    [404, 100, 'series of EXR are D.{currency}.EUR.SP00.A', 'EXR/M.USD.EUR.SP00.A'],
    [404, 100, 'quote', 'EXR/D.XXX.EUR.SP00.A'],
    [404, 100, 'No results found.', 'EXR/D.USD.EUR.SP00.A?endPeriod=1990'],
    [404, 100, 'No results found.', `${SERIES}?startPeriod=2027`],
    [404, 100, 'No results found.', `${SERIES}?startPeriod=2026-11`],
    [400, 140, 'key: must name one series: the key is {FREQ}.{REF_AREA}, without wildcards', 'WS_CBPOL/Q.'],
    [400, 140, 'key: must name one series', 'WS_CBPOL'],
    [400, 140, 'key: must name one series', 'WS_CBPOL/all'],
    [400, 140, 'key: must name one series', 'WS_CBPOL/Q.US+GB'],
    [400, 140, 'key: has 3 values: the key is {FREQ}.{REF_AREA}', 'WS_CBPOL/Q.US.A'],
    [400, 140, 'startPeriod: must be a year, quarter, month or day', `${SERIES}?startPeriod=2026-W03`],
    [400, 140, 'startPeriod: must not be after endPeriod', `${SERIES}?startPeriod=2026&endPeriod=2025`],
    [400, 140, 'firstNObservations: must be a whole number from 1', `${SERIES}?firstNObservations=0`],
    [400, 140, 'detail: must be full or dataonly', `${SERIES}?detail=nodata`],
    [
      400,
      140,
      'dimensionAtObservation: must be TIME_PERIOD',
      `${SERIES}?dimensionAtObservation=AllDimensions`,
    ],
    [400, 140, 'updatedAfter: is not served', `${SERIES}?updatedAfter=2026-01-01`],
    [400, 140, 'includeHistory: must be false', `${SERIES}?includeHistory=true`],
    [406, 1000, 'None of the requested media types', `${SERIES}?format=genericdata`],
    [404, 100, 'No such route', `${SERIES}/all/more`],
  ])('has status %s and code %s: %s', async (status, code, title, path) => {
    const answer = await get(path)
    expect([answer.status, answer.body]).toEqual([
      status,
      { errors: [{ code, title: expect.stringContaining(title) }] },
    ])
  })

  it('is a 413 for more observations than a page of the operation has', () => {
    const { toBody } = translateData({
      path: { flow: 'BOJ_FM08', key: 'FXERD04' },
      ...{ query: new URLSearchParams(), accept: '', now: SEEDED_AT },
    })
    expect(() => toBody({ data: [], meta: { has_next: true } })).toThrow(
      expect.objectContaining({ status: 413, message: expect.stringContaining('later startPeriod') }),
    )
  })

  it.each([
    ['ECB_YC/B.U2.EUR.4F.G_N_A.SV_C_YM.SR_10Y', '', '7277'],
    ['ECB_FM/D.U2.EUR.4F.KR.DFR.LEV', '', '10186'],
    ['ECB_FM/D.U2.EUR.4F.KR.DFR.LEV', 'endPeriod=2001', '1096'],
    ['UST_PAR/10Y', 'startPeriod=2026', '1000'],
    ['ECB_HICP/M.U2.N.000000.4D0.ANR', '', '1000'],
  ])('is never refused for the days of a range: %s %s reads up to %s rows', (path, query, limit) => {
    const [flow = '', key = ''] = path.split('/')
    const call = translateData({
      path: { flow, key },
      ...{ query: new URLSearchParams(query), accept: '', now: SEEDED_AT },
    })
    expect(call.args).toMatchObject({ limit })
  })

  it('is a 406 for XML and for other versions, and a 401 without a key', async () => {
    for (const accept of [
      'application/vnd.sdmx.genericdata+xml;version=2.1',
      'application/vnd.sdmx.data+json;version=2.0.0',
    ])
      expect((await get(SERIES, { accept })).status).toBe(406)
    const { status, body } = await app.rest(`/compat/sdmx/data/${SERIES}`)
    expect([status, body]).toEqual([
      401,
      { errors: [{ code: 110, title: expect.stringContaining('API key') }] },
    ])
  })
})

it('has the dimensions of each dataset in the order of its key', () => {
  expect(DIMENSIONS).toEqual(
    Object.fromEntries(BIS_FLOWS.map(({ dataset, dimensions }) => [dataset.code, dimensions])),
  )
})

describe('recorded messages (skipped without their samples)', () => {
  const path = samplePath('sdmx/ECB_EXR_ts.json')

  it.skipIf(path === null)('have the same members', async () => {
    const recorded: Message = JSON.parse(readFileSync(path ?? '', 'utf8'))
    const { body } = await get('EXR/D.USD.EUR.SP00.A?lastNObservations=1')
    expect(Object.keys(recorded)).toEqual(expect.arrayContaining(Object.keys(body)))
    expect(Object.keys(recorded.header)).toEqual(expect.arrayContaining(Object.keys(body.header)))
    for (const level of ['dataSet', 'series', 'observation'] as const) {
      expect(recorded.structure.dimensions).toHaveProperty(level)
      const [theirs, ours] = [recorded, body].map((one) =>
        Object.keys(one.structure.dimensions[level][0] ?? {}),
      )
      expect(theirs).toEqual(expect.arrayContaining(ours ?? []))
    }
    const sets = [recorded, body].map(({ dataSets: [data] }) =>
      Object.keys(Object.values(data?.series ?? {})[0] ?? {}),
    )
    expect(sets[0]).toEqual(sets[1])
  })
})
