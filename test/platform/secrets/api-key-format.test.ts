import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyPrefix, makeApiKey, parseApiKey } from '../../../src/platform/secrets/api-key-format.js'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('makeApiKey', () => {
  it('writes the characters of the bytes, and the CRC32 of the text before the last underscore', () => {
    // CRC32("mdg_live_" + 30 zeros) = 0x7d6118c7 (zlib of Python) = 2103515335 = 2IM8Qh in base62.
    expect(makeApiKey('live', (size) => new Uint8Array(size))).toBe(`mdg_live_${'0'.repeat(30)}_2IM8Qh`)
  })

  it('uses every character evenly: of 256 byte values each character gets 4 and the last 8 are dropped', () => {
    const seen = new Map<string, number>()
    const bytes = Array.from({ length: 256 }, (_, value) => value)
    for (const byte of bytes.slice(0, 248)) {
      const character = makeApiKey('test', (size) => new Uint8Array(size).fill(byte)).charAt(9)
      seen.set(character, (seen.get(character) ?? 0) + 1)
    }
    expect([...seen.keys()].sort().join('')).toBe([...BASE62].sort().join(''))
    expect(new Set(seen.values())).toEqual(new Set([4]))
    const cycle = [248, 255, 250, 7]
    let drawn = -1
    const next = () => {
      drawn += 1
      return cycle[drawn % cycle.length] ?? 0
    }
    const key = makeApiKey('test', (size) => Uint8Array.from({ length: size }, next))
    expect(key.slice(9, 39)).toBe('7'.repeat(30))
  })

  it('makes keys that differ and parse', () => {
    const keys = Array.from({ length: 200 }, () => makeApiKey('live', randomBytes))
    expect(new Set(keys).size).toBe(200)
    for (const key of keys) expect(parseApiKey(key)).toBe(key)
  })
})

describe('parseApiKey', () => {
  const key = makeApiKey('live', randomBytes)

  it('refuses a key with any one character changed', () => {
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...BASE62, '_', ' ', 'é'), (at, character) => {
        fc.pre(key[at] !== character)
        expect(parseApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBeNull()
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['empty', ''],
    ['another prefix', key.replace('mdg', 'mgd')],
    ['another mode', key.replace('live', 'prod')],
    ['the other mode, as the checksum covers it', key.replace('live', 'test')],
    ['too short', key.slice(0, -1)],
    ['too long', `${key}0`],
    ['a space before', ` ${key}`],
    ['a line end after', `${key}\n`],
    ['two keys', `${key},${key}`],
  ])('refuses %s', (_, text) => {
    expect(parseApiKey(text)).toBeNull()
  })
})

describe('keyPrefix', () => {
  it('is the first 16 characters', () => {
    expect(keyPrefix(makeApiKey('test', (size) => new Uint8Array(size).fill(10)))).toBe('mdg_test_AAAAAAA')
  })
})
