import fc from 'fast-check'
import type { Schema } from './openapi.js'

/** Texts that have broken programs before. */
const HOSTILE = [
  '',
  ' ',
  '0',
  '-1',
  '1e400',
  'NaN',
  'null',
  'undefined',
  'true',
  '[object Object]',
  '__proto__',
  'constructor',
  "'; drop table asset; --",
  '" or 1=1',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '\u0000',
  '\r\nSet-Cookie: a=b',
  'ﷺ',
  '👩‍👩‍👧‍👦',
  'İ',
  'a'.repeat(5_000),
  '9'.repeat(400),
  '2026-02-30',
  '0000-00-00',
  '9999-12-31',
  '275760-09-13',
  '2026-11-20T24:00:00Z',
  '1970-01-01T00:00:00+14:00',
]

const [FIRST_SURROGATE, SURROGATES, LAST_CODE_POINT] = [0xd800, 0x800, 0x10ffff]

/**
 * Any character, as fast-check's unit `binary`, which reads texts by a table of all 1.1 million of them: making it takes
 * more CPU time than what is asked with them.
 */
const anyCharacter = fc.integer({ min: 0, max: LAST_CODE_POINT - SURROGATES }).map(
  (place) => String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES),
  (text) => {
    const [only, ...more] = typeof text === 'string' ? text : ''
    const code = more.length === 0 ? (only?.codePointAt(0) ?? FIRST_SURROGATE) : FIRST_SURROGATE
    if (code >= FIRST_SURROGATE && code < FIRST_SURROGATE + SURROGATES) throw new Error('not a character')
    return code < FIRST_SURROGATE ? code : code - SURROGATES
  },
)

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60, unit: anyCharacter }) },
)

const DAY = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

/** Values that a schema asks for, values at and beyond its bounds, and texts that are nothing of the kind. */
export function textFor(schema: Schema, example: unknown): fc.Arbitrary<string> {
  const good = [example, schema.default, ...(schema.enum ?? []), ...(schema.examples ?? [])]
    .filter((value) => value !== undefined && value !== null)
    .map(String)
  const parts: fc.WeightedArbitrary<string>[] = [
    { weight: 4, arbitrary: fittingText(schema) },
    { weight: 2, arbitrary: hostileText },
  ]
  if (good.length > 0) parts.push({ weight: 10, arbitrary: fc.constantFrom(...good) })
  return fc.oneof(...parts)
}

function fittingText(schema: Schema): fc.Arbitrary<string> {
  const { minimum, maximum, maxLength, format } = schema
  const types = [schema.type].flat()
  if (types.includes('integer') || types.includes('number')) {
    const bounds = [minimum, maximum].flatMap((bound) =>
      bound === undefined ? [] : [bound - 1, bound, bound + 1],
    )
    return fc
      .oneof(fc.constantFrom(0, ...bounds), fc.integer({ min: -5, max: 200 }), fc.maxSafeInteger())
      .map(String)
  }
  if (types.includes('boolean')) return fc.constantFrom('true', 'false', '1', 'TRUE')
  if (format === 'date') return DAY.map((text) => text.slice(0, 10))
  if (format === 'date-time') return DAY
  if (format === 'uuid') return fc.uuid()
  const longest = Math.min(maxLength ?? 40, 300)
  return fc.oneof(
    fc.string({ maxLength: longest }),
    fc.constantFrom('a'.repeat(longest), 'a'.repeat(longest + 1)),
  )
}
