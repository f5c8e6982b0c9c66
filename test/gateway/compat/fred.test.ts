import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decimal, decimalText } from '../../../src/core/decimal.js'
import { parsePeriod } from '../../../src/core/time.js'
import type { MacroSeries } from '../../../src/domains/macro/model.js'
import { MacroWriter } from '../../../src/domains/macro/store.js'
import { translateObservations } from '../../../src/gateway/compat/fred/observations.js'
import TABLE from '../../../src/gateway/compat/fred/series.json' with { type: 'json' }
import BLS from '../../../src/ingest/providers/bls/series.json' with { type: 'json' }
import ECB from '../../../src/ingest/providers/ecb/series.json' with { type: 'json' }
import UST from '../../../src/ingest/providers/ust/series.json' with { type: 'json' }
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

const LISTS = { bls: BLS, ecb: ECB, ust: UST }

/** Values by period; null is a period without a value. */
type Values = Readonly<Record<string, number | null>>

const BIS = { provider: 'bis', frequency: 'quarterly', country: 'US', isHeadline: true } as const
const CREDIT = { ...BIS, dataset: 'WS_TC', seriesKey: 'Q.US.P.A.M.770.A' } as const
const HOUSEHOLDS = { ...BIS, dataset: 'WS_TC', seriesKey: 'Q.US.H.A.M.USD.A', isHeadline: false } as const
const PRICES = { ...BIS, dataset: 'WS_SPP', seriesKey: 'Q.US.R.628' } as const
const YIELD = { ...BIS, provider: 'ust', frequency: 'daily', dataset: 'PAR', seriesKey: '10Y' } as const
const CONSUMER_PRICES = {
  ...BIS,
  ...({ provider: 'bls', frequency: 'monthly', dataset: 'CU', seriesKey: 'CUSR0000SA0' } as const),
} as const
const DEPOSIT_RATE = {
  ...({ ...BIS, provider: 'ecb', frequency: 'daily', country: 'U2' } as const),
  ...({ dataset: 'FM', seriesKey: 'D.U2.EUR.4F.KR.DFR.LEV' } as const),
}

const FIRST_RELEASE = {
  '2024-Q3': 142,
  '2024-Q4': 141.2,
  '2025-Q1': 140.5,
  '2025-Q2': null,
  '2025-Q3': 139.9,
}

async function write(
  app: TestApp,
  given: Omit<MacroSeries, 'unit' | 'description'>,
  values: Values,
): Promise<void> {
  const now = app.clock.now()
  const series: MacroSeries = { ...given, unit: null, description: null }
  const facts = Object.entries(values).map(([period, value]) => ({
    series,
    periodStart: parsePeriod(period)?.start ?? expect.fail(`${period} is no period`),
    value: value === null ? null : decimalText(decimal(value)),
    isOfWholeSeries: false,
  }))
  await app.database.transaction(async (tx) => {
    const { provider } = given
    await new MacroWriter(tx).write(facts, { knownAt: now, source: provider })
    const state = { source: provider, isDevDataset: false, observedAt: now, changedAt: now }
    await bumpDataset(tx, { dataset: provider, ...state })
  })
}

let app: TestApp
let key: string
beforeAll(async () => {
  const clock = new TestClock(new Date('2026-06-01T12:00:00Z'))
  app = await startTestApp(quickestDatabase(), { world: 'empty', clock })
  await write(app, CREDIT, FIRST_RELEASE)
  await write(app, HOUSEHOLDS, { '2025-Q3': 20_934.5 })
  await write(app, PRICES, { '2025-Q3': 163.4251, '2025-Q4': 162 })
  // Memorial Day, 25 May, has no yield.
  await write(app, YIELD, { '1990-01-02': 7.94, '2026-05-22': 4.5, '2026-05-26': 4.48, '2026-05-27': 4.51 })
  await write(app, CONSUMER_PRICES, { '2025-04': 320.321, '2026-03': 327.1, '2026-04': 328.5 })
  await write(app, DEPOSIT_RATE, { '2026-05-30': 2, '2026-05-31': 2, '2026-06-01': 2 })
  // It is still 31 August in St. Louis.
  clock.advance(new Date('2026-09-01T03:00:00Z').getTime() - clock.now().getTime())
  await write(app, CREDIT, { '2025-Q3': 140.1, '2025-Q4': 140.3 })
  clock.advance(new Date('2026-10-03T09:00:00Z').getTime() - clock.now().getTime())
  key = await app.newKey({ tier: 'pro' })
})
afterAll(() => app?.close())

