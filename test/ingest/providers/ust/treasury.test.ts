import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { treasuryFeed, treasuryHistoryFeed } from '../../../../src/ingest/providers/ust/treasury.js'
import { samplePath } from '../../../support/samples.js'
import { readBodies, readCounts, textsOf } from '../bank-bodies.js'

const METADATA = 'http://schemas.microsoft.com/ado/2007/08/dataservices'
const HEAD = `<?xml version="1.0" encoding="utf-8" standalone="yes" ?>
<feed xmlns:d="${METADATA}" xmlns:m="${METADATA}/metadata" xmlns="http://www.w3.org/2005/Atom"><title>Rates</title>`

const entry = (...elements: readonly string[]) =>
  `<entry><title/><content type="application/xml"><m:properties>${elements.join('')}</m:properties></content></entry>`
const cell = (name: string, text: string | number) => `<d:${name} m:type="Edm.Double">${text}</d:${name}>`
const day = (date: string, name = 'NEW_DATE') => cell(name, `${date}T00:00:00`)
const answer = (...entries: readonly string[]) => `${HEAD}${entries.join('\n')}</feed>`

const read = (body: string | Uint8Array) => textsOf(readBodies(treasuryFeed, [body]))

describe('an answer of the US Treasury', () => {
  it('gives a rate for each tenor of the day, in New York, that its text begins with', () => {
    const body = answer(
      entry(cell('Id', 1), day('2026-09-01'), cell('BC_1MONTH', '3.85'), cell('BC_1_5MONTH', '3.88')),
      entry(cell('Id', 2), day('2026-09-02'), cell('BC_10YEAR', '4.40'), cell('BC_30YEAR', '4.91')),
    )
    expect(read(body)).toEqual([
      'PAR 1MO 2026-09-01 3.85',
      'PAR 1_5MO 2026-09-01 3.88',
      'PAR 10Y 2026-09-02 4.4',
      'PAR 30Y 2026-09-02 4.91',
    ])
  })

  it('keeps yields of zero, and ignores the 30-year yield for display', () => {
    const elements = [cell('BC_1MONTH', '0'), cell('BC_3MONTH', '0.00'), cell('BC_30YEARDISPLAY', '0')]
    expect(read(answer(entry(day('2011-08-04'), ...elements)))).toEqual([
      'PAR 1MO 2011-08-04 0',
      'PAR 3MO 2011-08-04 0',
    ])
  })

  it('has no observation for an element that is missing, empty or marked as null', () => {
    const elements = ['<d:BC_20YEAR m:type="Edm.Double" m:null="true"/>', '<d:BC_30YEAR></d:BC_30YEAR>']
    const body = answer(entry(day('2003-01-02'), cell('BC_10YEAR', '4.07'), ...elements))
    expect(read(body)).toEqual(['PAR 10Y 2003-01-02 4.07'])
    expect(readCounts(treasuryFeed, [body])).toEqual({ rows: 1, rejected: 0, absent: 3 })
  })

  it('has no observation on 11 October 2010, a holiday that is listed without any tenor', () => {
    expect(read(answer(entry(cell('Id', 5204), day('2010-10-11'), cell('BC_30YEARDISPLAY', '0'))))).toEqual(
      [],
    )
  })

  it('gives real yields, which may be negative, as a separate curve', () => {
    expect(
      read(answer(entry(day('2012-12-03'), cell('TC_5YEAR', '-1.43'), cell('TC_30YEAR', '0.31')))),
    ).toEqual(['REAL 5Y 2012-12-03 -1.43', 'REAL 30Y 2012-12-03 0.31'])
  })

  it('gives the discount and the coupon equivalent of a bill as two series, and no average of the week', () => {
    const rates = [cell('ROUND_B1_CLOSE_4WK_2', '3.69'), cell('ROUND_B1_YIELD_4WK_2', '3.75')]
    const rest = [cell('CS_4WK_CLOSE_AVG', '3.68'), cell('CUSIP_4WK', '912797VE4'), cell('CF_WEEK', '202636')]
    expect(read(answer(entry(day('2026-09-01', 'INDEX_DATE'), ...rates, ...rest)))).toEqual([
      'BILL 4WK_DISCOUNT 2026-09-01 3.69',
      'BILL 4WK_COUPON 2026-09-01 3.75',
    ])
  })

  it('refuses an unknown element, an unreadable rate, a future day and an entry without a day', () => {
    const body = answer(
      entry(day('2026-09-01'), cell('BC_50YEAR', '5'), cell('BC_10YEAR', 'n/a'), cell('BC_2YEAR', '4')),
      entry(day('2027-09-01'), cell('BC_10YEAR', '4')),
      entry(cell('BC_10YEAR', '4'), cell('BC_2YEAR', '4')),
      entry(cell('NEW_DATE', '09/01/2026'), cell('BC_10YEAR', '4')),
    )
    expect(read(body)).toEqual([
      'entry 1, 2026-09-01, "BC_50YEAR": the element is not a known rate',
      'entry 1, 2026-09-01, "BC_10YEAR": the value "n/a" is not a decimal in the supported range',
      'PAR 2Y 2026-09-01 4',
      'entry 2: 2027-09-01 is in the future',
      'entry 3: the entry has 0 of the elements NEW_DATE and INDEX_DATE, not one',
      'entry 4: NEW_DATE "09/01/2026" is not a day',
    ])
    expect(readCounts(treasuryFeed, [body])).toEqual({ rows: 1, rejected: 5, absent: 4 })
  })

  it('counts a repeated day once, and refuses both values if they differ', () => {
    const of = (value: string) => answer(entry(day('2026-09-01'), cell('BC_10YEAR', value)))
    const twice = textsOf(readBodies(treasuryFeed, [of('4.4'), of('4.40')]))
    expect(twice).toEqual(['PAR 10Y 2026-09-01 4.4'])
    expect(textsOf(readBodies(treasuryFeed, [of('4.4'), of('4.5')]))).toEqual([
      'page 1, entry 1, 2026-09-01, "BC_10YEAR": the body has the period twice, with different values; neither is used',
      'page 2, entry 1, 2026-09-01, "BC_10YEAR": the body has the period twice, with different values; neither is used',
    ])
  })

  it('that is cut off keeps its whole entries', () => {
    const body = answer(entry(day('2026-09-01'), cell('BC_10YEAR', '4.4')), entry(day('2026-09-02')))
    expect(read(body.slice(0, body.indexOf('2026-09-02')))).toEqual([
      'PAR 10Y 2026-09-01 4.4',
      'entry 2: the body is cut off within or before the entry',
    ])
    expect(read(body.slice(0, -'</feed>'.length))).toContain(
      'entry 3: the body is cut off within or before the entry',
    )
  })

  it.each([
    ['an HTML page', '<html><body>Access denied</body></html>', 'the root of the body is "html"'],
    ['a page with a document type', '<!DOCTYPE html><html></html>', 'document type'],
    ['an empty body', '', 'the body is not XML'],
    ['text', 'Service unavailable', 'the body is not XML'],
    ['another encoding', Buffer.from(answer(), 'utf16le'), 'the body is not'],
    ['another declared encoding', answer().replace('utf-8', 'ISO-8859-1'), 'not in UTF-8'],
  ])('refuses %s', (_what, body, reason) => {
    expect(() => read(body)).toThrow(BrokenBody)
    expect(() => read(body)).toThrow(reason)
  })

  it('is requested for each curve of two months, and as history for each year', () => {
    const now = new Date('2026-01-15T00:00:00Z')
    const months = treasuryFeed.requests(now).map(({ url }) => new URL(url).searchParams)
    expect(months.map((asked) => asked.get('field_tdr_date_value_month'))).toEqual([
      ...['202512', '202512', '202512'],
      ...['202601', '202601', '202601'],
    ])
    expect(new Set(months.map((asked) => asked.get('data'))).size).toBe(3)
    const years = treasuryHistoryFeed.requests(now).map(({ url }) => new URL(url).search)
    expect(years).toHaveLength(37 + 25 + 24)
    expect(years[0]).toBe('?data=daily_treasury_yield_curve&field_tdr_date_value=1990')
  })
})

