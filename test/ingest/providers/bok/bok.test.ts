import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody, RetryLater } from '../../../../src/ingest/feed.js'
import { bokFeed } from '../../../../src/ingest/providers/bok/bok.js'
import { samplePath } from '../../../support/samples.js'
import { readBodies, textsOf } from '../bank-bodies.js'

const row = (time: string, value: string, more = '') =>
  `{"STAT_CODE":"731Y001","STAT_NAME":"환율 ","ITEM_CODE1":"0000009","ITEM_NAME1":"원/달러","ITEM_CODE2":null,"UNIT_NAME":"원 ","TIME":"${time}","DATA_VALUE":${value}${more}}`

const answer = (rows: readonly string[], total = rows.length) =>
  `{"StatisticSearch":{"list_total_count":${total},"row":[${rows.join()}]}}`

const read = (body: string | Uint8Array) => textsOf(readBodies(bokFeed, [body]))

const HEADER = 'STAT_CODE,STAT_NAME,ITEM_CODE1,ITEM_NAME1,UNIT_NAME,TIME,DATA_VALUE'

describe('an answer of the Bank of Korea', () => {
  it.each([
    ['20240102', 'D', '2024-01-02'],
    ['202402', 'M', '2024-02-01'],
    ['2024Q3', 'Q', '2024-07-01'],
    ['202402S2', 'SM', '2024-02-16'],
    ['2024S2', 'S', '2024-07-01'],
    ['2024', 'A', '2024-01-01'],
  ])('spells a period %s, of a series of cycle %s, which begins on %s', (time, cycle, start) => {
    expect(read(answer([row(time, '"1.5"')]))).toEqual([`731Y001 0000009_${cycle} ${start} 1.5`])
  })

  it('gives numbers as text: with blanks, with commas, as a dash or empty without a value', () => {
    const values = ['"1,356.70 "', '"-"', '""', 'null', '"-0.5"']
    expect(read(answer(values.map((value, at) => row(`20240${at + 1}`, value))))).toEqual([
      '731Y001 0000009_M 2024-01-01 1356.7',
      '731Y001 0000009_M 2024-02-01 null',
      '731Y001 0000009_M 2024-03-01 null',
      '731Y001 0000009_M 2024-04-01 null',
      '731Y001 0000009_M 2024-05-01 -0.5',
    ])
  })

  it('is described by its own names, its unit in English; a listed series by known facts', () => {
    const [own] = readBodies(bokFeed, [answer([row('202401', '"1"')])])
    expect(own).toMatchObject({ row: { series: { unit: 'KRW', description: '환율 - 원/달러' } } })
    const listed = row('20240102', '"1"').replace('0000009', '0000001')
    expect(readBodies(bokFeed, [answer([listed])])).toMatchObject([
      { row: { series: { unit: 'KRW per USD', description: 'Won per US dollar, basic rate' } } },
    ])
  })

  it('separates items of a table by all their codes, in any order of rows', () => {
    const of = (time: string, item: string) =>
      row(time, '"1"').replace('"ITEM_CODE2":null', `"ITEM_CODE2":"${item}"`)
    const rows = [of('20240102', 'A'), of('20240102', 'B'), of('20240103', 'A'), of('20240103', 'B')]
    expect(read(answer(rows)).map((text) => text.slice(8))).toEqual([
      '0000009_A_D 2024-01-02 1',
      '0000009_A_D 2024-01-03 1',
      '0000009_B_D 2024-01-02 1',
      '0000009_B_D 2024-01-03 1',
    ])
  })

  it('can be CSV', () => {
    expect(read(`${HEADER}\n731Y001,x,0000001,x,원 ,19640504,255.77\n`)).toEqual([
      '731Y001 0000001_D 1964-05-04 255.77',
    ])
  })

  it('without data has no rows', () => {
    expect(read('{"RESULT":{"CODE":"INFO-200","MESSAGE":"none"}}')).toEqual([])
  })
})

describe('the windows of the Bank of Korea', () => {
  const [request] = bokFeed.requests(new Date('2026-11-20T12:00:00Z'))
  if (request === undefined) throw new Error('nothing is asked')
  const next = (text: string) => bokFeed.next({ body: new TextEncoder().encode(text), request })

  it('are requested until the total is reached; the shown address has no key', () => {
    expect(request.url).toBe(
      'https://ecos.bok.or.kr/api/StatisticSearch/BOK_API_KEY/json/kr/1/10000/722Y001/D/19500101/20261120/0101000',
    )
    expect(next(answer([], 10_000))).toBeNull()
    expect(next(answer([], 10_001))?.url).toContain('/json/kr/10001/20000/722Y001/D/')
    expect(next('{"RESULT":{"CODE":"INFO-200"}}')).toBeNull()
  })

  it('hold a series whole if all rows of the total arrived', () => {
    const second = { ...request, url: request.url.replace('/1/10000/', '/10001/20000/') }
    const bodies = [answer([row('202401', '"1"')], 2), answer([row('202402', '"2"')], 2)]
    const read = (pages: readonly string[]) => textsOf(readBodies(bokFeed, pages, [request, second]))
    const late = '722Y001/D/19500101/20261120/0101000: 1 rows came, but 2 were announced'
    expect(read(bodies)).toEqual([
      '731Y001 0000009_M 2024-01-01 1 whole',
      '731Y001 0000009_M 2024-02-01 2 whole',
    ])
    expect(read([bodies[0] ?? ''])).toEqual([late, '731Y001 0000009_M 2024-01-01 1'])
    expect(read([bodies[0] ?? '', '{"RESULT":{"CODE":"INFO-200"}}'])).toEqual([
      late,
      '731Y001 0000009_M 2024-01-01 1',
    ])
    expect(read([bodies[0] ?? '', answer([row('202402', '"x"')], 2)])).toEqual([
      'page 2, row 1: the value "x" is not a decimal in the supported range',
      '731Y001 0000009_M 2024-01-01 1',
    ])
  })
})