const makeUrlKey = async (hourlyUnits: number) => {
  const body = { label: 'fred', url_use: { interfaces: ['fred'], hourly_units: hourlyUnits } }
  return (await app.rest<{ raw_key: string }>('/auth/keys', { method: 'POST', key, body })).body.raw_key
}
const get = (path: string) => app.rest<unknown>(`/compat/fred${path}`, { key })
const text = async (path: string) => (await get(path)).text

/** Pairs of date and value of an answer in JSON. */
const values = async (query: string, id = 'QUSPAM770A') => {
  const { body } = await get(`/fred/series/observations?series_id=${id}&file_type=json&${query}`)
  const { observations } = body as { observations: readonly { date: string; value: string }[] }
  return observations.map(({ date, value }) => `${date} ${value}`)
}

const XML = '<?xml version="1.0" encoding="utf-8" ?>\n'
const TODAY = 'realtime_start="2026-10-03" realtime_end="2026-10-03"'

describe('requests that fredapi sends', () => {
  it('get observations in XML', async () => {
    const path = '/fred/series/observations?series_id=QUSPAM770A&observation_start=2025-04-01'
    const { text: xml, headers } = await get(path)
    expect(headers.get('content-type')).toBe('text/xml; charset=UTF-8')
    expect(xml).toBe(
      `${XML}<observations ${TODAY} observation_start="2025-04-01" observation_end="9999-12-31" units="lin" output_type="1" file_type="xml" order_by="observation_date" sort_order="asc" count="3" offset="0" limit="100000">
  <observation ${TODAY} date="2025-04-01" value="."/>
  <observation ${TODAY} date="2025-07-01" value="140.1"/>
  <observation ${TODAY} date="2025-10-01" value="140.3"/>
</observations>
`,
    )
  })

  it('get all releases: each version with the days on which it was known in St. Louis', async () => {
    const path = '/fred/series/observations?series_id=QUSPAM770A'
    const all = '&observation_start=2025-07-01&realtime_start=1776-07-04&realtime_end=9999-12-31'
    const rows = (await text(path + all)).split('\n').filter((line) => line.startsWith('  <'))
    expect(rows).toEqual([
      '  <observation realtime_start="2026-06-01" realtime_end="2026-08-30" date="2025-07-01" value="139.9"/>',
      '  <observation realtime_start="2026-08-31" realtime_end="9999-12-31" date="2025-07-01" value="140.1"/>',
      '  <observation realtime_start="2026-08-31" realtime_end="9999-12-31" date="2025-10-01" value="140.3"/>',
    ])
  })

  it('get facts about a series', async () => {
    expect(await text('/fred/series?series_id=QUSPAM770A')).toBe(
      `${XML}<seriess ${TODAY}>
  <series id="QUSPAM770A" ${TODAY} title="Total Credit to Private Non-Financial Sector, Adjusted for Breaks, for United States" frequency="Quarterly, End of Quarter" frequency_short="Q" units="Percentage of GDP" units_short="% of GDP" seasonal_adjustment="Not Seasonally Adjusted" seasonal_adjustment_short="NSA" observation_start="2024-07-01" observation_end="2025-10-01" last_updated="2026-08-31 22:00:00-05" notes="Source: Bank for International Settlements, WS_TC Q.US.P.A.M.770.A. Terms of use: Not known"/>
</seriess>
`,
    )
  })

  it('get the days of changes', async () => {
    expect(await text('/fred/series/vintagedates?series_id=QUSPAM770A')).toBe(
      `${XML}<vintage_dates realtime_start="1776-07-04" realtime_end="9999-12-31" order_by="vintage_date" sort_order="asc" count="2" offset="0" limit="10000">
  <vintage_date>2026-06-01</vintage_date>
  <vintage_date>2026-08-31</vintage_date>
</vintage_dates>
`,
    )
  })

  it('search the main series of each country by words', async () => {
    const ids = async (query: string) => {
      const { body } = await get(`/fred/series/search?${query}&file_type=json`)
      const { count, seriess } = body as { count: number; seriess: readonly { id: string }[] }
      return [count, ...seriess.map(({ id }) => id)]
    }
    expect(await ids('search_text=Real+united+states&')).toEqual([1, 'QUSR628BIS'])
    expect(await ids('search_text=united&order_by=search_rank')).toEqual([2, 'QUSPAM770A', 'QUSR628BIS'])
    expect(await ids('search_text=united&sort_order=desc&limit=1')).toEqual([2, 'QUSR628BIS'])
    expect(await ids('search_text=unemployment')).toEqual([0])
    expect(await ids('search_text=treasury+10-year')).toEqual([1, 'DGS10'])
    expect(await ids('search_text=consumer+price')).toEqual([1, 'CPIAUCSL'])
    expect(await text('/fred/series/search?search_text=gdp&&')).toContain(
      `<series id="QUSPAM770A" ${TODAY} title="Total Credit`,
    )
  })
})

