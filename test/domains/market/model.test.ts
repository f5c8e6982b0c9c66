import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TIMEFRAMES, WINDOW_MS, windowStarts, windowsBetween } from '../../../src/domains/market/model.js'

const at = (text: string) => new Date(text)

describe('windowsBetween', () => {
  it('goes from the window of the first instant to the last one that has ended', () => {
    const range = windowsBetween(
      { timeframe: '1d', from: at('2026-11-17T13:00:00Z'), until: at('2026-11-20T12:00:00Z') },
      500,
    )
    expect(windowStarts(range)).toEqual([
      at('2026-11-17T00:00:00Z'),
      at('2026-11-18T00:00:00Z'),
      at('2026-11-19T00:00:00Z'),
    ])
    expect(range.total).toBe(3)
  })

  it('counts a window that ends exactly at the last instant and starts exactly at the first', () => {
    const range = windowsBetween(
      { timeframe: '1h', from: at('2026-11-20T10:00:00Z'), until: at('2026-11-20T11:00:00Z') },
      500,
    )
    expect(windowStarts(range)).toEqual([at('2026-11-20T10:00:00Z')])
  })

  it('has no window if none has ended, even with a first instant after the last', () => {
    expect(
      windowsBetween(
        { timeframe: '1d', from: at('2026-11-20T01:00:00Z'), until: at('2026-11-20T23:00:00Z') },
        500,
      ).total,
    ).toBe(0)
    const turned = windowsBetween(
      { timeframe: '1d', from: at('2026-11-25T00:00:00Z'), until: at('2026-11-20T00:00:00Z') },
      500,
    )
    expect([turned.total, windowStarts(turned)]).toEqual([0, []])
  })

  it('returns the newest windows up to the limit, aligned, without a gap, within the range', () => {
    const instant = fc.date({
      min: at('1970-01-01T00:00:00Z'),
      max: at('2199-12-31T00:00:00Z'),
      noInvalidDate: true,
    })
    const given = fc.tuple(
      fc.constantFrom(...TIMEFRAMES),
      instant,
      instant,
      fc.integer({ min: 1, max: 1000 }),
    )
    fc.assert(
      fc.property(given, ([timeframe, a, b, limit]) => {
        const [from, to] = a < b ? [a, b] : [b, a]
        const range = windowsBetween({ timeframe, from, until: to }, limit)
        const starts = windowStarts(range).map((start) => start.getTime())
        const lengthMs = WINDOW_MS[timeframe]
        expect(starts).toHaveLength(Math.min(limit, range.total))
        for (const [index, start] of starts.entries()) {
          expect(start % lengthMs).toBe(0)
          expect(start).toBe((starts[0] ?? 0) + index * lengthMs)
        }
        const last = starts.at(-1)
        if (last === undefined) return
        expect(last + lengthMs).toBeLessThanOrEqual(to.getTime())
        expect(last + 2 * lengthMs).toBeGreaterThan(to.getTime())
        if (range.total <= limit) expect(Math.floor(from.getTime() / lengthMs) * lengthMs).toBe(starts[0])
      }),
    )
  })
})