describe.skipIf(samplePath('treasury') === null)(
  'recorded answers (skipped without their sample files)',
  () => {
    it.each([
      ['par_yield_curve_1990-01_cut.xml', { rows: 81, rejected: 0, absent: 27 }, 'PAR 10Y 1990-01-02 7.94'],
      ['par_yield_curve_2018-10_cut.xml', { rows: 115, rejected: 0, absent: 30 }, 'PAR 2MO 2018-10-16 2.22'],
      [
        'par_yield_curve_2022-01-03_2022-03-11.xml',
        { rows: 576, rejected: 0, absent: 144 },
        'PAR 1MO 2022-01-03 0.05',
      ],
      [
        'par_yield_curve_2026-09_complete.xml',
        { rows: 126, rejected: 0, absent: 27 },
        'PAR 1_5MO 2026-09-01 3.88',
      ],
      [
        'bill_rates_2026-09_2entries.xml',
        { rows: 28, rejected: 0, absent: 68 },
        'BILL 4WK_COUPON 2026-09-01 3.75',
      ],
    ])('%s give every rate', (name, counts, text) => {
      const body = readFileSync(samplePath(`treasury/${name}`) ?? '')
      expect(readCounts(treasuryFeed, [body])).toEqual(counts)
      expect(read(body)).toContain(text)
    })
  },
)