describe('series of other publishers than the BIS', () => {
  it('are named and described as FRED does', async () => {
    const facts = async (id: string) => {
      const { body } = await get(`/fred/series?series_id=${id}&file_type=json`)
      return (body as { seriess: readonly object[] }).seriess[0]
    }
    expect(await facts('DGS10')).toMatchObject({
      title:
        'Market Yield on U.S. Treasury Securities at 10-Year Constant Maturity, Quoted on an Investment Basis',
      ...{ frequency: 'Daily', frequency_short: 'D', units: 'Percent', units_short: '%' },
      ...{ seasonal_adjustment_short: 'NSA', observation_start: '1990-01-02', observation_end: '2026-05-27' },
      notes: expect.stringMatching(/^Source: US Department of the Treasury, PAR 10Y\. Terms of use: /),
    })
    expect(await facts('cpiaucsl')).toMatchObject({
      ...{ frequency: 'Monthly', frequency_short: 'M', units: 'Index 1982-1984=100' },
      ...{ seasonal_adjustment: 'Seasonally Adjusted', seasonal_adjustment_short: 'SA' },
    })
    expect(await facts('ECBDFR')).toMatchObject({ frequency: 'Daily, 7-Day', frequency_short: 'D' })
  })

  it('have the days that the publisher has', async () => {
    const csv = await text('/graph/fredgraph.csv?id=DGS10&cosd=2026-05-20')
    expect(csv).toBe('observation_date,DGS10\n2026-05-22,4.5\n2026-05-26,4.48\n2026-05-27,4.51\n')
    expect(await values('observation_end=1995-12-31', 'DGS10')).toEqual(['1990-01-02 7.94'])
    expect(await values('observation_end=1980-12-31', 'DGS10')).toEqual([])
    expect(await values('observation_start=2027-01-01', 'DGS10')).toEqual([])
    expect(await values('', 'ECBDFR')).toEqual(['2026-05-30 2', '2026-05-31 2', '2026-06-01 2'])
  })

  it('change over months', async () => {
    expect(await values('units=pc1&observation_start=2026-04-01', 'CPIAUCSL')).toEqual(['2026-04-01 2.55338'])
    expect(await values('units=chg&observation_start=2026-04-01', 'CPIAUCSL')).toEqual(['2026-04-01 1.4'])
    expect(await values('frequency=m&observation_start=2026-04-01', 'CPIAUCSL')).toEqual(['2026-04-01 328.5'])
  })

  it('cost as much as the days that they may have', async () => {
    const cost = async (query: string) => {
      const own = await makeUrlKey(20)
      const path = `/compat/fred/graph/fredgraph.csv?id=DGS10&${query}`
      const { headers } = await app.rest(path, { key: own })
      return 20 - Number(headers.get('x-ratelimit-remaining'))
    }
    expect(await cost('cosd=2026-01-01')).toBe(1)
    expect(await cost('cosd=2020-01-01&coed=2025-12-31')).toBe(2)
    expect(await cost('')).toBe(10)
  })

  it('are listed by their publishers in the same frequency', () => {
    const frequencies = { Quarterly: 'quarterly', Monthly: 'monthly', Daily: 'daily' } as const
    for (const { id, provider, key, frequency } of TABLE) {
      if (provider === 'bis') continue
      const [word = ''] = frequency.split(',')
      const listed = LISTS[provider as keyof typeof LISTS].find(
        ({ dataset, seriesKey }) => `${dataset}.${seriesKey}` === key,
      )
      expect(listed?.frequency, id).toBe(frequencies[word as keyof typeof frequencies])
    }
    expect(new Set(TABLE.map(({ id }) => id)).size).toBe(TABLE.length)
  })
})

