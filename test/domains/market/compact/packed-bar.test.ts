import { describe, expect, it } from 'vitest'
import { decimal } from '../../../../src/core/decimal.js'
import { type BarFigures, packBar, unpackBar } from '../../../../src/domains/market/compact/packed-bar.js'

const BAR: BarFigures = {
  open: decimal('64000.5'),
  high: decimal('64010'),
  low: decimal('63990.25'),
  close: decimal('64001'),
  baseVolume: decimal('0.12345678'),
  quoteVolume: decimal('7901.2345678901'),
  vwap: null,
  quoteCurrency: 'USDT',
}

describe('a packed bar', () => {
  it.each([
    ['as a venue gives it', BAR],
    ['without volume', { ...BAR, baseVolume: decimal(0), quoteVolume: decimal(0) }],
    [
      'with a VWAP and no quote volume',
      { ...BAR, quoteVolume: null, vwap: decimal('64000.123'), quoteCurrency: 'USD' },
    ],
    [
      'of the smallest price',
      { ...BAR, low: decimal('1e-30'), open: decimal('1.23456789e-12'), quoteCurrency: 'USDC' },
    ],
    ['of 30 digits', { ...BAR, high: decimal('123456789012345678901234567890') }],
  ] as const)('gives back a bar %s, to the last digit', (_, bar) => {
    expect(unpackBar(packBar(bar))).toEqual(bar)
  })

  it('has the bytes of the first version for ever', () => {
    const bytes = '090b05c409020afa1331a4610201fa434e61bc56350ccc7edc4700'
    expect(packBar(BAR).toString('hex')).toBe(bytes)
    expect(unpackBar(Buffer.from(bytes, 'hex'))).toEqual(BAR)
    expect(packBar({ ...BAR, open: decimal('64000.50') })).toEqual(packBar(BAR))
  })

  it('refuses impossible bars, and bytes that this version cannot read', () => {
    expect(() => packBar({ ...BAR, low: decimal(0) })).toThrow('a bar from 0 to 64010')
    expect(() => packBar({ ...BAR, low: decimal(64_011) })).toThrow('is impossible')
    expect(() => packBar({ ...BAR, baseVolume: decimal(-1) })).toThrow('is impossible')
    expect(() => unpackBar(Buffer.from('11', 'hex'))).toThrow('unknown format 17')
    expect(() => unpackBar(Buffer.from('0f', 'hex'))).toThrow('unknown format 15')
    expect(() => unpackBar(Buffer.from('0800000000000000', 'hex'))).toThrow('lacks a figure')
    expect(() => unpackBar(packBar(BAR).subarray(0, 12))).toThrow('end after 12')
  })
})
