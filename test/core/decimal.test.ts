import { Decimal as ForeignDecimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  Decimal,
  decimal,
  decimalText,
  inverseRate,
  roundSignificant,
  toJsonNumber,
} from '../../src/core/decimal.js'

describe('decimal', () => {
  it.each([
    ['1.0875', '1.0875'],
    ['-12.50', '-12.5'],
    ['+5', '5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007', '7'],
    ['1e3', '1000'],
    ['1.5E-7', '0.00000015'],
    ['-0', '0'],
    ['0e99', '0'],
  ])('reads %s as %s', (text, plain) => {
    expect(decimalText(decimal(text))).toBe(plain)
  })

  it.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    'NaN',
    'Infinity',
    '-Infinity',
    '0x10',
    '0b1',
    '0o7',
    '1_000',
    '1,000',
    '1.2.3',
    '--1',
    '1e',
    'e5',
    '.',
    '-',
    'N/A',
    '١',
  ])('refuses %j with a RangeError that names it', (text) => {
    expect(() => decimal(text)).toThrow(RangeError)
    expect(() => decimal(text)).toThrow(`"${text}"`)
  })

  it('reads a number by its shortest text and refuses what is not finite', () => {
    expect(decimalText(decimal(0.1).plus(decimal(0.2)))).toBe('0.3')
    expect(decimalText(decimal(5e-7))).toBe('0.0000005')
    expect(() => decimal(Number.NaN)).toThrow(RangeError)
    expect(() => decimal(Number.POSITIVE_INFINITY)).toThrow(RangeError)
  })

  it('accepts 30 significant digits and refuses 31', () => {
    const thirty = '1.23456789012345678901234567891'
    expect(decimalText(decimal(thirty))).toBe(thirty)
    expect(() => decimal(`${thirty}1`)).toThrow('30 significant digits')
    expect(decimalText(decimal(`1.${'0'.repeat(60)}`))).toBe('1')
  })

  it('accepts exponents from -30 to 30 and refuses those beyond', () => {
    expect(decimalText(decimal('1e30'))).toBe(`1${'0'.repeat(30)}`)
    expect(decimalText(decimal('1e-30'))).toBe(`0.${'0'.repeat(29)}1`)
    for (const text of [
      '1e31',
      '9.9e-31',
      '1e999',
      '1e-999',
      '1e99999999999999999999',
      '1e-99999999999999999999',
    ]) {
      expect(() => decimal(text), text).toThrow(RangeError)
    }
    expect(decimalText(decimal('0.000e-99999999999'))).toBe('0')
    expect(() => decimal('1'.repeat(1_000_000))).toThrow(RangeError)
  })

  it('accepts decimals of another clone and refuses those that are not finite', () => {
    const foreign = ForeignDecimal.clone({ precision: 5 })
    expect(decimal(new foreign('1.23456789'))).toBeInstanceOf(Decimal)
    expect(decimalText(decimal(new foreign('1.23456789')))).toBe('1.23456789')
    expect(() => decimal(new Decimal('Infinity'))).toThrow(RangeError)
    expect(() => decimal(new Decimal(Number.NaN))).toThrow(RangeError)
  })

  it('is independent of the configuration of decimal.js', () => {
    ForeignDecimal.set({ precision: 3 })
    try {
      expect(decimalText(new Decimal(1).dividedBy(3))).toBe(`0.${'3'.repeat(40)}`)
    } finally {
      ForeignDecimal.set({ defaults: true })
    }
  })

  it('gives every finite double in range back exactly', () => {
    const inRange = fc
      .double({ noNaN: true, min: -1e30, max: 1e30 })
      .filter((x) => x === 0 || Math.abs(x) > 1e-30)
    fc.assert(
      fc.property(inRange, (x) => {
        expect(toJsonNumber(decimal(x))).toBe(x === 0 ? 0 : x)
      }),
    )
  })
})

describe('roundSignificant', () => {
  it('rounds half up, away from zero, whatever the size', () => {
    expect(decimalText(roundSignificant(decimal('1.234565'), 6))).toBe('1.23457')
    expect(decimalText(roundSignificant(decimal('-1.234565'), 6))).toBe('-1.23457')
    expect(decimalText(roundSignificant(decimal('0.000123456449'), 6))).toBe('0.000123456')
    expect(decimalText(roundSignificant(decimal('123456789'), 6))).toBe('123457000')
  })
})

describe('inverseRate', () => {
  it.each([
    ['1.0875', '0.91954'],
    ['161.33', '0.00619848'],
    ['0.85', '1.17647'],
    ['16500.5', '0.0000606042'],
    ['1', '1'],
    ['3', '0.333333'],
  ])('of %s is %s: six significant digits', (rate, inverse) => {
    expect(decimalText(inverseRate(decimal(rate)))).toBe(inverse)
  })

  it('is within half a unit of the sixth digit of the true inverse', () => {
    const rates = fc.integer({ min: 1, max: 10 ** 9 }).map((n) => decimal(n).dividedBy(10_000))
    fc.assert(
      fc.property(rates, (rate) => {
        const error = inverseRate(rate).times(rate).minus(1).abs()
        expect(error.lessThanOrEqualTo('5e-6')).toBe(true)
        expect(inverseRate(rate).precision()).toBeLessThanOrEqual(6)
      }),
    )
  })

  it('refuses zero and negative rates', () => {
    expect(() => inverseRate(decimal(0))).toThrow(RangeError)
    expect(() => inverseRate(decimal('-1.1'))).toThrow('"-1.1" is not a rate')
  })
})
