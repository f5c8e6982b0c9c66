import { readFileSync } from 'node:fs'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { ecbHistory } from '../../../../src/ingest/providers/ecb/ecb-history.js'
import { samplePath } from '../../../support/samples.js'

const context = { now: new Date('2026-11-20T12:00:00Z'), onRead: () => {}, onAbsent: () => {} }
const parse = (body: string | Uint8Array) => [
  ...ecbHistory.parse(typeof body === 'string' ? strToU8(body) : body, context),
]
const rows = (body: string | Uint8Array) =>
  parse(body).flatMap((item) =>
    item.kind === 'row' ? [`${item.row.quote} ${item.row.date} ${item.row.rate}`] : [],
  )
const rejections = (body: string | Uint8Array) =>
  parse(body).flatMap((item) => (item.kind === 'rejected' ? [`${item.position}: ${item.reason}`] : []))

describe('ecb-history', () => {
  it('reads a line per day and a column per currency, skipping N/A and the empty last column', () => {
    const body = 'Date,USD,BGN,JPY,\n2026-03-05,1.1618,N/A,183.03,\n2025-12-31,1.1750,1.9558,184.1,\n'
    expect(rows(body)).toEqual([
      'USD 2026-03-05 1.1618',
      'JPY 2026-03-05 183.03',
      'USD 2025-12-31 1.175',
      'BGN 2025-12-31 1.9558',
      'JPY 2025-12-31 184.1',
    ])
    expect(rejections(body)).toEqual([])
  })

  it.each([
    ['-1.1', '"-1.1" is negative, but a rate is above zero'],
    ['0', '"0" is zero, but a rate is above zero'],
    ['0.0000', '"0.0000" is zero, but a rate is above zero'],
    ['NaN', '"NaN" is not a number'],
    ['Infinity', '"Infinity" is not a number'],
    ['1e400', '"1e400" is written with an exponent'],
    ['"1,234.5"', '"1,234.5" has thousands separators'],
    ['1 234.5', '"1 234.5" has thousands separators'],
    ['1.123456789', '"1.123456789" has more than 8 decimals'],
    ['1000000000000', '"1000000000000" is out of range'],
    ['9'.repeat(500), `"${'9'.repeat(39)}…" is out of range`],
    ['', '"" is empty'],
    ['abc', '"abc" is not a number'],
    ['+1.1', '"+1.1" is not a number'],
    ['１.1', '"１.1" is not a number'],
  ])('rejects the value %s alone, with its line and currency', (value, reason) => {
    const body = `Date,USD,JPY,\n2026-03-05,1.1618,183.03,\n2026-03-04,${value},183.02,\n`
    expect(rejections(body)).toEqual([`line 3, USD: ${reason}`])
    expect(rows(body)).toEqual(['USD 2026-03-05 1.1618', 'JPY 2026-03-05 183.03', 'JPY 2026-03-04 183.02'])
  })

  it.each([
    ['2026-02-30', '"2026-02-30" is not a date of the calendar, YYYY-MM-DD'],
    ['05/03/2026', '"05/03/2026" is not a date of the calendar, YYYY-MM-DD'],
    ['1998-12-31', '1998-12-31 is before the first reference rates, 1999-01-04'],
    ['2026-11-22', '2026-11-22 is in the future'],
  ])('rejects the line of the date %s alone', (date, reason) => {
    const body = `Date,USD,\n2026-03-05,1.1618,\n${date},1.1,\n2026-03-03,1.2,\n`
    expect(rejections(body)).toEqual([`line 3: ${reason}`])
    expect(rows(body)).toEqual(['USD 2026-03-05 1.1618', 'USD 2026-03-03 1.2'])
  })

  it('rejects lines with too many or too few cells', () => {
    expect(rejections('Date,USD,JPY,\n2026-03-05,1.1,2,3,4\n2026-03-04,1.1\n2026-03-03,1,2\n')).toEqual([
      'line 2: has 5 cells, but the header has 4',
      'line 3: has 2 cells, but the header has 4',
    ])
  })

  it('rejects invalid and repeated columns, and reads the others', () => {
    const body = 'Date,USD,Remarks,USD,EUR,usd,,JPY,\n2026-03-05,1.1,fine,1.2,1,1.3,7,183,\n'
    expect(rejections(body)).toEqual([
      'line 1, column 3: "Remarks" is not a currency code; the column is left out',
      'line 1, column 4: "USD" is repeated; the column is left out',
      'line 1, column 5: "EUR" is the base itself; the column is left out',
      'line 1, column 6: "usd" is not a currency code; the column is left out',
      'line 1, column 7: "" is not a currency code; the column is left out',
    ])
    expect(rows(body)).toEqual(['USD 2026-03-05 1.1', 'JPY 2026-03-05 183'])
  })

  it('accepts a repeated day once, and rejects both lines of a day that differ', () => {
    const body = 'Date,USD,\n2026-03-04,1.1,\n2026-03-04,1.1\n2026-03-05,1.1,\n2026-03-05,1.2,\n'
    expect(rows(body)).toEqual(['USD 2026-03-04 1.1'])
    expect(rejections(body)).toEqual([
      'line 4: 2026-03-05 is repeated with different figures',
      'line 5: 2026-03-05 has different figures on line 4',
    ])
  })

  it('reads the official archive', () => {
    expect(rows(zipSync({ 'eurofxref-hist.csv': strToU8('Date,USD,\n2026-03-05,1.1618,\n') }))).toEqual([
      'USD 2026-03-05 1.1618',
    ])
  })

  it.each([
    ['<html><body>Sorry</body></html>', 'the body is HTML or XML, not CSV'],
    ['', 'the body is empty'],
    ['KEY,FREQ,CURRENCY\n', 'it begins with "KEY" instead of "Date"'],
    ['Date,\n2026-03-05,\n', 'the header names no currency'],
    [zipSync({}), 'the archive holds 0 CSV files, not one'],
    [zipSync({ 'readme.txt': strToU8('hello') }), 'the archive holds 0 CSV files, not one'],
    [zipSync({ 'a.csv': strToU8('a'), 'b.csv': strToU8('b') }), 'the archive holds 2 CSV files, not one'],
    [zipSync({ 'a.csv': strToU8('a,'.repeat(5_000)) }).subarray(0, 60), 'the archive is damaged or cut off'],
    [zipSync({ 'a.csv': new Uint8Array(65 * 1024 * 1024) }), 'the file in the archive is too large'],
  ])('refuses another file (%#)', (body, reason) => {
    expect(() => parse(body)).toThrow(reason)
  })

  const sample = samplePath('ecb/eurofxref-hist.csv')
  it.skipIf(sample === null)('reads every figure of the official file and rejects none', () => {
    const body = readFileSync(sample ?? '')
    const lines = body.toString().trim().split('\n')
    const figures = lines.slice(1).flatMap((line) => line.split(',').slice(1, -1))
    const items = parse(body)
    expect(items.length).toBe(figures.filter((figure) => figure !== 'N/A').length)
    expect(items.every(({ kind }) => kind === 'row')).toBe(true)
  })
})
