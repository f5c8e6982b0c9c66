import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  evmAddress,
  explainCik,
  explainCurrencyCode,
  explainEvmAddress,
  explainFigi,
  explainIsin,
  explainLei,
  explainMic,
  explainSlug,
  explainTicker,
  parseCik,
  parseCurrencyCode,
  parseEvmAddress,
  parseFigi,
  parseIsin,
  parseLei,
  parseMic,
  parseSlug,
  parseTicker,
} from '../../src/core/identifiers.js'
import { samplePath } from '../support/samples.js'

const LEIS = [
  'HWUPKR0MPOU8FGXBT394',
  '7LTWFZYICNSX8D621K86',
  '253400JT3MQWNDKMJE44',
  '5493001KJTIIGC8Y1R12',
  '1Z4GXXU7ZHVWFCD8TV52',
]
const ISINS = ['US0378331005', 'DE0007164600', 'GB0002634946', 'AU0000XVGZA3', 'US67066G1040']
const FIGIS = ['BBG000B9XRY4', 'BBG000BLNQ16', 'BBG000BLNNH6', 'BBG0002ZTPP5']

/** Every single character replaced by another of the same class: what a check digit must catch. */
function oneCharacterOff(text: string, alphabetFor: (character: string) => string): readonly string[] {
  return Array.from(text).flatMap((character, at) =>
    Array.from(alphabetFor(character))
      .filter((other) => other !== character)
      .map((other) => text.slice(0, at) + other + text.slice(at + 1)),
  )
}

const digitsForDigits = (character: string) => (/\d/.test(character) ? '0123456789' : '')

describe('LEI', () => {
  it.each(LEIS)('accepts %s, in lower case too, and returns it in upper case', (lei) => {
    expect(parseLei(lei)).toBe(lei)
    expect(parseLei(lei.toLowerCase())).toBe(lei)
    expect(explainLei(lei)).toBeNull()
  })

  it.each(['HWUPKR0MPOU8FGXBT395', '00000000000000000000', '549300DW2HDK2LFFB779', '0292001629A3Q7XJ0D13'])(
    'refuses %s: the check digits do not match',
    (lei) => {
      expect(parseLei(lei)).toBeNull()
      expect(explainLei(lei)).toBe('is not an LEI: the check digits do not match (ISO 17442)')
    },
  )

  // Across classes a letter counts two digits and a digit one, so there the check misses about 1 in 97.
  it('refuses every replaced character, and every swap of two neighbours', () => {
    const sameClass = (character: string) =>
      /\d/.test(character) ? '0123456789' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
    for (const lei of LEIS) {
      expect(oneCharacterOff(lei, sameClass).filter((text) => parseLei(text) !== null)).toEqual([])
      const pairs = Array.from(lei.matchAll(/(?=(\d\d|[A-Z][A-Z]))/g), (match) => match.index)
      const swapped = pairs.map((at) => `${lei.slice(0, at)}${lei[at + 1]}${lei[at]}${lei.slice(at + 2)}`)
      expect(swapped.filter((text) => text !== lei && parseLei(text) !== null)).toEqual([])
    }
  })

  it('refuses the check digits 00, 01 and 99, which ISO 7064 never issues', () => {
    // 98 and 01 leave the same remainder; 98 is the pair that the standard computes.
    const bodies = Array.from({ length: 97 }, (_, n) => `5493001KJTIIGC8Y${String(n).padStart(2, '0')}`)
    const pairs = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))
    for (const body of bodies) {
      const valid = pairs.filter((pair) => parseLei(body + pair) !== null)
      expect(valid).toHaveLength(1)
      expect(['00', '01', '99']).not.toContain(valid[0])
    }
  })

  it.each([
    '',
    'HWUPKR0MPOU8FGXBT39',
    'HWUPKR0MPOU8FGXBT3944',
    'HWUPKR0MPOU8FGXBT394 ',
    'HWUPKR0MPOU8FGXBT39A',
  ])('refuses the format of %j', (text) => {
    expect(explainLei(text)).toBe('must be an LEI: 18 letters or digits and 2 check digits')
  })

  it('accepts the LEI of a published record', ({ skip }) => {
    const path = samplePath('gleif/lei-record_HWUPKR0MPOU8FGXBT394.json')
    if (path === null) return skip('no sample data here')
    const found = /"lei"\s*:\s*"([^"]+)"/.exec(readFileSync(path, 'utf8'))
    expect(parseLei(found?.[1] ?? '')).toBe('HWUPKR0MPOU8FGXBT394')
  })
})

describe('ISIN', () => {
  it.each(ISINS)('accepts %s, in lower case too', (isin) => {
    expect(parseIsin(isin)).toBe(isin)
    expect(parseIsin(isin.toLowerCase())).toBe(isin)
  })

  it('refuses every single wrong digit', () => {
    for (const isin of ISINS) {
      expect(oneCharacterOff(isin, digitsForDigits).filter((text) => parseIsin(text) !== null)).toEqual([])
    }
  })

  it('says whether the format or the check digit is wrong', () => {
    expect(explainIsin('US0378331006')).toBe('is not an ISIN: the check digit does not match (ISO 6166)')
    for (const text of ['', 'US037833100', 'US03783310055', '1S0378331005', 'US037833100A', 'US0378 31005']) {
      expect(explainIsin(text)).toBe('must be an ISIN: 2 letters, 9 letters or digits and a check digit')
    }
  })
})

