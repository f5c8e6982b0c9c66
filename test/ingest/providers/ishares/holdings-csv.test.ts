import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseIsharesHoldings } from '../../../../src/ingest/providers/ishares/holdings-csv.js'
import { casePath } from '../../../support/samples.js'
import { AT, bytes, IVV, XDWD } from '../funds.js'

const HEADER = 'Ticker,Name,Asset Class,Market Value,Weight (%),Quantity,Location,Exchange'
const APPLE = '"AAPL","APPLE INC","Equity","1,000.50","99.50","10.00","United States","NASDAQ"'
const file = (rows: readonly string[], { day = 'Dec 06, 2024', header = HEADER, shares = '100.00' } = {}) =>
  bytes(
    `\ufeffFund\r\nFund Holdings as of,"${day}"\r\nShares Outstanding,"${shares}"\r\n \r\n${header}\r\n${rows.join('\r\n')}\r\n \r\n"Terms, in ""quotes""."\r\n`,
  )
const parse = (body: Uint8Array, fund = IVV) => parseIsharesHoldings(body, fund, AT)

describe('the holdings file of iShares', () => {
  it('gives weights as fractions, numbers of shares, and the market of the ticker', () => {
    const future = '"ESZ4","S&P500 EMINI","Futures","-5.00","-0.10","3.00","-","Index And Options Market"'
    const { report, holdings, rejections } = parse(file([future, APPLE]))
    expect(rejections).toEqual([])
    expect(report).toMatchObject({
      asOf: '2024-12-06',
      sharesOutstanding: '100',
      nav: { value: '9.955', currency: 'USD', isComputed: true },
      weightSum: '0.994',
      netAssetsUsd: null,
    })
    expect(holdings).toMatchObject([
      { ticker: 'AAPL', mic: 'XNAS', weight: '0.995', shares: '10', marketValueUsd: '1000.5', country: 'US' },
      {
        ticker: 'ESZ4',
        mic: null,
        weight: '-0.001',
        shares: null,
        assetCategory: 'derivative',
        country: null,
      },
    ])
  })

  it('is read in its older and its German form; without the currency of the fund it has no NAV', () => {
    const old = parse(
      file(['A,A INC,Equity,10,100'], { header: 'Ticker,Name,Asset Class,Shares,Market Weight' }),
    )
    expect(old.holdings).toMatchObject([{ name: 'A INC', weight: '1', shares: '10', marketValueUsd: null }])
    const german = bytes(
      'Fondsposition per,"06.Dez.2024"\nUmlaufende Anteile,"1.000,00"\n \nEmittententicker,Name,Anlageklasse,Marktwert,Gewichtung (%),Nominale,Standort\nSAP,SAP,Aktien,"1.234,50","99,5","2.000,00",Deutschland\n',
    )
    const { report, holdings } = parse(german, XDWD)
    expect(report).toMatchObject({ asOf: '2024-12-06', sharesOutstanding: '1000', nav: null })
    expect(holdings).toMatchObject([
      { weight: '0.995', shares: '2000', marketValueUsd: null, assetCategory: 'equity', country: 'DE' },
    ])
  })

  it.each([
    [
      'a weight that is not a number',
      APPLE.replace('99.50', 'NaN'),
      'weight: the value "NaN" is not a number',
    ],
    ['a weight beyond all', APPLE.replace('99.50', '1e400'), 'weight: the value "1e400" is not a number'],
    [
      'a value that is not a number',
      APPLE.replace('1,000.50', '1,00.50'),
      'market value: the value "1,00.50" is not a number',
    ],
    ['a row that is cut', '"AAPL","APPLE INC","Equity"', 'has 3 cells, but the header has 8'],
    ['a row without a name', APPLE.replace('APPLE INC', ''), 'has no name'],
  ])('rejects %s with its line', (_what, row, reason) => {
    const { rejections, holdings } = parse(file([row, APPLE]))
    expect(holdings).toHaveLength(1)
    expect(rejections).toEqual([{ kind: 'rejected', position: expect.stringMatching(/^line 6, "/), reason }])
  })

  it('rejects a repeated row if only the others have the weights of a whole fund', () => {
    const { report, holdings, rejections } = parse(file([APPLE, APPLE]))
    expect(rejections).toMatchObject([{ reason: 'is listed twice' }])
    expect([holdings.length, report.weightSum, report.nav?.value]).toEqual([1, '0.995', '10.005'])
  })

  it('keeps rows that are equal or differ in any cell: forwards of one currency, and parts of a position', () => {
    const header = `${HEADER},Notional Value`
    const [apple, forward] = [`${APPLE},"1,000.50"`, '"AUD","AUD/USD","FX","0.00","0.00","0.00","-","-"']
    const rows = [apple, `${forward},"16,345.05"`, `${forward},"10,896.70"`, `${forward},"10,896.70"`]
    const { holdings, rejections } = parse(file(rows, { header }))
    expect([holdings.length, rejections]).toEqual([4, []])
    const half = APPLE.replace('99.50', '49.75')
    const parts = parse(file([half, half]))
    expect([parts.holdings.length, parts.report.weightSum, parts.report.nav?.value]).toEqual([
      2,
      '0.995',
      '20.01',
    ])
  })

  it('ends its table before a second one, which has what the funds of the first one hold', () => {
    const second = ['Fund Holdings as of,"Dec 06, 2024"', ' ', HEADER, APPLE.replace('APPLE INC', 'INSIDE')]
    const { holdings, rejections } = parse(file([APPLE, ' ', ...second]))
    expect([holdings.map(({ name }) => name), rejections]).toEqual([['APPLE INC'], []])
  })

  it('has several columns of one kind: the first with a value counts', () => {
    const header =
      'Ticker,Issuer Ticker,Name,Asset Class,Market Value,Weight (%),Shares,Par Value,Location,Country'
    const rows = [
      '"-","AAA","FUND A","Equity","600","60","10","99","-","Canada"',
      '"BBB","-","FUND B","Equity","400","40","-","20","Canada","-"',
    ]
    const { holdings, rejections } = parse(file(rows, { header }))
    expect(rejections).toEqual([])
    expect(holdings).toMatchObject([
      { ticker: 'AAA', shares: '10', country: 'CA' },
      { ticker: 'BBB', shares: '20', country: 'CA' },
    ])
  })

  it.each([
    ['USD', XDWD, '1000.5'],
    ['CAD', IVV, null],
    ['-', IVV, '1000.5'],
  ])('has market values in USD if the row states this currency: %s', (currency, fund, marketValueUsd) => {
    const header = `${HEADER},Currency,Market Currency`
    expect(parse(file([`${APPLE},${currency},EUR`], { header }), fund).holdings).toMatchObject([
      { marketValueUsd },
    ])
    const alone = parse(file([`${APPLE},${currency}`], { header: `${HEADER},Currency` }), fund)
    expect(alone.holdings).toMatchObject([{ marketValueUsd: fund === IVV ? '1000.5' : null }])
  })

  it('reads quotes within a cell', () => {
    const { holdings, rejections } = parse(
      file([APPLE.replace('APPLE INC', 'APPLE "A" INC'), APPLE.replace('99.50', '0.00')]),
    )
    expect([holdings.map(({ name }) => name), rejections]).toEqual([['APPLE "A" INC', 'APPLE INC'], []])
  })

  const canadian = casePath('etf-shares-and-par/input.csv')
  it.skipIf(canadian === null)('is read with Shares beside Par Value (skips without the file)', () => {
    const at = { ...AT, now: new Date('2026-11-20T12:00:00Z') }
    const { holdings, rejections } = parseIsharesHoldings(readFileSync(canadian ?? ''), XDWD, at)
    expect(rejections).toEqual([])
    expect(holdings).toMatchObject([
      {
        ticker: 'AAA',
        weight: '0.6',
        shares: '10',
        assetCategory: 'equity',
        country: 'CA',
        marketValueUsd: null,
      },
      { name: 'EXAMPLE BOND', weight: '0.39', shares: null, assetCategory: 'debt' },
      { name: 'CAD CASH', weight: '0.01' },
    ])
  })

  it.each([
    ['NASDAQ', 'XNAS'],
    ['Nasdaq Omx Nordic', 'XSTO'],
    ['Nasdaq Omx Helsinki Ltd.', 'XHEL'],
    ['Omx Nordic Exchange Copenhagen A/S', 'XCSE'],
    ['New York Stock Exchange Inc.', 'XNYS'],
    ['Nyse Euronext - Euronext Paris', 'XPAR'],
    ['Nasdaq Dubai', null],
    ['Xetra Other', null],
    ['-', null],
  ])('finds the market by its whole name: %s', (name, mic) => {
    expect(parse(file([APPLE.replace('"NASDAQ"', `"${name}"`)])).holdings).toMatchObject([{ mic }])
  })

  it.each([
    ['HTML', bytes('<!DOCTYPE html><html>'), 'HTML or XML'],
    ['nothing', bytes(''), 'empty'],
    ['no table', bytes('Fund Holdings as of,"Dec 06, 2024"\n'), 'no table'],
    ['a day without data', file([], { day: '-' }), 'no holdings on the requested day'],
    ['a day that is none', file([APPLE], { day: 'Dec 36, 2024' }), 'is not a day'],
    ['days whose order is not known', file([APPLE], { day: '06/12/2024' }), 'is not a day'],
    ['a day to come', file([APPLE], { day: 'Dec 06, 2027' }), 'in the future'],
    ['no day', bytes(`Fund\n${HEADER}\n${APPLE}\n`), 'does not state the day'],
    ['a column twice', file([APPLE], { header: `${HEADER},Weight (%)` }), 'twice'],
    ['shares that are no number', file([APPLE], { shares: 'many' }), 'shares outstanding'],
    ['another encoding', Uint8Array.from([...file([APPLE]), 0xe9, 0x0a]), 'UTF-8'],
    ['binary', Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0]), 'binary'],
  ])('refuses %s completely', (_what, body, reason) => {
    expect(() => parse(body)).toThrow(reason)
  })
})
