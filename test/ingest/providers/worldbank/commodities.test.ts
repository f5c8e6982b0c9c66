import { describe, expect, it } from 'vitest'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { worldBankCommodities } from '../../../../src/ingest/providers/worldbank/commodities.js'
import { pricesIn } from '../price-bodies.js'

const read = (body: string | Uint8Array) => pricesIn(worldBankCommodities, body)

describe('the table of gold', () => {
  it('gives months from 1960 on, and counts those before', () => {
    expect(read('Date,Price\n1833-01,18.930\n1959-12,35.25\n1960-01,35.270\n2026-06,4228.000\n')).toEqual([
      'XAU 1960-01-01 35.27',
      'XAU 2026-06-01 4228',
      "the table: 2 months before 1960 are left out: the World Bank's prices begin in 1960",
    ])
  })

  it('rejects invalid prices row by row', () => {
    const rows = [
      '1980-01,NaN',
      '1980-02,1e400',
      '1980-03,',
      '1980-04,-1',
      '1980-5,1',
      '1980-06,5',
      '1980-06,5',
    ]
    expect(read(`Date,Price\n${rows.join('\n')}\n1980-06,6\n1980-07`)).toEqual([
      'line 2: the value "NaN" is not a decimal in the supported range',
      'line 3: the value "1e400" is not a decimal in the supported range',
      'line 4: the value "" is not a decimal in the supported range',
      'line 5: the price "-1" is not above zero',
      'line 6: "1980-5" is not a month',
      'XAU 1980-06-01: a later row of the body contradicts it',
      'line 9: the period is repeated with another value; the first was 5',
      'line 10: has 1 cells, not 2',
    ])
  })

  it.each([
    ['an HTML page', '<html>', BrokenCsv, 'HTML'],
    ['nothing', ' ', BrokenCsv, 'empty'],
    ['another encoding', Buffer.from('Date,Price\n1980-01,\xe9', 'latin1'), BrokenCsv, 'UTF-8'],
    ['another table', 'Date,Tin\n1980-01-01,1', BrokenBody, 'must be Date,Price'],
    ['a header alone', 'Date,Price\n', BrokenBody, 'no rows'],
  ])('refuses %s completely', (_what, body, error, message) => {
    expect(() => read(body)).toThrow(error)
    expect(() => read(body)).toThrow(message)
  })
})
