import { describe, expect, it } from 'vitest'
import type { IsoDate } from '../../../src/core/time.js'
import { locatePage, type PageIndex } from '../../../src/domains/star/page-index.js'

/** 2, 3 and 1 rows on the first, second and fourth day of 2026. */
const first = Date.parse('2026-01-01') / 86_400_000
const OUTLINE: PageIndex = {
  days: Int32Array.of(first, first + 1, first + 3),
  before: Float64Array.of(0, 2, 5, 6),
}

const ALL = { from: null, to: null }
const day = (text: string) => text as IsoDate

describe('the place of a page', () => {
  it.each([
    { offset: 0, limit: 2, first: '2026-01-01', skip: 0, last: '2026-01-01' },
    { offset: 1, limit: 2, first: '2026-01-01', skip: 1, last: '2026-01-02' },
    { offset: 2, limit: 3, first: '2026-01-02', skip: 0, last: '2026-01-02' },
    { offset: 4, limit: 9, first: '2026-01-02', skip: 2, last: '2026-01-04' },
    { offset: 5, limit: 1, first: '2026-01-04', skip: 0, last: '2026-01-04' },
  ])('of $limit rows after $offset is found by day', ({ offset, limit, first: from, skip, last }) => {
    expect(locatePage(OUTLINE, { ...ALL, offset, limit })).toEqual({
      total: 6,
      days: { first: from, offset: skip, last },
    })
  })

  it('counts from the first requested day to the last', () => {
    const range = { from: day('2026-01-02'), to: day('2026-01-03') }
    expect(locatePage(OUTLINE, { ...range, offset: 1, limit: 9 })).toEqual({
      total: 3,
      days: { first: '2026-01-02', offset: 1, last: '2026-01-02' },
    })
  })

  it.each([
    { ...ALL, offset: 6 },
    { from: day('2026-01-03'), to: day('2026-01-03'), offset: 0 },
    { from: day('2027-01-01'), to: null, offset: 0 },
    { from: null, to: day('2025-01-01'), offset: 0 },
  ])('does not exist beyond the rows of the days', (asked) => {
    expect(locatePage(OUTLINE, { ...asked, limit: 1 }).days).toBeNull()
  })

  it('does not exist in an empty fact', () => {
    const empty = { days: new Int32Array(), before: new Float64Array(1) }
    expect(locatePage(empty, { ...ALL, offset: 0, limit: 1 })).toEqual({ total: 0, days: null })
  })
})
