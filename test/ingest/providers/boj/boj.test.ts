import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BrokenBody, RetryLater } from '../../../../src/ingest/feed.js'
import { bojFeed } from '../../../../src/ingest/providers/boj/boj.js'
import { samplePath } from '../../../support/samples.js'
import { readBodies, textsOf } from '../bank-bodies.js'

interface Series {
  readonly code?: string
  readonly frequency?: string
  readonly dates: string
  readonly values: string
}

const seriesText = ({ code = 'X1', frequency = 'MONTHLY', dates, values }: Series) =>
  `{"SERIES_CODE":"${code}","NAME_OF_TIME_SERIES":"A series","UNIT":"Yen","FREQUENCY":"${frequency}","VALUES":{"SURVEY_DATES":[${dates}],"VALUES":[${values}]}}`

function answer(series: readonly Series[], { start = '202401', next = 'null', db = 'MD01' } = {}): string {
  const parameter = `{"DB":"${db}","STARTDATE":"${start}","ENDDATE":"${start}"}`
  return `{"STATUS":200,"MESSAGEID":"M181000I","PARAMETER":${parameter},"NEXTPOSITION":${next},"RESULTSET":[${series.map(seriesText).join()}]}`
}

const read = (body: string | Uint8Array) => textsOf(readBodies(bojFeed, [body]))

describe('an answer of the Bank of Japan', () => {
  it.each([
    ['DAILY', '20250106', '2025-01-06'],
    ['MONTHLY', '202502', '2025-02-01'],
    ['QUARTERLY', '202503', '2025-07-01'],
    ['WEEKLY(MONDAY)', '20250106', '2025-01-06'],
    ['SEMIANNUAL', '202502', '2025-07-01'],
    ['SEMIANNUAL(SEP)', '202502', '2025-10-01'],
    ['ANNUAL', '2024', '2024-01-01'],
    ['ANNUAL(MAR)', '2024', '2024-04-01'],
  ])('spells the periods of a %s series %s, which begin on %s', (frequency, date, start) => {
    expect(read(answer([{ frequency, dates: date, values: '1.5' }]))).toEqual([`MD01 X1 ${start} 1.5`])
  })

  it('lists weekends of a daily series without a value, which are not observations; other days are', () => {
    const dates = '20250103,20250104,20250105,20250106'
    expect(read(answer([{ frequency: 'DAILY', dates, values: 'null,null,null,2' }]))).toEqual([
      'MD01 X1 2025-01-03 null',
      'MD01 X1 2025-01-06 2',
    ])
  })

  it('lists future days without a value; a future value is refused', () => {
    expect(read(answer([{ dates: '202611,202612,202701', values: '1,null,5' }]))).toEqual([
      'MD01 X1 2026-11-01 1',
      'series 1 "X1", "202701": 2027-01-01 has not begun yet',
    ])
  })

  it('that was requested without dates holds whole series, except one with an unreadable value', () => {
    const series = [
      { code: 'A', dates: '202401', values: '1' },
      { code: 'B', dates: '202401,202402', values: '1,"n.a."' },
    ]
    expect(read(answer(series, { start: '' }))).toEqual([
      'MD01 A 2024-01-01 1 whole',
      'MD01 B 2024-01-01 1',
      'series 2 "B", "202402": the value "n.a." is not a decimal in the supported range',
    ])
  })

  it('names the following page, to which the request leads', () => {
    const [request] = bojFeed.requests(new Date())
    if (request === undefined) return expect.fail('nothing is asked')
    const next = (text: string) => bojFeed.next({ body: new TextEncoder().encode(text), request })
    expect(next(answer([]))).toBeNull()
    expect(new URL(next(answer([], { next: '251' }))?.url ?? '').searchParams.get('startPosition')).toBe(
      '251',
    )
    expect(() => next(answer([], { next: '1' }))).toThrow('NEXTPOSITION 1 does not follow the page')
  })

  it('about the series of a database describes them, without headings', () => {
    const item = (code: string) =>
      `{"SERIES_CODE":"${code}","NAME_OF_TIME_SERIES":"A name","UNIT":"Yen","FREQUENCY":"${code === '' ? '' : 'MONTHLY'}"}`
    const parsed = readBodies(bojFeed, [`{"STATUS":200,"DB":"FM08","RESULTSET":[${item('')},${item('Y2')}]}`])
    expect(textsOf(parsed)).toEqual(['FM08 Y2'])
    expect(parsed).toMatchObject([
      { row: { series: { unit: 'Yen', description: 'A name', frequency: 'monthly', isHeadline: false } } },
    ])
  })

  it('in Japanese is described by known facts of the series, or else by its own words', () => {
    const item = (code: string) =>
      `{"SERIES_CODE":"${code}","NAME_OF_TIME_SERIES_J":"名前","UNIT_J":"円","FREQUENCY":"MONTHLY","VALUES":{"SURVEY_DATES":[202401],"VALUES":[1]}}`
    const body = `{"STATUS":200,"PARAMETER":{"DB":"MD01"},"RESULTSET":[${item('MABS1AN11')},${item('X1')}]}`
    expect(readBodies(bojFeed, [body])).toMatchObject([
      { row: { series: { unit: '100 million yen', description: expect.stringContaining('Monetary Base') } } },
      { row: { series: { unit: '円', description: '名前' } } },
    ])
  })
})