describe('a malformed body of the Bank of Korea', () => {
  it.each([
    [
      'a wrong key',
      '{"RESULT":{"CODE":"INFO-100","MESSAGE":"키"}}',
      new BrokenBody('ECOS refuses the request: "INFO-100"'),
    ],
    ['another object', '{"a":1}', new BrokenBody('the body is not an answer of StatisticSearch')],
    [
      'no total',
      '{"StatisticSearch":{"row":[]}}',
      new BrokenBody('list_total_count is missing, not a number'),
    ],
    ['no rows', '{"StatisticSearch":{"list_total_count":1}}', new BrokenBody('row is missing, not a list')],
    ['an HTML page', '<html>', new BrokenCsv('the body is HTML or XML, not CSV')],
    ['nothing', '', new BrokenCsv('the body is empty')],
    [
      'another table',
      'a,b\n1,2\n',
      new BrokenBody('the first line is not a header of ECOS: it has no column STAT_CODE'),
    ],
    [
      'CP949',
      Buffer.concat([Buffer.from(`${HEADER}\n731Y001,`), Buffer.from([0xbf, 0xf8])]),
      new BrokenCsv('the body is not UTF-8 text'),
    ],
  ])('is refused completely: %s', (_what, body, error) => {
    expect(() => read(body)).toThrow(error)
  })

  it.each(['ERROR-602', 'ERROR-500'])('is retried later: %s', (code) => {
    expect(() => read(`{"RESULT":{"CODE":"${code}"}}`)).toThrow(RetryLater)
  })

  it('loses the unreadable rows, each with its reason', () => {
    const rows = [
      row('202401', '"NaN"'),
      row('202402', '"1e400"'),
      row('202403', '"1"'),
      row('202403', '"1"'),
      row('202403', '"2"'),
      row('202413', '"1"'),
      row('2024S3', '"1"'),
      row('202701', '"1"'),
      '7',
      row('202404', '"1"').replace('731Y001', '731;'),
      row('202404', '"1"').replace('"0000009"', 'null'),
    ]
    expect(read(answer(rows))).toEqual([
      'row 1: the value "NaN" is not a decimal in the supported range',
      'row 2: the value "1e400" is not a decimal in the supported range',
      'row 6: TIME "202413" is not a period',
      'row 7: TIME "2024S3" is not a period',
      'row 8: 202701 has not begun yet',
      'row 9: is "7", not an object',
      'row 10: STAT_CODE "731;" is not a table',
      'row 11: ITEM_CODE "" is not an item',
      ...['row 3', 'row 4', 'row 5'].map(
        (place) =>
          `${place}: 3 rows are of this series and period, and the series has rows with other values: a dimension is missing, so none is used`,
      ),
    ])
  })

  it('that is cut off keeps the earlier rows, and says so', () => {
    const body = answer([row('202401', '"1"'), row('202402', '"2"')])
    expect(read(body.slice(0, -20))).toEqual([
      'row 2: the body is cut off within the row',
      '731Y001 0000009_M 2024-01-01 1',
    ])
    expect(read(body.slice(0, -3))).toEqual([
      'after row 2: the body is cut off',
      '731Y001 0000009_M 2024-01-01 1',
      '731Y001 0000009_M 2024-02-01 2',
    ])
    expect(read(`${HEADER}\n731Y001,x,0000001,x,원,20240102,1\n731Y001,x,00000`)).toEqual([
      'line 3: has 3 cells, but the header has 7',
      '731Y001 0000001_D 2024-01-02 1',
    ])
  })
})

describe.skipIf(samplePath('bok/krw_per_usd_daily.csv') === null)(
  'recorded bodies of the Bank of Korea (skipped without their sample files)',
  () => {
    const recorded = (name: string) =>
      textsOf(readBodies(bokFeed, [readFileSync(samplePath(`bok/${name}`) ?? '')]))

    it.each([
      [
        'krw_per_usd_daily.csv',
        16_751,
        '731Y001 0000001_D 1964-05-04 255.77',
        '731Y001 0000001_D 2023-08-08 1304.1',
      ],
      ['base_rate_daily.csv', 8_859, '722Y001 0101000_D 1999-05-06 4.75', '722Y001 0101000_D 2023-08-07 3.5'],
      [
        'loan_rates_monthly.csv',
        330,
        '121Y006 BECBLA01_M 1996-01-01 11.43',
        '121Y006 BECBLA01_M 2023-06-01 5.17',
      ],
      [
        'StatisticSearch_722Y001_M_202401.json',
        2,
        '722Y001 0101000_M 2024-01-01 3.5',
        '722Y001 0102000_M 2024-01-01 1.75',
      ],
      ['error_INFO-200.json', 0, undefined, undefined],
    ])('are read whole without a rejection: %s', (name, rows, first, last) => {
      const texts = recorded(name)
      expect([texts.length, texts[0], texts.at(-1)]).toEqual([rows, first, last])
    })

    it.each([
      'error_INFO-100.json',
      'error_ERROR-301.json',
      'KeyStatisticList.json',
      'StatisticItemList_722Y001.json',
    ])('are refused if they hold no rows: %s', (name) => {
      expect(() => recorded(name)).toThrow(BrokenBody)
    })
  },
)
