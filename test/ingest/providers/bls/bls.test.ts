import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BrokenBody, RetryLater } from '../../../../src/ingest/feed.js'
import { blsFeed, blsHistoryFeed } from '../../../../src/ingest/providers/bls/bls.js'
import { BLS_SERIES } from '../../../../src/ingest/providers/bls/series-list.js'
import { samplePath } from '../../../support/samples.js'
import { readBodies, readCounts, textsOf } from '../bank-bodies.js'

interface Value {
  readonly year?: string
  readonly period: string
  readonly value: string
  readonly footnotes?: readonly object[]
}

const series = (id: string, ...data: readonly Value[]) => ({
  seriesID: id,
  data: data.map((one) => ({ year: '2026', periodName: '', footnotes: [{}], ...one })),
})
const answer = (list: readonly object[], message: readonly string[] = [], status = 'REQUEST_SUCCEEDED') =>
  JSON.stringify({ status, responseTime: 1, message, Results: { series: list } })
const read = (body: string | Uint8Array) => textsOf(readBodies(blsFeed, [body]))

describe('an answer of the US Bureau of Labor Statistics', () => {
  it('gives the values of months, quarters, half-years and years, without averages over them', () => {
    const body = answer([
      series('LNS14000000', { period: 'M13', value: '4.2' }, { period: 'M09', value: '4.3' }),
      series('CIS1010000000000I', { period: 'Q02', value: '172.4' }, { period: 'Q05', value: '171' }),
      series('CUUS0000SA0', { period: 'S01', value: '329.1' }, { period: 'S03', value: '330' }),
      series('PRU30006092', { year: '2024', period: 'A01', value: '1.5' }),
    ])
    expect(read(body)).toEqual([
      'LN LNS14000000 2026-09-01 4.3',
      'CI CIS1010000000000I 2026-04-01 172.4',
      'CU CUUS0000SA0 2026-01-01 329.1',
      'PR PRU30006092 2024-01-01 1.5',
    ])
    expect(readCounts(blsFeed, [body])).toEqual({ rows: 4, rejected: 0, absent: 3 })
  })

  it('gives a value that was never collected as null with the footnote, and keeps that one is preliminary', () => {
    const lapse = { code: 'X', text: 'Data unavailable due to the 2025 lapse in appropriations' }
    const body = answer([
      series(
        'CUUR0000SA0',
        { year: '2025', period: 'M10', value: '-', footnotes: [lapse] },
        { period: 'M09', value: '334.98', footnotes: [{ code: 'P', text: 'preliminary' }, {}] },
      ),
    ])
    const rows = readBodies(blsFeed, [body]).map((item) => (item.kind === 'row' ? item.row : null))
    expect(rows).toMatchObject([
      { periodStart: '2025-10-01', value: null, note: `X: ${lapse.text}` },
      { periodStart: '2026-09-01', value: '334.98', note: 'P: preliminary' },
    ])
  })

  it('refuses a series, period or value that it cannot read, and keeps the others', () => {
    const body = answer([
      { seriesID: 'x', data: [] },
      { seriesID: 'LNS14000000' },
      series(
        'LNS14000000',
        { period: 'M14', value: '1' },
        { period: 'Q01', value: '1' },
        { period: 'M12', value: '1' },
        { period: 'M08', value: 'n/a' },
        { period: 'M07', value: '4.2' },
      ),
    ])
    expect(read(body)).toEqual([
      'series 1 "x": seriesID is "x", not an id',
      'series 2 "LNS14000000": data is missing, not a list',
      'series 3 "LNS14000000", value 1: "2026" and "M14" are no period',
      'series 3 "LNS14000000", value 2: 2026-Q1 is not a period of a series that is monthly',
      'series 3 "LNS14000000", value 3: 2026-12 has not begun yet',
      'series 3 "LNS14000000", value 4: the value "n/a" is not a decimal in the supported range',
      'LN LNS14000000 2026-07-01 4.2',
    ])
  })

  it('counts a repeated month once, and refuses both values if they or their footnotes differ', () => {
    const of = (second: Value) => answer([series('LNS14000000', { period: 'M07', value: '4.2' }, second)])
    expect(read(of({ period: 'M07', value: '4.2' }))).toHaveLength(1)
    const differs = expect.stringContaining('the body has the period twice')
    expect(read(of({ period: 'M07', value: '4.3' }))).toEqual([differs, differs])
    expect(read(of({ period: 'M07', value: '4.2', footnotes: [{ code: 'R' }] }))).toEqual([differs, differs])
  })

  it('that refuses all requests for now says nothing about the data', () => {
    const body = answer(
      [],
      ['the daily threshold of key 0123456789abcdef0123456789abcdef'],
      'REQUEST_NOT_PROCESSED',
    )
    expect(() => read(body)).toThrow(RetryLater)
    expect(() => read(body)).toThrow('the daily threshold of key …')
    const [request] = blsFeed.requests(new Date('2026-11-20T12:00:00Z'))
    if (request === undefined) return expect.fail('nothing is asked')
    expect(() => blsFeed.next({ body: new TextEncoder().encode(body), request })).toThrow(RetryLater)
  })

  it('names series that do not exist; a year without data is no fault', () => {
    const [request] = blsFeed.requests(new Date('2026-11-20T12:00:00Z'))
    const all = BLS_SERIES.map(({ seriesKey }) => series(seriesKey))
    const messages = [
      'Series does not exist for Series JTS1',
      'No Data Available for Series LNS14000000 Year: 2026',
    ]
    expect(read(answer([], messages))).toEqual([
      'message 1: the Bureau says "Series does not exist for Series JTS1"',
    ])
    const missing = readBodies(blsFeed, [answer(all.slice(1))], request === undefined ? [] : [request])
    expect(textsOf(missing)).toEqual(['series CUSR0000SA0: was requested, but the answer lacks it'])
  })

  it.each([
    ['an error page', '<html>Forbidden</html>', 'HTML or XML'],
    ['another encoding', Buffer.from(answer([]), 'utf16le'), 'JSON'],
    [
      'a body that is cut off',
      answer([series('LNS14000000', { period: 'M07', value: '4.2' })]).slice(0, -9),
      'cut off',
    ],
    [
      'a body without results',
      '{"status":"REQUEST_SUCCEEDED","message":[],"Results":{}}',
      'not a list of series',
    ],
    ['a failed request', answer([], ['Your key is invalid'], 'REQUEST_FAILED'), 'Your key is invalid'],
  ])('refuses %s', (_what, body, reason) => {
    expect(() => read(body)).toThrow(BrokenBody)
    expect(() => read(body)).toThrow(reason)
  })

  it('is requested for ten years without a key, and for all years with one', () => {
    const now = new Date('2026-11-20T12:00:00Z')
    const bodies = (feed: typeof blsFeed) => feed.requests(now).map(({ body = '' }) => JSON.parse(body))
    expect(BLS_SERIES).toHaveLength(25)
    expect(bodies(blsFeed)).toEqual([
      { seriesid: BLS_SERIES.map(({ seriesKey }) => seriesKey), startyear: '2017', endyear: '2026' },
    ])
    const ranges = bodies(blsHistoryFeed)
    expect(ranges.map(({ startyear, endyear }) => `${startyear} ${endyear}`)).toEqual([
      ...['2007 2026', '1987 2006', '1967 1986', '1947 1966', '1927 1946', '1913 1926'],
    ])
    expect(ranges[0].registrationkey).toBe('BLS_API_KEY')
  })
})