describe('FIGI', () => {
  it.each(FIGIS)('accepts %s, in lower case too', (figi) => {
    expect(parseFigi(figi)).toBe(figi)
    expect(parseFigi(figi.toLowerCase())).toBe(figi)
  })

  it('refuses every single wrong digit', () => {
    for (const figi of FIGIS) {
      expect(oneCharacterOff(figi, digitsForDigits).filter((text) => parseFigi(text) !== null)).toEqual([])
    }
  })

  it('says whether the format, the prefix or the check digit is wrong', () => {
    expect(explainFigi('BBG000B9XRY5')).toBe('is not a FIGI: the check digit does not match')
    expect(explainFigi('GBG000B9XRY4')).toBe('is not a FIGI: none begins with GB')
    for (const text of ['', 'BBG000B9XRY', 'BBG000B9XRY44', 'BBX000B9XRY4', 'BBG000B9XAY4', 'ABG000B9XRY4']) {
      expect(explainFigi(text)).toBe(
        'must be a FIGI: 2 consonants, G, 8 consonants or digits and a check digit',
      )
    }
  })

  it('accepts every FIGI in recorded answers', ({ skip }) => {
    const folder = samplePath('openfigi')
    if (folder === null) return skip('no sample data here')
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    const pattern = /"(?:figi|compositeFIGI|shareClassFIGI)"\s*:\s*"([^"]+)"/g
    const figis = texts.flatMap((text) => Array.from(text.matchAll(pattern), (match) => match[1] ?? ''))
    expect(figis.length).toBeGreaterThan(500)
    expect(figis.filter((figi) => parseFigi(figi) !== figi)).toEqual([])
  })
})

describe('formats', () => {
  it.each([
    ['usd', 'USD'],
    ['EUR', 'EUR'],
    ['XYZ', 'XYZ'],
    ['', null],
    ['US', null],
    ['USDT', null],
    ['U1D', null],
    ['ÜSD', null],
    ['uſd', null],
  ])('currency code %j → %j', (text, code) => {
    expect(parseCurrencyCode(text)).toBe(code)
    expect(explainCurrencyCode(text) === null).toBe(code !== null)
  })

  it.each([
    ['bitcoin', true],
    ['usd-coin', true],
    ['0x', true],
    ['1inch', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
    ['Bitcoin', false],
    ['BTC', false],
    ['-a', false],
    ['a-', false],
    ['a--b', false],
    ['a_b', false],
    ['a b', false],
    ['bitcoin\n', false],
    ['search', false],
    ['index', false],
    ['search-token', true],
  ])('slug %j: %j, never corrected', (text, valid) => {
    expect(parseSlug(text)).toBe(valid ? text : null)
    expect(explainSlug(text) === null).toBe(valid)
  })

  it.each([
    ['aapl', 'AAPL'],
    ['BRK.B', 'BRK.B'],
    ['brk-b', 'BRK-B'],
    ['GC=F', 'GC=F'],
    ['7203.T', '7203.T'],
    ['A'.repeat(20), 'A'.repeat(20)],
    ['A'.repeat(21), null],
    ['^GSPC', null],
    ['', null],
    ['.A', null],
    ['A A', null],
    ['ſpy', null],
    ['A/B', null],
  ])('ticker %j → %j', (text, ticker) => {
    expect(parseTicker(text)).toBe(ticker)
    expect(explainTicker(text) === null).toBe(ticker !== null)
  })

  it.each([
    ['XNAS', 'XNAS'],
    ['xetr', 'XETR'],
    ['360T', '360T'],
    ['XNA', null],
    ['XNASD', null],
    ['XN S', null],
  ])('MIC %j → %j', (text, mic) => {
    expect(parseMic(text)).toBe(mic)
    expect(explainMic(text) === null).toBe(mic !== null)
  })

  it.each([
    ['320193', '0000320193'],
    ['0000320193', '0000320193'],
    ['1', '0000000001'],
    ['9999999999', '9999999999'],
    ['0', null],
    ['0000000000', null],
    ['12345678901', null],
    ['', null],
    ['-1', null],
    ['CIK320193', null],
  ])('CIK %j → %j', (text, cik) => {
    expect(parseCik(text)).toBe(cik)
    expect(explainCik(text) === null).toBe(cik !== null)
  })

  // The first four are the examples of EIP-55.
  it.each([
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'],
    ['0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB', '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb'],
    ['0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb', '0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb'],
    ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed', null],
    ['0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', null],
    ['5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', null],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', null],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg', null],
    ['', null],
  ])('EVM address %j → %j', (text, address) => {
    if (address === null) expect(() => evmAddress(text)).toThrow(RangeError)
    else expect(evmAddress(text)).toBe(address)
    expect(parseEvmAddress(text)).toBe(address)
    expect(explainEvmAddress(text) === null).toBe(address !== null)
  })

  it('a parsed identifier parses to itself, and a parser never throws', () => {
    const parsers = [
      parseLei,
      parseIsin,
      parseFigi,
      parseCurrencyCode,
      parseEvmAddress,
      parseSlug,
      parseTicker,
      parseMic,
      parseCik,
    ]
    const words = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...LEIS, ...ISINS, ...FIGIS))
    fc.assert(
      fc.property(words, fc.constantFrom(...parsers), (text, parse) => {
        const once = parse(text)
        expect(once === null ? null : parse(once)).toBe(once)
      }),
    )
  })
})
