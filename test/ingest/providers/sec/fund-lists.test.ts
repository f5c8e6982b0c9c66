import { describe, expect, it } from 'vitest'
import { BrokenBody, type Feed, type ParseContext } from '../../../../src/ingest/feed.js'
import { secFunds } from '../../../../src/ingest/providers/sec/fund-list.js'
import { fundNamesRequest, secFundNames } from '../../../../src/ingest/providers/sec/fund-names.js'

const FIELDS = ['cik', 'seriesId', 'classId', 'symbol']

function parse<Row>(feed: Feed<Row>, body: string | Uint8Array) {
  let absent = 0
  const context: ParseContext = {
    now: new Date('2026-11-20T10:00:00Z'),
    onRead: () => {},
    onAbsent: (cells = 1) => {
      absent += cells
    },
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const items = [...feed.parse(bytes, context)]
  return {
    absent,
    rows: items.flatMap((item) => (item.kind === 'row' ? item.row : [])),
    rejected: items.flatMap((item) => (item.kind === 'rejected' ? [item] : [])),
  }
}

const parseList = (data: readonly (readonly unknown[])[], fields = FIELDS) =>
  parse(secFunds, JSON.stringify({ fields, data }))

describe('the list of funds', () => {
  it('gives the classes with a ticker on an exchange, and counts those of mutual funds and those without a ticker', () => {
    const { rows, absent, rejected } = parseList([
      [1100663, 'S000004310', 'C000012040', 'IVV'],
      [36405, 'S000002839', 'C000092055', 'VOO'],
      [2110, 'S000009184', 'C000024954', 'LACAX'],
      [912028, 'S000002151', 'C000005547', 'TSCXX'],
      [1100663, 'S000004311', 'C000012041', ''],
      [1100663, 'S000004310', 'C000012040', 'IVV'],
    ])
    expect(rows).toEqual([
      {
        kind: 'listed',
        ...{ cik: '0001100663', seriesId: 'S000004310', classId: 'C000012040', ticker: 'IVV' },
      },
      {
        kind: 'listed',
        ...{ cik: '0000036405', seriesId: 'S000002839', classId: 'C000092055', ticker: 'VOO' },
      },
    ])
    expect([absent, rejected]).toEqual([4, []])
  })

  it('is read by the names of its columns', () => {
    const { rows } = parseList(
      [['IVV', 'C000012040', 1100663, 'S000004310']],
      ['symbol', 'classId', 'cik', 'seriesId'],
    )
    expect(rows).toMatchObject([{ ticker: 'IVV', cik: '0001100663' }])
  })

  it.each([
    [[0, 'S000004310', 'C000012040', 'IVV'], 'the CIK "0" of IVV is not a CIK'],
    [[1100663, null, 'C000012040', 'IVV'], 'the series null of IVV is not the id of a series'],
    [[1100663, 'S000004310', 'C12040', 'IVV'], 'the class "C12040" of IVV is not the id of a class'],
    [[1100663, 'S000004310', 'C000012040', 'I V'], 'the ticker "I V" must be a ticker'],
    [[1100663, 'S000004310', 'C000012040'], 'the ticker missing is not a ticker'],
  ])('refuses %j with a reason, and then ends nothing', (line, reason) => {
    const { rows, rejected } = parseList([line])
    expect(rows).toEqual([])
    expect(rejected).toMatchObject([{ position: 'entry 0', listed: { kind: 'unreadable' } }])
    expect(rejected[0]?.reason).toContain(reason)
  })

  it('refuses five letters that do not end with X: no exchange gives them to a fund', () => {
    const { rejected } = parseList([[1100663, 'S000004310', 'C000012040', 'IVVAB']])
    expect(rejected).toEqual([
      {
        kind: 'rejected',
        position: 'entry 0',
        reason: 'the ticker IVVAB of C000012040 is neither one of an exchange nor one of a mutual fund',
      },
    ])
  })

  it('refuses both lines of a class that has two tickers', () => {
    const { rows, rejected } = parseList([
      [1100663, 'S000004310', 'C000012040', 'IVV'],
      [1100663, 'S000004310', 'C000012040', 'IVW'],
    ])
    expect(rows).toEqual([])
    expect(rejected.map(({ position }) => position)).toEqual(['entry 0', 'entry 1'])
  })

  it.each([
    ['[]', 'the body is not a list of funds'],
    ['{"0":{"cik_str":1,"ticker":"A","title":"A"}}', 'the body is not a list of funds'],
    ['{"fields":["cik","name","ticker","exchange"],"data":[]}', 'lacks cik, seriesId, classId or symbol'],
    [JSON.stringify({ fields: FIELDS, data: [] }), 'the list of funds is empty'],
  ])('is refused as a whole if it is %s', (body, reason) => {
    expect(() => parse(secFunds, body)).toThrow(BrokenBody)
    expect(() => parse(secFunds, body)).toThrow(reason)
  })
})

const HEADER =
  'Reporting File Number,CIK Number,Entity Name,Entity Org Type,Series ID,Series Name,Class ID,Class Name,Class Ticker,Address_1,Address_2,City,State,Zip Code'

/** A line of the yearly list. */
const line = (cik: string, series: readonly [string, string], fund: readonly [string, string, string]) =>
  `811-00001,${cik},"TRUST, THE",30,${series.join(',')},${fund.join(',')},STREET,,CITY,MA,02110`

const IVV = line(
  '0001100663',
  ['S000004310', 'iShares Core S&P 500 ETF'],
  ['C000012040', 'iShares Core S&P 500 ETF', 'IVV'],
)

describe('the yearly list of the names of funds', () => {
  const names = (...lines: readonly string[]) => parse(secFundNames, [HEADER, ...lines, ''].join('\r\n'))

  it('names a class by its series, and by the class if that says more', () => {
    const { rows } = names(
      IVV,
      line('0000036405', ['S000002839', 'Vanguard 500 Index Fund'], ['C000092055', 'ETF Shares', 'VOO']),
      line(
        '0000036405',
        ['S000002840', '"A Trust, Series 1"'],
        ['C000092056', '"A Trust, Series 1 ETF"', ''],
      ),
    )
    expect(rows).toMatchObject([
      { classId: 'C000012040', seriesId: 'S000004310', cik: '0001100663', name: 'iShares Core S&P 500 ETF' },
      { name: 'Vanguard 500 Index Fund, ETF Shares' },
      { name: 'A Trust, Series 1 ETF' },
    ])
  })

  it('counts mutual funds and lines without a class, and refuses others that cannot be read', () => {
    const { rows, absent, rejected } = names(
      line('0000035315', ['S000003482', 'AMERICAN CENTURY FUND'], ['C000005008', 'INVESTOR CLASS', 'ADCVX']),
      line('0000035315', ['', ''], ['', '', '']),
      line('0000035315', ['S3482', 'Fund'], ['C000005008', 'Class', 'ABC']),
      line('0000035315', ['S000003482', ''], ['C000005008', '', 'ABC']),
      'too,few,cells',
    )
    expect([rows, absent]).toEqual([[], 2])
    expect(rejected.map(({ position, reason }) => `${position}: ${reason}`)).toEqual([
      'line 4: "S3482" of C000005008 is not the id of a series',
      'line 5: the name of C000005008 is not usable',
      'line 6: the line has 3 cells, but the header has 14',
    ])
  })

  it('refuses both lines of a class that has two names', () => {
    const { rows, rejected } = names(IVV, IVV.replaceAll('iShares Core S&P 500 ETF', 'Other ETF'))
    expect([rows, rejected.length]).toEqual([[], 2])
    expect(names(IVV, IVV)).toMatchObject({ absent: 1, rows: [{}], rejected: [] })
  })

  it('is read in Windows-1252 too', () => {
    const text = `${HEADER}\n${line('0001100663', ['S000004310', 'Fund\u00ae ETF'], ['C000012040', 'Fund\u00ae ETF', 'IVV'])}\n`
    expect(parse(secFundNames, Buffer.from(text, 'latin1')).rows).toMatchObject([{ name: 'Fund\u00ae ETF' }])
  })

  it('is refused without its columns, and requested by the year', () => {
    expect(() => parse(secFundNames, 'a,b\n1,2\n')).toThrow('the table has no column CIK Number')
    expect(fundNamesRequest(2025).url).toMatch(/\/investment-company-series-class-2025\.csv$/)
  })
})