describe.skipIf(samplePath('bls') === null)('recorded answers (skipped without their sample files)', () => {
  const recorded = (name: string) => readFileSync(samplePath(`bls/${name}`) ?? '')

  it.each([
    [
      'v2_APU0000701111_2022_catalog_calculations.json',
      { rows: 12, rejected: 0, absent: 0 },
      'AP APU0000701111 2022-12-01 0.522',
    ],
    [
      'v2_CES_LNS_2015-2016-05.json',
      { rows: 51, rejected: 0, absent: 0 },
      'CE CES0000000001 2016-05-01 143894',
    ],
    [
      'v2_CUUR0000SA0_2015-2020-04_annualaverage.json',
      { rows: 64, rejected: 0, absent: 10 },
      'CU CUUR0000SA0 2020-04-01 256.389',
    ],
    [
      'v2_CUUR0000SA0_2024-2026-08_missing_2025-10.json',
      { rows: 32, rejected: 0, absent: 0 },
      'CU CUUR0000SA0 2025-10-01 null',
    ],
  ])('%s are read without a rejection', (name, counts, text) => {
    expect(readCounts(blsFeed, [recorded(name)])).toEqual(counts)
    expect(read(recorded(name))).toContain(text)
  })

  it('refuse more requests on a day as not yet', () => {
    expect(() => read(recorded('error_REQUEST_NOT_PROCESSED_daily.json'))).toThrow(RetryLater)
  })
})
