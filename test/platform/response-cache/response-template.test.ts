import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResponseTemplate } from '../../../src/platform/response-cache/response-template.js'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const AN_HOUR_AGO = NOON - 3_600_000

/** An answer as it is made at an instant; `seconds` per observed instant. */
const answer = (seconds: number, isHit: boolean) =>
  JSON.stringify({ data: [1, 2], meta: { cache_hit: isHit }, _meta: { data_freshness_seconds: seconds } })

const textAt = (template: ResponseTemplate | null, nowMs: number) =>
  template?.renderAt(nowMs).bytes.toString()

describe('a stored answer', () => {
  it('updates the age each second, and says that it was cached', () => {
    const template = ResponseTemplate.of(answer(3_600, false), NOON, new Set([AN_HOUR_AGO]))
    expect(textAt(template, NOON)).toBe(answer(3_600, true))
    expect(textAt(template, NOON + 999)).toBe(answer(3_600, true))
    expect(textAt(template, NOON + 1_000)).toBe(answer(3_601, true))
    expect(textAt(template, NOON + 86_400_000)).toBe(answer(90_000, true))
  })

  it('is rendered once a second, for all callers', () => {
    // 3599.6 s old: the age rises 400 ms later.
    const template = ResponseTemplate.of(answer(3_599, false), NOON, new Set([AN_HOUR_AGO + 400]))
    const first = template?.renderAt(NOON)
    expect(first?.bytes.toString()).toBe(answer(3_599, true))
    expect(template?.renderAt(NOON + 399)).toBe(first)
    expect(textAt(template, NOON + 400)).toBe(answer(3_600, true))
  })

  it('is sent as text if it is short, as bytes if it is long', () => {
    const bodyOf = (json: string) => ResponseTemplate.of(json, NOON, new Set())?.renderAt(NOON).body
    const short = '{"text":"é’"}'
    expect(Buffer.from(String(bodyOf(short)), 'latin1')).toEqual(Buffer.from(short))
    const long = JSON.stringify({ text: 'é'.repeat(10_000) })
    expect(bodyOf(long)).toEqual(Buffer.from(long))
  })

  it('shows the right age after the clock was put back', () => {
    const template = ResponseTemplate.of(answer(3_600, false), NOON, new Set([AN_HOUR_AGO]))
    expect(textAt(template, NOON + 10_000)).toBe(answer(3_610, true))
    expect(textAt(template, NOON - 5_000)).toBe(answer(3_595, true))
    expect(textAt(template, AN_HOUR_AGO - 1)).toBe(answer(0, true))
  })

  it('shows age 0 for an observation in the future until its first second has passed', () => {
    const template = ResponseTemplate.of(answer(0, false), NOON, new Set([NOON + 5_000]))
    expect(textAt(template, NOON + 5_999)).toBe(answer(0, true))
    expect(textAt(template, NOON + 6_000)).toBe(answer(1, true))
  })

  it('computes each of several ages by its own instant', () => {
    const made = (first: number, second: number) =>
      `[{"data_freshness_seconds":${first}},{"data_freshness_seconds":${second}},{"data_freshness_seconds":${first}}]`
    const template = ResponseTemplate.of(made(3_600, 60), NOON, new Set([AN_HOUR_AGO, NOON - 60_500]))
    expect(textAt(template, NOON + 500)).toBe(made(3_600, 61))
    expect(textAt(template, NOON + 1_000)).toBe(made(3_601, 61))
  })

  it('without an age stays unchanged', () => {
    const template = ResponseTemplate.of('{"meta":{"cache_hit":false}}', NOON, new Set([AN_HOUR_AGO]))
    expect(textAt(template, NOON)).toBe('{"meta":{"cache_hit":true}}')
    expect(template?.renderAt(NOON + 86_400_000)).toBe(template?.renderAt(NOON))
  })

  it('keeps texts that merely contain the names of the members', () => {
    const texts = {
      summary: 'says "data_freshness_seconds":3600 and "cache_hit":false, or {"cache_hit":false}',
      names: ['data_freshness_seconds', 'cache_hit', '"cache_hit"', 'cache_hit":false'],
      '"cache_hit"': 'a name that is quoted itself',
      other_cache_hit: false,
      data_freshness_seconds_ago: 3_600,
    }
    const json = JSON.stringify(texts)
    expect(textAt(ResponseTemplate.of(json, NOON, new Set([AN_HOUR_AGO])), NOON + 7_000)).toBe(json)
  })

  it('is null if an age fits none of the instants, or several', () => {
    expect(ResponseTemplate.of(answer(3_600, false), NOON, new Set())).toBeNull()
    expect(ResponseTemplate.of(answer(3_601, false), NOON, new Set([AN_HOUR_AGO]))).toBeNull()
    // Both are 3600 s old now, and will not rise at the same instant.
    const within = new Set([AN_HOUR_AGO, AN_HOUR_AGO - 999])
    expect(ResponseTemplate.of(answer(3_600, false), NOON, within)).toBeNull()
  })

  it('states the memory of its parts and one rendering', () => {
    const json = JSON.stringify({ text: 'é'.repeat(1_000), data_freshness_seconds: 3_600 })
    const template = ResponseTemplate.of(json, NOON, new Set([AN_HOUR_AGO]))
    const bytes = Buffer.byteLength(json)
    expect(template?.size).toBeGreaterThan(3 * (bytes - 10))
    expect(template?.size).toBeLessThanOrEqual(3 * bytes)
  })
})

/** Instants within some days around noon, in the past and the future, to the millisecond. */
const instants = fc.integer({ min: NOON - 400_000_000, max: NOON + 100_000_000 })

/** Texts of the kind that could be taken for members. */
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('cache_hit', 'data_freshness_seconds', '"cache_hit":false', '"data_freshness_seconds":60'),
)

/** What JSON can hold, without members of the two names. */
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    texts,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      texts.filter((name) => name !== 'cache_hit' && name !== 'data_freshness_seconds'),
      tie('value'),
      { maxKeys: 3 },
    ),
  ),
})).value

const parts = fc.array(fc.tuple(values, instants), { maxLength: 4 })

/** The answer as it is made at an instant: each part with its age, after other values. */
function madeAt(given: readonly (readonly [unknown, number])[], nowMs: number, isHit: boolean): string {
  return JSON.stringify(
    given.map(([value, observedMs]) => ({
      value,
      meta: { cache_hit: isHit },
      _meta: { data_freshness_seconds: Math.floor(Math.max(0, nowMs - observedMs) / 1_000) },
    })),
  )
}

describe('any stored answer', () => {
  it('reads at any later instant like the same answer computed then', () => {
    let kept = 0
    fc.assert(
      fc.property(
        parts,
        fc.array(fc.nat({ max: 400_000_000 }), { minLength: 1, maxLength: 5 }),
        (given, waits) => {
          const observed = new Set(given.map(([, observedMs]) => observedMs))
          const template = ResponseTemplate.of(madeAt(given, NOON, false), NOON, observed)
          if (template === null) return
          kept += 1
          for (const wait of waits) {
            expect(textAt(template, NOON + wait)).toBe(madeAt(given, NOON + wait, true))
          }
        },
      ),
      { numRuns: 1_000 },
    )
    // Only two instants of one age, including all those of the future, are not distinguished.
    expect(kept).toBeGreaterThan(500)
  })
})