describe('a malformed body of the Bank of Japan', () => {
  it.each([
    ['an HTML page', '<html>', 'the body is HTML or XML, not JSON'],
    ['nothing', '', 'the body is empty'],
    [
      'another encoding',
      Buffer.from('{"STATUS":200,"MESSAGE":"\x93\xfa"}', 'latin1'),
      'the body is not UTF-8 text',
    ],
    [
      'an error with status 200',
      '{"STATUS":400,"MESSAGEID":"M181013E","MESSAGE":"Code"}',
      'the Bank refuses the request: STATUS is "400", "M181013E": "Code"',
    ],
    ['another object', '{}', 'the body is not an answer of the API of the Bank: it has no STATUS'],
    ['a list', '[]', 'the body is a list, not an object'],
    [
      'no database',
      '{"STATUS":200,"RESULTSET":[]}',
      'the answer does not name a database of the Bank: DB is missing',
    ],
    ['no series', '{"STATUS":200,"DB":"FM08"}', 'RESULTSET is missing, not a list'],
  ])('is refused completely: %s', (_what, body, message) => {
    expect(() => read(body)).toThrow(new BrokenBody(message))
  })

  it('is retried if the service of the Bank is temporarily down', () => {
    expect(() => read('{"STATUS":503,"MESSAGEID":"M181091S","MESSAGE":"Later"}')).toThrow(RetryLater)
  })

  it('loses the unreadable values, each with its reason', () => {
    const dates = '202401,202402,202402,202402,202413,202405,202406'
    const values = 'NaN,1,1,2,3,1e400,true'
    expect(read(answer([{ dates, values }]))).toEqual([
      'series 1 "X1", "202401": the value "NaN" is not a decimal in the supported range',
      'series 1 "X1", 2024-02-01: a later row has the period with another value',
      'series 1 "X1", "202402": the period is repeated with another value; the first was 1',
      'series 1 "X1", "202413": "202413" is not a period of a series that is monthly',
      'series 1 "X1", "202405": the value "1e400" is not a decimal in the supported range',
      'series 1 "X1", "202406": the value is true, not a number',
    ])
  })

  it('loses the unreadable series, each with its reason', () => {
    const series = [
      { code: 'A', dates: '202401,202402', values: '1' },
      { code: 'B', frequency: 'HOURLY', dates: '20240101', values: '1' },
      { code: 'C D', dates: '202401', values: '1' },
      { code: 'E', dates: '202401', values: '1' },
      { code: 'E', dates: '202401', values: '2' },
    ]
    expect(read(answer(series).replace('"RESULTSET":[', '"RESULTSET":[5,'))).toEqual([
      'series 1 without a code: is "5", not an object',
      'series 2 "A": A: it has 2 dates and 1 values',
      'series 3 "B": B: the frequency "HOURLY" is not served',
      'series 4 "C D": SERIES_CODE is "C D", not a code',
      'MD01 E 2024-01-01 1',
      'series 6 "E", "202401": the period is repeated with another value; the first was 1',
    ])
  })

  it('that is cut off keeps the earlier series, and says so', () => {
    const body = answer([
      { code: 'A', dates: '202401', values: '1' },
      { code: 'B', dates: '202401,202402', values: '1,2' },
    ])
    expect(read(body.slice(0, -8))).toEqual([
      'MD01 A 2024-01-01 1',
      'series 2 "B": the body is cut off within the series',
    ])
    expect(read(body.slice(0, body.indexOf(',{"SERIES_CODE":"B"')))).toEqual([
      'MD01 A 2024-01-01 1',
      'after series 1: the body is cut off',
    ])
  })
})

describe.skipIf(samplePath('boj/getMetadata_FM08.json') === null)(
  'recorded answers of the Bank of Japan (skipped without their sample files)',
  () => {
    const recorded = (name: string) => readBodies(bojFeed, [readFileSync(samplePath(`boj/${name}`) ?? '')])

    it('are read without a rejection: a month of days', () => {
      const texts = textsOf(recorded('getDataCode_FM08_FXERD01_202501.json'))
      expect(texts).toHaveLength(23)
      expect([texts[0], texts[3], texts.at(-1)]).toEqual([
        'FM08 FXERD01 2025-01-01 null',
        'FM08 FXERD01 2025-01-06 157.52',
        'FM08 FXERD01 2025-01-31 154.1',
      ])
    })

    it('are read without a rejection: months, the last not published yet', () => {
      const texts = textsOf(recorded('getDataCode_MD01_MABS1AN11_202505-202607.json'))
      expect(texts).toHaveLength(15)
      expect([texts[0], ...texts.slice(-2)]).toEqual([
        'MD01 MABS1AN11 2025-05-01 6560120',
        'MD01 MABS1AN11 2026-06-01 5592039',
        'MD01 MABS1AN11 2026-07-01 null',
      ])
    })

    it('are read without a rejection: the series of a database', () => {
      const texts = textsOf(recorded('getMetadata_FM08.json'))
      expect(texts.slice(0, 2)).toEqual(['FM08 FXERD01', 'FM08 FXERD02'])
      expect(texts.filter((text) => text.includes(':'))).toEqual([])
    })
  },
)
