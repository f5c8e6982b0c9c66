import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { FORMS, MINUTE, type Outcome, type RawBar, read, START } from './answers.js'

const COUNT = 200

/** Every sort of bad figure; each is bad in every venue. */
const BAD_CELLS: readonly Omit<RawBar, 'ms'>[] = [
  ...['-1', '"-0.5"', '0', '"0"', 'NaN', '"NaN"', '"nan"', 'Infinity', '-Infinity', '1e400', '"1e400"'],
  ...[
    '-1e400',
    '1e-400',
    '""',
    '" "',
    'null',
    'true',
    '[]',
    '{}',
    '"1,5"',
    '"0x10"',
    '"<html>"',
    '"1e"',
    '"--1"',
  ],
  ...['"9"', '"1.0000000000000000000000000000001"', '"\\u0000"', '"∞"', `"${'9'.repeat(5000)}"`],
].flatMap((cell) => [{ high: cell }, { open: cell }, { close: cell }])

const BAD_TIMES = [
  '0',
  '-1',
  '""',
  'null',
  '1e9',
  '1790445601',
  '99999999999999',
  '"now"',
  '[]',
  '1790445600.5',
]

const BAD_ROWS = ['null', '[]', '{}', '[[]]', '"row"', '12', 'NaN', '[1,2,3]', '{"timestamp":"1"}', 'false']

const BROKEN = [
  ...[
    '',
    ' ',
    '<html>',
    '<?xml version="1.0"?>',
    'Bad Gateway',
    'error code: 1015',
    '{',
    '[',
    '{"a',
    '"',
    '{}',
  ],
  ...[
    'null',
    '1',
    '"ok"',
    'true',
    '[[1,',
    '{"error":',
    '[[[[[[[[[[[[',
    'NaN',
    '\u0000',
    '{"code":-1003}',
    '{"data":{}}',
  ],
  ...[
    '{"error":["EService:Busy"]}',
    '{"code":"50013","data":[]}',
    '{"result":{}}',
    '{"message":"slow down"}',
  ],
]

describe.each(FORMS.map((form) => [form.adapter.venue, form] as const))(
  'a flood of bad answers: %s',
  (_, form) => {
    it('rejects 200 bad rows of each sort one by one with reasons and keeps every good one among them', () => {
      const badRows = (index: number) => {
        const ms = START + (COUNT + index) * MINUTE
        const cells = BAD_CELLS[index % BAD_CELLS.length]
        const time = BAD_TIMES[index % BAD_TIMES.length]
        const raw = BAD_ROWS[index % BAD_ROWS.length]
        return [
          form.row({ ms, ...cells }),
          form.row(time === undefined ? { ms } : { ms, time }),
          raw ?? 'null',
        ]
      }
      const rows = Array.from({ length: COUNT }, (_value, index) => [
        form.row({ ms: START + index * MINUTE }),
        ...badRows(index),
      ])
      const { bars, rejected } = whole(read(form, form.body(rows.flat())))
      expect(bars.map((bar) => Number(bar.split(' ')[0]))).toEqual(
        Array.from({ length: COUNT }, (_value, at) => at),
      )
      expect(rejected).toHaveLength(3 * COUNT)
      for (const text of rejected) expect(text).toMatch(/^row \d+: .{5,200}$/)
      expect(new Set(rejected.map((text) => text.split(':')[0])).size).toBe(3 * COUNT)
    })

    it('rejects 200 contradictions of one minute together with the first row', () => {
      const rows = Array.from({ length: COUNT + 1 }, (_value, index) =>
        form.row({ ms: START, open: String(100 + index / 100) }),
      )
      const { bars, rejected } = whole(read(form, form.body(rows)))
      expect(bars).toEqual([])
      expect(rejected).toHaveLength(COUNT + 1)
    })

    it('refuses 200 bodies that are not answers, each with a reason', () => {
      for (let index = 0; index < COUNT; index++) {
        const body = BROKEN[index % BROKEN.length] ?? ''
        const status = [200, 400, 403, 418, 451][index % 5] ?? 200
        expect(
          refusal(() => read(form, body, status)),
          `${status} ${body}`,
        ).toMatch(/.{10,300}/)
      }
    })

    it('keeps every whole row of a body that is cut off anywhere, and says where it ends', () => {
      const rows = Array.from({ length: 5 }, (_value, minute) => form.row({ ms: START + minute * MINUTE }))
      const body = form.body(rows)
      for (let length = 0; length < body.length; length++) {
        const text = body.slice(0, length)
        const complete = [...rows, ...form.tail].filter((row) => text.includes(row)).length
        if (complete === 0)
          expect(refusal(() => read(form, text))).toMatch(
            /cut off|empty|not an object|not a list of rows|not JSON|error|about/,
          )
        else expectCut(whole(read(form, text)), complete - form.tail.length)
      }
    })

    it('fails only with BrokenBody and never accepts a wrong figure, whatever bytes are changed', () => {
      const rows = Array.from({ length: 6 }, (_value, minute) => form.row({ ms: START + minute * MINUTE }))
      const bytes = new TextEncoder().encode(form.body(rows))
      const change = fc.record({ at: fc.nat(bytes.length - 1), byte: fc.nat(255) })
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
          const body = Uint8Array.from(bytes)
          for (const { at, byte } of changes) body[at] = byte
          const outcome = attempt(() => read(form, body))
          if (outcome === null || outcome === 'not_listed') return
          for (const bar of outcome.bars) {
            const [, open = 0, high = 0, low = 0, close = 0] = bar.split(' ').map(Number)
            expect(low).toBeGreaterThan(0)
            expect(Math.min(open, close)).toBeGreaterThanOrEqual(low)
            expect(Math.max(open, close)).toBeLessThanOrEqual(high)
          }
          for (const text of outcome.rejected) expect(text).toMatch(/^row \d+: .+$/)
        }),
        { numRuns: 500 },
      )
    })

    it('fails only with BrokenBody on any bytes', () => {
      fc.assert(
        fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(encode)), (body) => {
          attempt(() => read(form, body))
        }),
        { numRuns: 500 },
      )
    })
  },
)

/** Either the end lies within a row or after one; the bars before it are all there. */
function expectCut({ bars, rejected }: Outcome, complete: number): void {
  expect(bars).toHaveLength(complete)
  expect(rejected.length).toBeLessThanOrEqual(1)
  for (const text of rejected) expect(text).toMatch(/^row \d+: the body is cut off here$/)
}

function whole(outcome: Outcome | 'not_listed'): Outcome {
  if (outcome === 'not_listed') throw new Error('not listed')
  return outcome
}

/** Null for a BrokenBody; any other error goes on. */
function attempt<T>(call: () => T): T | null {
  try {
    return call()
  } catch (error) {
    if (error instanceof BrokenBody) return null
    throw error
  }
}

/** The reason of a BrokenBody; empty when there was none. */
function refusal(call: () => unknown): string {
  try {
    call()
    return ''
  } catch (error) {
    if (error instanceof BrokenBody) return error.message
    throw error
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
