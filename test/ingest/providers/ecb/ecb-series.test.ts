import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { ecbSeriesFeed, ecbSeriesHistoryFeed } from '../../../../src/ingest/providers/ecb/ecb-series.js'
import { ECB_SERIES } from '../../../../src/ingest/providers/ecb/series-list.js'
import { samplePath } from '../../../support/samples.js'
import { readBodies, readCounts, textsOf } from '../bank-bodies.js'

const WT = 'EST.B.EU000A2X2A25.WT'
const DFR = 'FM.D.U2.EUR.4F.KR.DFR.LEV'
const HICP = 'HICP.M.U2.N.000000.4D0.ANR'

const answer = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n`
const rows = (...lines: readonly string[]) => answer('KEY,TIME_PERIOD,OBS_VALUE', ...lines)
const read = (body: string | Uint8Array) => textsOf(readBodies(ecbSeriesFeed, [body]))

describe('an answer of the ECB data API', () => {
  it('is read by the names of its columns, whatever their number and order', () => {
    const full = answer(
      'TITLE,OBS_STATUS,OBS_VALUE,KEY,TIME_PERIOD',
      `"Rate, trimmed mean",A,2.43,${WT},2026-09-23`,
    )
    expect(read(full)).toEqual(['EST B.EU000A2X2A25.WT 2026-09-23 2.43'])
    expect(read(rows(`${HICP},2026-05,2.1`))).toEqual(['HICP M.U2.N.000000.4D0.ANR 2026-05-01 2.1'])
  })

  it('keeps all ten decimals of a yield, and values below zero', () => {
    const key = 'YC.B.U2.EUR.4F.G_N_A.SV_C_YM.SR_10Y'
    expect(read(rows(`${key},2026-05-19,3.2197250915`, `${key},2020-05-19,-0.4`))).toEqual([
      'YC B.U2.EUR.4F.G_N_A.SV_C_YM.SR_10Y 2026-05-19 3.2197250915',
      'YC B.U2.EUR.4F.G_N_A.SV_C_YM.SR_10Y 2020-05-19 -0.4',
    ])
  })

  it('has no observation on a day without a value, and one without a value in such a month', () => {
    const body = rows(`${WT},2026-04-06,`, `${HICP},2026-05,`)
    expect(read(body)).toEqual(['HICP M.U2.N.000000.4D0.ANR 2026-05-01 null'])
    expect(readCounts(ecbSeriesFeed, [body])).toEqual({ rows: 1, rejected: 0, absent: 1 })
  })

  it('may announce a key interest rate, but no other value', () => {
    expect(read(rows(`${DFR},2026-12-16,1.75`, `${WT},2026-12-16,1.7`, `${DFR},2028-01-01,1`))).toEqual([
      'FM D.U2.EUR.4F.KR.DFR.LEV 2026-12-16 1.75',
      'line 3: 2026-12-16 has not begun yet',
      'line 4: 2028-01-01 has not begun yet',
    ])
  })

  it('refuses an unknown key, frequency, period and value, and a line with other cells', () => {
    const body = rows(
      'EST,2026-09-23,1',
      'EST.W.EU000A2X2A25.WT,2026-W12,1',
      `${WT},2026-09,1`,
      `${WT},2026-09-23,1.2.3`,
      `${WT},2026-09-24`,
      `${WT},2026-09-25,1.9`,
    )
    expect(read(body)).toEqual([
      'line 2: KEY "EST" is not the key of a series',
      'line 3: the frequency "W" is not served',
      'line 4: TIME_PERIOD "2026-09" is not a period of a series that is daily',
      'line 5: the value "1.2.3" is not a decimal in the supported range',
      'line 6: has 2 cells, but the header has 3',
      'EST B.EU000A2X2A25.WT 2026-09-25 1.9',
    ])
  })

  it('counts a repeated period once, and refuses both values if they differ', () => {
    expect(read(rows(`${WT},2026-09-23,1.9`, `${WT},2026-09-23,1.90`))).toHaveLength(1)
    const reason = 'the body has the period twice, with different values; neither is used'
    expect(read(rows(`${WT},2026-09-23,1.9`, `${WT},2026-09-23,1.91`))).toEqual([
      `line 2: ${reason}`,
      `line 3: ${reason}`,
    ])
  })

  it('that has a header alone, or the status for no data, changes nothing', () => {
    expect(read(rows())).toEqual([])
    const [request] = ecbSeriesFeed.requests(new Date('2026-11-20T12:00:00Z'))
    expect(request?.noDataStatus).toBe(404)
    expect(readBodies(ecbSeriesFeed, [''], request === undefined ? [] : [request])).toEqual([])
  })

  it.each([
    ['a page', '<html>error</html>', BrokenCsv, 'HTML or XML'],
    ['a problem in JSON', '{"title":"Not Found"}', BrokenCsv, 'JSON'],
    ['an empty file', '', BrokenCsv, 'empty'],
    ['another encoding', Buffer.from(rows(`${WT},2026-09-23,1.9`), 'utf16le'), BrokenCsv, 'binary'],
    ['a lost column', answer('KEY,TIME_PERIOD', `${WT},2026-09-23`), BrokenBody, 'no column OBS_VALUE'],
    ['a column twice', answer('KEY,KEY,TIME_PERIOD,OBS_VALUE'), BrokenBody, 'a column twice'],
  ])('refuses %s', (_what, body, kind, reason) => {
    expect(() => read(body)).toThrow(kind)
    expect(() => read(body)).toThrow(reason)
  })

  it('is requested for each series, either what changed in ten days or all periods', () => {
    const now = new Date('2026-11-20T12:00:00Z')
    const changed = ecbSeriesFeed.requests(now)
    expect(changed).toHaveLength(ECB_SERIES.length)
    expect(changed[0]?.url).toBe(
      'https://data-api.ecb.europa.eu/service/data/FM/D.U2.EUR.4F.KR.DFR.LEV?format=csvdata&detail=dataonly&updatedAfter=2026-11-10T00%3A00%3A00Z',
    )
    const all = ecbSeriesHistoryFeed.requests(now)
    expect(all.map(({ url }) => new URL(url).searchParams.get('updatedAfter'))).toEqual(
      ECB_SERIES.map(() => null),
    )
    expect(all.some(({ noDataStatus }) => noDataStatus !== undefined)).toBe(false)
  })

  it('keeps that a value is provisional, and the comment of the ECB', () => {
    const full = answer(
      'KEY,TIME_PERIOD,OBS_VALUE,OBS_STATUS,COMMENT_OBS',
      `${HICP},2026-05,2.1,P,Flash`,
      `${HICP},2026-04,2,A,`,
    )
    const notes = readBodies(ecbSeriesFeed, [full]).map((item) =>
      item.kind === 'row' && 'note' in item.row ? item.row.note : undefined,
    )
    expect(notes).toEqual(['P: provisional; Flash', null])
  })

  it('of a series that no feed requests is described by its attributes', () => {
    const full = answer(
      'KEY,REF_AREA,TIME_PERIOD,OBS_VALUE,TITLE,UNIT,UNIT_MULT',
      'BSI.M.DE.N.A.A20.A.1.U2.2250.Z01.E,DE,2026-05,1.5,"Loans, Germany",EUR,6',
    )
    const [item] = readBodies(ecbSeriesFeed, [full])
    expect(item).toMatchObject({
      row: {
        series: { country: 'DE', unit: 'EUR, 10^6', description: 'Loans, Germany', frequency: 'monthly' },
      },
    })
  })
})

describe.skipIf(samplePath('ecb_macro') === null)(
  'recorded answers (skipped without their sample files)',
  () => {
    it.each([
      ['EST_WT_dataonly_2rows.csv', 2, 'EST B.EU000A2X2A25.WT 2026-09-24 2.44'],
      ['EST_compounded_3M_full_columns_2rows.csv', 2, 'EST B.EU000A2QQF32.CR 2026-03-26 1.9358'],
      ['FM_DFR_dataonly_changes.csv', 4, 'FM B.U2.EUR.4F.KR.DFR.LEV 2024-12-18 3'],
      [
        'FM_EURIBOR12M_full_columns_2021-01_04.csv',
        4,
        'FM M.U2.EUR.RT.MM.EURIBOR1YD_.HSTA 2021-01-01 -0.5047',
      ],
      ['HICP_ANR_ES_new_flow_2rows.csv', 2, 'HICP M.ES.N.000000.4D0.ANR 2026-05-01 3.6'],
      ['ICP_ANR_dataonly_2024.csv', 10, 'ICP M.U2.N.000000.4.ANR 2024-01-01 2.8'],
      ['YC_SR_10Y_dataonly_2rows.csv', 2, 'YC B.U2.EUR.4F.G_N_A.SV_C_YM.SR_10Y 2026-05-20 3.1913866523'],
    ])('%s give every observation', (name, count, text) => {
      const body = readFileSync(samplePath(`ecb_macro/${name}`) ?? '')
      expect(readCounts(ecbSeriesFeed, [body])).toEqual({ rows: count, rejected: 0, absent: 0 })
      expect(read(body)).toContain(text)
    })
  },
)