describe('observations in JSON', () => {
  it('have the members of FRED, with numbers as texts', async () => {
    const path = '/fred/series/observations?series_id=qushamusda&file_type=json'
    const day = { realtime_start: '2026-10-03', realtime_end: '2026-10-03' }
    expect((await get(path)).body).toEqual({
      ...day,
      ...{ observation_start: '1600-01-01', observation_end: '9999-12-31', units: 'lin', output_type: 1 },
      ...{ file_type: 'json', order_by: 'observation_date', sort_order: 'asc' },
      ...{ count: 1, offset: 0, limit: 100_000 },
      observations: [{ ...day, date: '2025-07-01', value: '20934.5' }],
    })
  })

  it('can be cut, paged and reversed', async () => {
    expect(await values('observation_end=2025-01-01')).toEqual([
      '2024-07-01 142',
      '2024-10-01 141.2',
      '2025-01-01 140.5',
    ])
    expect(await values('sort_order=desc&limit=1&offset=1')).toEqual(['2025-07-01 140.1'])
  })

  it.each([
    ['chg', ['2024-10-01 -0.8', '2025-01-01 -0.7', '2025-04-01 .', '2025-07-01 .', '2025-10-01 0.2']],
    ['ch1', ['2024-10-01 .', '2025-01-01 .', '2025-04-01 .', '2025-07-01 -1.9', '2025-10-01 -0.9']],
    [
      'pch',
      ['2024-10-01 -0.56338', '2025-01-01 -0.49575', '2025-04-01 .', '2025-07-01 .', '2025-10-01 0.14276'],
    ],
    ['pc1', ['2024-10-01 .', '2025-01-01 .', '2025-04-01 .', '2025-07-01 -1.33803', '2025-10-01 -0.63739']],
  ])('are converted to %s with the observations before the period', async (units, expected) => {
    expect(await values(`units=${units}&observation_start=2024-10-01`)).toEqual(expected)
  })

  it('are those of the end of a day in St. Louis', async () => {
    const since = 'observation_start=2025-07-01'
    expect(await values(`${since}&realtime_end=2026-08-30`)).toEqual(['2025-07-01 139.9'])
    const newest = ['2025-07-01 140.1', '2025-10-01 140.3']
    expect(await values(`${since}&realtime_start=2026-08-31&realtime_end=2026-08-31`)).toEqual(newest)
    expect(await values(`${since}&realtime_start=9999-12-31&realtime_end=9999-12-31`)).toEqual(newest)
    expect(await values(`${since}&realtime_end=2026-05-31`)).toEqual([])
    expect(await values(`${since}&realtime_end=1800-01-01`)).toEqual([])
  })

  it('change their day at midnight in St. Louis', async () => {
    const dayOf = async () => {
      const { body } = await get('/fred/series/observations?series_id=QUSR628BIS&file_type=json')
      return (body as { realtime_end: string }).realtime_end
    }
    expect(await dayOf()).toBe('2026-10-03')
    const midnight = new Date('2026-10-04T05:00:00Z').getTime()
    app.clock.advance(midnight - 1 - app.clock.now().getTime())
    expect(await dayOf()).toBe('2026-10-03')
    app.clock.advance(1)
    expect(await dayOf()).toBe('2026-10-04')
  })
})

describe('the file of a graph, which pandas-datareader reads', () => {
  it('has a column for the days and one for the series', async () => {
    const { text: csv, headers } = await get('/graph/fredgraph.csv?id=QUSPAM770A&cosd=2025-04-01')
    expect(csv).toBe('observation_date,QUSPAM770A\n2025-04-01,.\n2025-07-01,140.1\n2025-10-01,140.3\n')
    expect(headers.get('content-disposition')).toBe('attachment; filename="QUSPAM770A.csv"')
  })

  it('takes the period, the units and the day of its address', async () => {
    expect(
      await text(
        '/graph/fredgraph.csv?bgcolor=ffffff&id=QUSPAM770A&cosd=2025-01-01&coed=2025-07-01&transformation=ch1&vintage_date=2026-08-01',
      ),
    ).toBe('observation_date,QUSPAM770A\n2025-01-01,.\n2025-04-01,.\n2025-07-01,-2.1\n')
  })

  it('is a 404 for a series that does not exist', async () => {
    const { status, text: page } = await get('/graph/fredgraph.csv?id=GDP')
    expect([status, page]).toEqual([404, 'Not Found.  The series does not exist.'])
  })
})

