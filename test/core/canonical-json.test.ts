import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, contentHash, sha256Hex } from '../../src/core/canonical-json.js'

/** RFC 8785 appendix B: IEEE 754 bits and the text they must have. */
const NUMBERS: readonly (readonly [string, string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
]

const jsonValue = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"toJSON"'))

describe('canonicalJson', () => {
  it.each(NUMBERS)('writes the number with bits %s as %s (RFC 8785 appendix B)', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text)
  })

  it('writes the example of RFC 8785 section 3.2.2', () => {
    const value = {
      // biome-ignore lint/correctness/noPrecisionLoss: the RFC's own spelling
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    }
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  it('orders keys by UTF-16 code units (RFC 8785 section 3.2.3)', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6']
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))
    const ordered = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']
    expect(text).toBe(`{${ordered.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`)
  })

  it('is the same for equal values in any order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), jsonValue), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse())
        fc.pre(!('toJSON' in object))
        expect(canonicalJson(reversed)).toBe(canonicalJson(object))
      }),
    )
  })

  it('loses nothing: parsing it gives the same value, and writing that the same text', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = canonicalJson(value)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('writes dates and decimals as a client receives them', () => {
    expect(canonicalJson({ rate: new Decimal('1.10'), at: new Date(0) })).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","rate":"1.1"}',
    )
  })

  it('accepts one object in two places, which is not a cycle', () => {
    const shared = { x: 1 }
    expect(canonicalJson({ a: shared, ab: shared })).toBe('{"a":{"x":1},"ab":{"x":1}}')
  })

  it('keeps a key named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}')
  })

  it.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['undefined', undefined],
    ['a function', () => 0],
    ['a symbol', Symbol('s')],
    ['a bigint', 1n],
    ['a lone surrogate', '\ud83d'],
    ['a Map', new Map()],
    ['a member named toJSON', { toJSON: 1 }],
  ])('refuses %s with a TypeError, alone or nested', (_name, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
    expect(() => canonicalJson([value])).toThrow(/^\$\[0\]/)
    expect(() => canonicalJson({ a: { b: value } })).toThrow(/^\$\.a\.b/)
  })

  it('refuses holes, cycles, lone surrogates in keys and an invalid date', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(() => canonicalJson(cycle)).toThrow(TypeError)
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    expect(() => canonicalJson([1, , 3])).toThrow('$[1]: undefined has no canonical JSON')
    expect(() => canonicalJson({ '\ud83d': 1 })).toThrow(TypeError)
    expect(canonicalJson(new Date(Number.NaN))).toBe('null')
  })

  it('accepts 100 levels and refuses 101', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 0 : [nested(levels - 1)])
    expect(canonicalJson(nested(100))).toBe(`${'['.repeat(100)}0${']'.repeat(100)}`)
    expect(() => canonicalJson(nested(101))).toThrow(TypeError)
  })
})

describe('hashes', () => {
  it('sha256Hex gives the published digests, of text as UTF-8 and of bytes', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(sha256Hex(new TextEncoder().encode('é'))).toBe(sha256Hex('é'))
  })

  it('contentHash is the digest of the canonical text with its algorithm in front', () => {
    expect(contentHash({ b: 2, a: 1 })).toBe(`sha256:${sha256Hex('{"a":1,"b":2}')}`)
    expect(contentHash({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  })
})
