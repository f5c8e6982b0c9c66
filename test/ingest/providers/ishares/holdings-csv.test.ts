import { describe, expect, it } from 'vitest'
import { parseIsharesHoldings } from '../../../../src/ingest/providers/ishares/holdings-csv.js'
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

  it('rejects a repeated row', () => {
    expect(parse(file([APPLE, APPLE])).rejections).toMatchObject([{ reason: 'is listed twice' }])
  })

  it('keeps rows that differ in any cell, even one that no holding has: two forwards of one currency', () => {
    const header = `${HEADER},Notional Value`
    const [apple, forward] = [`${APPLE},"1,000.50"`, '"AUD","AUD/USD","FX","0.00","0.00","0.00","-","-"']
    const rows = [apple, `${forward},"16,345.05"`, `${forward},"10,896.70"`]
    const { holdings, rejections } = parse(file(rows, { header }))
    expect([holdings.length, rejections]).toEqual([3, []])
    expect(parse(file([...rows, `${forward},"10,896.70"`], { header })).rejections).toMatchObject([
      { reason: 'is listed twice' },
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