describe('a refused request', () => {
  const NOT_SERVED = 'series_id=QUSPAM770A&'

  it.each([
    ['The series does not exist.', 'series_id=GDP'],
    // The exchange rate of FRED is monthly, this gateway's quarterly.
    ['The series does not exist.', 'series_id=RBUSBIS'],
    ['The series does not exist.', 'series_id=QFRPAM770A'],
    ['The series does not exist.', 'series_id=QUSPAM770A.'],
    // Known, but not loaded here.
    ['The series does not exist.', 'series_id=UNRATE'],
    ["Variable units is not one of the values: 'lin'.", 'series_id=DGS10&units=pch'],
    ["Variable frequency is not one of the values: 'd'.", 'series_id=DGS10&frequency=m'],
    ['Variable series_id is not set.', ''],
    ["Variable units is not one of the values: 'lin', 'chg', 'ch1', 'pch', 'pc1'.", `${NOT_SERVED}units=log`],
    ["Variable frequency is not one of the values: 'q'.", `${NOT_SERVED}frequency=a`],
    [
      "Variable aggregation_method is not one of the values: 'avg'.",
      `${NOT_SERVED}frequency=q&aggregation_method=eop`,
    ],
    ["Variable output_type is not one of the values: '1'.", `${NOT_SERVED}output_type=2`],
    ['Variable vintage_dates is not served: use realtime_end.', `${NOT_SERVED}vintage_dates=2026-08-01`],
    ['Variable limit is not between 1 and 100000.', `${NOT_SERVED}limit=100001`],
    ['Variable offset is not between 0 and 1000000.', `${NOT_SERVED}offset=-1`],
    ['Variable observation_start is not a valid calendar date.', `${NOT_SERVED}observation_start=2026-02-30`],
    ['Variable realtime_start is before the real-time min date', `${NOT_SERVED}realtime_start=1700-01-01`],
    [
      "Variable realtime_end can not be after today's date (2026-10-0",
      `${NOT_SERVED}realtime_end=2026-12-01`,
    ],
    [
      'Variable realtime_start is after realtime_end.',
      `${NOT_SERVED}realtime_start=2026-09-02&realtime_end=2026-09-01`,
    ],
    ["Variable units is not 'lin'", `${NOT_SERVED}units=chg&realtime_start=2026-06-01`],
  ])('is a 400 in JSON: %s', async (message, query) => {
    const { status, body } = await get(`/fred/series/observations?file_type=json&${query}`)
    expect([status, body]).toEqual([
      400,
      { error_code: 400, error_message: expect.stringContaining(`Bad Request.  ${message}`) },
    ])
  })

  it('is in XML without a type of file', async () => {
    const { status, text: xml } = await get('/fred/series?series_id=%22%3C&units')
    expect([status, xml]).toEqual([
      400,
      `${XML}<error code="400" message="Bad Request.  The series does not exist."/>\n`,
    ])
    expect((await get('/fred/series?series_id=QUSPAM770A&file_type=xls')).text).toContain(
      'message="Bad Request.  Variable file_type is not one of the values: &#39;xml&#39;, &#39;json&#39;."',
    )
    expect((await get('/fred/category')).text).toContain('<error code="404" message="Not Found.  ')
  })

  it('is a 400 for more versions than a page of the operation has', () => {
    const query = new URLSearchParams('series_id=QUSPAM770A&realtime_start=1776-07-04')
    const { toBody } = translateObservations({ path: {}, query, accept: '', now: app.clock.now() })
    expect(() => toBody({ data: [], meta: { has_next: true } })).toThrow(
      expect.objectContaining({
        message:
          'The series has more versions of its observations than an answer may have. Choose a shorter real-time period.',
      }),
    )
  })

  it('is free of charge, and other statuses stay', async () => {
    const own = await makeUrlKey(2)
    const ask = (id: string) =>
      app.rest(`/compat/fred/fred/series?series_id=${id}&file_type=json`, { key: own })
    expect((await ask('GDP')).headers.get('x-ratelimit-remaining')).toBe('2')
    for (let unit = 0; unit < 2; unit += 1) expect((await ask('QUSPAM770A')).status).toBe(200)
    const { status, body } = await ask('QUSPAM770A')
    expect([status, body]).toEqual([
      429,
      { error_code: 429, error_message: expect.stringMatching(/^Too Many Requests\. {2}Hourly limit/) },
    ])
  })
})

