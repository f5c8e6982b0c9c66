import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ecbDaily } from '../../../../src/ingest/providers/ecb/ecb-daily.js'
import { ecbHistory } from '../../../../src/ingest/providers/ecb/ecb-history.js'
import { samplePath } from '../../../support/samples.js'

const context = { now: new Date('2026-11-20T12:00:00Z'), onRead: () => {}, onAbsent: () => {} }
const parse = (body: string) => [...ecbDaily.parse(new TextEncoder().encode(body), context)]
const rows = (body: string) =>
  parse(body).flatMap((item) =>
    item.kind === 'row' ? [`${item.row.quote} ${item.row.date} ${item.row.rate}`] : [],
  )
const rejections = (body: string) =>
  parse(body).flatMap((item) => (item.kind === 'rejected' ? [`${item.position}: ${item.reason}`] : []))

const HEADER =
  'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,OBS_STATUS,TITLE,UNIT_MULT'
const line = (cells: Record<string, string> = {}) => {
  const all: Record<string, string> = {
    KEY: 'EXR.D.USD.EUR.SP00.A',
    FREQ: 'D',
    CURRENCY: 'USD',
    CURRENCY_DENOM: 'EUR',
    EXR_TYPE: 'SP00',
    EXR_SUFFIX: 'A',
    TIME_PERIOD: '2026-09-03',
    OBS_VALUE: '1.1615',
    OBS_STATUS: 'A',
    TITLE: '"ECB reference exchange rate, US dollar/Euro"',
    UNIT_MULT: '0',
    ...cells,
  }
  return HEADER.split(',')
    .map((name) => all[name])
    .join()
}
const table = (...lines: readonly string[]) => `${[HEADER, ...lines].join('\n')}\n`

describe('ecb-daily', () => {
  it('requests all series of reference rates', () => {
    expect(ecbDaily.request?.(context.now)).toEqual({
      url: 'https://data-api.ecb.europa.eu/service/data/EXR/D..EUR.SP00.A?format=csvdata&lastNObservations=30',
      headers: { accept: 'text/csv' },
    })
  })

  it('reads by the names in the header, in any order, with added or missing columns', () => {
    expect(rows(table(line()))).toEqual(['USD 2026-09-03 1.1615'])
    expect(rows('OBS_VALUE,NEW,CURRENCY,TIME_PERIOD,\n1.1615,x,USD,2026-09-03,\n')).toEqual([
      'USD 2026-09-03 1.1615',
    ])
  })

  it.each([
    [{ OBS_VALUE: '', OBS_STATUS: 'H' }],
    [{ OBS_VALUE: 'NaN', OBS_STATUS: 'H' }],
    [{ OBS_VALUE: '', OBS_STATUS: 'M' }],
    [{ OBS_VALUE: 'N/A' }],
  ])('skips what the service marks as missing: %j', (cells) => {
    expect(parse(table(line(cells)))).toEqual([])
  })

  it.each([
    ['3', '1.1615', 'USD 2026-09-03 1161.5'],
    ['-2', '183.03', 'USD 2026-09-03 1.8303'],
    ['', '1.1615', 'USD 2026-09-03 1.1615'],
  ])('applies UNIT_MULT %s', (unitMult, value, row) => {
    expect(rows(table(line({ UNIT_MULT: unitMult, OBS_VALUE: value })))).toEqual([row])
  })

  it.each([
    [{ FREQ: 'M' }, 'FREQ is "M", but reference rates have "D"'],
    [{ CURRENCY_DENOM: 'USD' }, 'CURRENCY_DENOM is "USD", but reference rates have "EUR"'],
    [{ EXR_TYPE: 'EN00' }, 'EXR_TYPE is "EN00", but reference rates have "SP00"'],
    [{ EXR_SUFFIX: 'E' }, 'EXR_SUFFIX is "E", but reference rates have "A"'],
    [{ TIME_PERIOD: '2026-09' }, '"2026-09" is not a date of the calendar, YYYY-MM-DD'],
    [{ OBS_VALUE: '' }, '"" is empty'],
    [{ OBS_VALUE: 'NaN' }, '"NaN" is not a number'],
    [{ OBS_VALUE: '-1' }, '"-1" is negative, but a rate is above zero'],
    [{ OBS_VALUE: '1e400' }, '"1e400" is written with an exponent'],
    [{ UNIT_MULT: 'x' }, 'UNIT_MULT "x" is not a power of ten from -12 to 12'],
    [{ UNIT_MULT: '12', OBS_VALUE: '2.5' }, '"2.5" is out of range'],
    [{ UNIT_MULT: '-9' }, '"1.1615" has more than 8 decimals'],
  ])('rejects %j alone', (cells, reason) => {
    const body = table(line({ TIME_PERIOD: '2026-09-02' }), line(cells), line({ TIME_PERIOD: '2026-09-04' }))
    expect(rejections(body)).toEqual([`line 3, USD: ${reason}`])
    expect(rows(body)).toEqual(['USD 2026-09-02 1.1615', 'USD 2026-09-04 1.1615'])
  })

  it('rejects an invalid currency', () => {
    expect(rejections(table(line({ CURRENCY: 'E5' }), line({ CURRENCY: 'EUR' }), ',,,'))).toEqual([
      'line 2: "E5" is not a currency code',
      'line 3, EUR: "EUR" is the base itself',
      'line 4: FREQ is "", but reference rates have "D"',
    ])
  })

  it('accepts a repeated observation once, and rejects all of a day that differ', () => {
    const body = table(line(), line({ OBS_VALUE: '1.16150' }), line({ OBS_VALUE: '1.2' }))
    expect(rows(table(line(), line({ OBS_VALUE: '1.16150' })))).toEqual(['USD 2026-09-03 1.1615'])
    expect(rows(body)).toEqual([])
    expect(rejections(body)).toEqual([
      'USD, 2026-09-03: a later row of the body contradicts it',
      'line 4, USD: line 2 already has 2026-09-03, with 1.1615',
    ])
  })

  it.each([
    ['<?xml version="1.0"?><message/>', 'the body is HTML or XML, not CSV'],
    ['Date,USD,\n2026-03-05,1.1,\n', 'CURRENCY, TIME_PERIOD, OBS_VALUE missing, it begins with "Date"'],
  ])('refuses another body (%#)', (body, reason) => {
    expect(() => parse(body)).toThrow(reason)
  })

  const full = samplePath('ecb/exr_D.USD_csvdata_202609.csv')
  it.skipIf(full === null)('reads the recorded answer with all 32 columns', () => {
    expect(parse(readFileSync(full ?? '', 'utf8'))).toEqual([
      { kind: 'row', row: { quote: 'USD', date: '2026-09-03', rate: '1.1615' } },
      { kind: 'row', row: { quote: 'USD', date: '2026-09-04', rate: '1.1622' } },
    ])
  })

  const slim = samplePath('ecb/exr_D.all_2026-02-17_slim.csv')
  const history = samplePath('ecb/eurofxref-hist.csv')
  it.skipIf(slim === null || history === null)('agrees with the history file on every common day', () => {
    const daily = rows(readFileSync(slim ?? '', 'utf8'))
    expect(daily.length).toBe(638)
    const items = [...ecbHistory.parse(readFileSync(history ?? ''), context)]
    const known = new Set(
      items.flatMap((i) => (i.kind === 'row' ? [`${i.row.quote} ${i.row.date} ${i.row.rate}`] : [])),
    )
    const common = daily.filter((row) => (row.split(' ')[1] ?? '') <= '2026-03-05')
    expect(common.length).toBe(377)
    expect(common.filter((row) => !known.has(row))).toEqual([])
  })
})
