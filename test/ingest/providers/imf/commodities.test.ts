import { describe, expect, it } from 'vitest'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { imfCommodities } from '../../../../src/ingest/providers/imf/commodities.js'
import { pricesIn } from '../price-bodies.js'

const read = (body: string | Uint8Array) => pricesIn(imfCommodities, body)
const HEADER = 'Date,Metals Price Index,Aluminum,Beef,Crude Oil petroleum,Zinc'

describe('the table of the IMF', () => {
  it('gives USD, converted from US cents if needed, and leaves out indices and gaps', () => {
    expect(
      read(`${HEADER}\n1980-01-01,78.9,2054.86010742188,136.359985351563,72.1,\n1980-02-01,,,1,,5`),
    ).toEqual([
      'PALUM 1980-01-01 2054.86010742188',
      'PBEEF 1980-01-01 1.36359985351563',
      'PBEEF 1980-02-01 0.01',
      'PZINC 1980-02-01 5',
    ])
  })

  it('rejects invalid prices cell by cell', () => {
    const rows = [
      '1980-01-01,,NaN,0,,1e400',
      '1980-02-01,,-5,n.a.,,7',
      '1980-13-01,,1,1,,1',
      '2026-12-01,,1,1,,1',
    ]
    expect(read(`${HEADER}\n${rows.join('\n')}`)).toEqual([
      'line 4: "1980-13-01" is not a month',
      'line 5: 2026-12-01 has not begun yet',
      'line 2, "Aluminum": the value "NaN" is not a decimal in the supported range',
      'line 3, "Aluminum": the price "-5" is not above zero',
      'line 2, "Beef": the price "0" is not above zero',
      'line 3, "Beef": the value "n.a." is not a decimal in the supported range',
      'line 2, "Zinc": the value "1e400" is not a decimal in the supported range',
      'PZINC 1980-02-01 7',
    ])
  })

  it('rejects a truncated row, a second value of a month, and an unknown column', () => {
    const rows = ['1980-01-01,1', '1980-01-01,2', '1980-01-01,1', '1980-02-01']
    expect(read(`Date,Tin\n${rows.join('\n')}`)).toEqual([
      'line 5: has 1 cells, but the header has 2',
      'PTIN 1980-01-01: a later row of the body contradicts it',
      'line 3, "Tin": the period is repeated with another value; the first was 1',
      'line 4, "Tin": the period is repeated with different values',
    ])
    expect(read('Date,Beef\n1980-01-01,1e-29')).toEqual([
      'line 2, "Beef": the price "1e-29" is below the smallest stored price',
    ])
    expect(read('Date,Tin,Saffron\n1980-01-01,1,2')).toEqual([
      'PTIN 1980-01-01 1',
      'column "Saffron": is not a known commodity',
    ])
  })

  it.each([
    ['an HTML page', '<!doctype html>', BrokenCsv, 'HTML'],
    ['nothing', '', BrokenCsv, 'empty'],
    ['JSON', '{"a":1}', BrokenCsv, 'JSON'],
    ['UTF-16', Buffer.from(`\ufeff${HEADER}\n`, 'utf16le'), BrokenCsv, 'binary'],
    ['another encoding', Buffer.from('Date,Tin\n1980-01-01,\xe9', 'latin1'), BrokenCsv, 'UTF-8'],
    ['another table', 'Date,Price\n1980-01,1', BrokenBody, 'not the header of the IMF'],
    ['a header alone', 'Date,Tin\n', BrokenBody, 'no rows'],
    ['a column twice', 'Date,Tin,Tin\n1980-01-01,1,2', BrokenBody, 'has the column "Tin" twice'],
  ])('refuses %s completely', (_what, body, error, message) => {
    expect(() => read(body)).toThrow(error)
    expect(() => read(body)).toThrow(message)
  })
})