describe('a key in the parameter api_key', () => {
  const path = '/compat/fred/fred/series?series_id=QUSPAM770A'
  let urlKey: string
  beforeAll(async () => {
    urlKey = await makeUrlKey(20)
  })

  it('is read wherever it stands, as the parameter token is', async () => {
    for (const query of [`${path}&api_key=${urlKey}`, `${path}&token=${urlKey}`])
      expect((await app.rest(query)).status).toBe(200)
    const first = `/compat/fred/fred/series?api_key=${urlKey}&&series_id=QUSPAM770A`
    expect((await app.rest(first)).status).toBe(200)
  })

  it.each([
    ['another interface', '/compat/frankfurter/v1/latest', 401],
    ['an operation', '/v1/macro/bis/countries', 401],
    ['its own account', '/auth/me', 401],
    ['a path that begins with the same letters', '/compat/fredx/fred/series', 404],
  ])('is not read at %s', async (_what, elsewhere, expected) => {
    const { status, text: refused } = await app.rest(`${elsewhere}?api_key=${urlKey}`)
    expect(status).toBe(expected)
    expect(refused).not.toContain(urlKey)
  })

  it.each([
    ['an ordinary key', () => key],
    ['a key of FRED', () => 'abcdefghijklmnopqrstuvwxyz123456'],
    ['no key', () => ''],
  ])('is refused in the form of FRED: %s', async (_what, secret) => {
    const { status, text: xml } = await app.rest(`${path}&api_key=${secret()}`)
    expect(status).toBe(400)
    expect(xml).toContain('Bad Request.  The value for variable api_key is not registered.  ')
    if (secret() !== '') expect(xml).not.toContain(secret())
  })

  it('twice is a 400, and none reaches the log', async () => {
    expect((await app.rest(`${path}&api_key=${urlKey}&token=${urlKey}`)).status).toBe(400)
    const lines = app.logLines.join('')
    for (const secret of [urlKey, key]) expect(lines).not.toContain(secret)
  })
})

describe('recorded answers (skipped without their samples)', () => {
  const sample = (name: string) => {
    const path = samplePath(name)
    return path === null ? null : readFileSync(path, 'utf8')
  }
  /** Names of the attributes of an element. */
  const attributesOf = (xml: string, element: string) => {
    const [, attributes = ''] = new RegExp(`<${element}\\s([^>]*)>`).exec(xml) ?? []
    return [...attributes.matchAll(/(\w+)="/g)].map(([, name]) => name)
  }
  const credit = samplePath('bis/WS_TC_csv_col.csv')

  it.skipIf(credit === null)('have the same members in JSON', async () => {
    const recorded = JSON.parse(sample('fred/series_observations_DEXUSEU_2026-03.json') ?? '')
    const { body } = await get('/fred/series/observations?series_id=QUSPAM770A&file_type=json')
    const ours = body as { observations: readonly object[] }
    expect(Object.keys(ours)).toEqual(Object.keys(recorded))
    expect(Object.keys(ours.observations[0] ?? {})).toEqual(Object.keys(recorded.observations[0]))
  })

  it.skipIf(credit === null)(
    'have the same attributes in XML, but for the popularity of a series',
    async () => {
      const observations = sample('fred/fredapi_series_observations_SP500.xml') ?? ''
      const ours = await text('/fred/series/observations?series_id=QUSPAM770A')
      for (const element of ['observations', 'observation'])
        expect(attributesOf(ours, element)).toEqual(attributesOf(observations, element))
      const series = sample('fred/fredapi_series_PAYEMS.xml') ?? ''
      const named = attributesOf(series, 'series').filter((name) => name !== 'popularity')
      expect(attributesOf(await text('/fred/series?series_id=QUSPAM770A'), 'series').toSorted()).toEqual(
        named.toSorted(),
      )
      const error = sample('fred/fredapi_error_400.xml') ?? ''
      expect((await text('/fred/series?series_id=invalid')).trim().replace('"/>', '" />')).toBe(error.trim())
    },
  )

  it.skipIf(credit === null)('have the figures that FRED showed in September 2026', async () => {
    const [header = '', ...lines] = (sample('bis/WS_TC_csv_col.csv') ?? '').split('\n')
    const line = lines.find((row) => row.includes('Q:US:P:A:M:770:A'))?.split(',') ?? []
    // The titles of some series have commas, so periods are counted from the end.
    const periods = header.split(',').reverse()
    const cells = line.toReversed()
    const figure = Number(cells[periods.indexOf('2025-Q4')])
    await write(app, CREDIT, { '2025-Q4': figure })
    app.clock.advance(1_000)
    expect(await values('observation_start=2025-10-01')).toEqual(['2025-10-01 140.3'])
  })
})
