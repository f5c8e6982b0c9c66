import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Given } from '../../src/core/argument-parsers.js'
import { ApiError, type FieldProblem } from '../../src/core/errors.js'
import {
  decodeCursor,
  encodeCursor,
  hasNext,
  MAX_OFFSET,
  MAX_PAGE,
  pageLinks,
  parseOffsetPage,
  parseSeriesPage,
} from '../../src/core/page.js'
import { Problems } from '../../src/core/problems.js'

/** The page, or the 422 of what is wrong with it. */
function offsetPage(
  asked: Parameters<typeof parseOffsetPage>[1],
  limits?: Parameters<typeof parseOffsetPage>[2],
) {
  const problems = new Problems()
  const page = parseOffsetPage(problems, asked, limits)
  problems.refuse()
  return page
}

function seriesPage(asked: { readonly page?: Given<number>; readonly limit?: Given<number> }) {
  const problems = new Problems()
  const page = parseSeriesPage(problems, asked)
  problems.refuse()
  return page
}

/** The problems of the 422 that `parse` throws. */
function problemsOf(parse: () => unknown): readonly FieldProblem[] {
  try {
    parse()
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return error.details
    throw error
  }
  throw new Error('nothing was refused')
}

const total = fc.integer({ min: 0, max: 500 })
const limit = fc.integer({ min: 1, max: 100 })

describe('parseOffsetPage', () => {
  it('uses 20 and 0 for missing and null values', () => {
    expect(offsetPage({})).toEqual({ limit: 20, offset: 0 })
    expect(offsetPage({ limit: null, offset: null })).toEqual({ limit: 20, offset: 0 })
  })

  it('accepts the bounds themselves', () => {
    expect(offsetPage({ limit: 1, offset: 0 })).toEqual({ limit: 1, offset: 0 })
    expect(offsetPage({ limit: 100, offset: 1_000_000 })).toEqual({ limit: 100, offset: 1_000_000 })
  })

  it('refuses values beyond the bounds, naming field, bounds and value', () => {
    expect(problemsOf(() => offsetPage({ limit: 0 }))).toEqual([
      { field: 'limit', message: 'must be between 1 and 100; got 0' },
    ])
    expect(problemsOf(() => offsetPage({ limit: 101 }))).toEqual([
      { field: 'limit', message: 'must be between 1 and 100; got 101' },
    ])
    expect(problemsOf(() => offsetPage({ offset: 1_000_001 }))).toEqual([
      { field: 'offset', message: 'must be between 0 and 1000000; got 1000001' },
    ])
  })

  it('names all problems at once', () => {
    expect(problemsOf(() => offsetPage({ limit: 2.5, offset: -1 }))).toEqual([
      { field: 'limit', message: 'must be a whole number; got 2.5' },
      { field: 'offset', message: 'must be between 0 and 1000000; got -1' },
    ])
    expect(problemsOf(() => offsetPage({ limit: Number.NaN })).map((problem) => problem.field)).toEqual([
      'limit',
    ])
  })

  it('accepts the bounds of another list', () => {
    const limits = { min: 1, max: 50, default: 10 }
    expect(offsetPage({}, limits)).toEqual({ limit: 10, offset: 0 })
    expect(problemsOf(() => offsetPage({ limit: 51 }, limits))).toHaveLength(1)
  })
})

describe('parseSeriesPage', () => {
  it('uses page 1 of 100 and computes the offset', () => {
    expect(seriesPage({})).toEqual({ page: 1, limit: 100, offset: 0 })
    expect(seriesPage({ page: 3, limit: 1000 })).toEqual({ page: 3, limit: 1000, offset: 2000 })
  })

  it('refuses page 0, limit 0 and limit 1001, all at once', () => {
    expect(problemsOf(() => seriesPage({ page: 0, limit: 1001 }))).toEqual([
      { field: 'limit', message: 'must be between 1 and 1000; got 1001' },
      { field: 'page', message: 'must be between 1 and 1000000; got 0' },
    ])
    expect(problemsOf(() => seriesPage({ limit: 0 })).map((problem) => problem.field)).toEqual(['limit'])
  })

  it('has one bound of pages, whatever their limit', () => {
    for (const limit of [1, 1000]) {
      expect(seriesPage({ page: MAX_PAGE, limit }).page).toBe(MAX_PAGE)
      expect(problemsOf(() => seriesPage({ page: MAX_PAGE + 1, limit }))).toEqual([
        { field: 'page', message: 'must be between 1 and 1000000; got 1000001' },
      ])
    }
  })
})

describe('hasNext', () => {
  it('is true exactly if a row follows the page', () => {
    expect(hasNext({ limit: 20, offset: 0 }, 20)).toBe(false)
    expect(hasNext({ limit: 20, offset: 0 }, 21)).toBe(true)
    expect(hasNext({ limit: 20, offset: 40 }, 21)).toBe(false)
    expect(hasNext({ limit: 20, offset: 0 }, 0)).toBe(false)
  })
})

describe('pageLinks', () => {
  it.each([
    [0, 0, { first: 0, prev: null, next: null, last: 0 }],
    [20, 0, { first: 0, prev: null, next: null, last: 0 }],
    [21, 0, { first: 0, prev: null, next: 20, last: 20 }],
    [45, 20, { first: 0, prev: 0, next: 40, last: 40 }],
    [45, 40, { first: 0, prev: 20, next: null, last: 40 }],
    [45, 5, { first: 0, prev: 0, next: 25, last: 40 }],
    [45, 900, { first: 0, prev: 40, next: null, last: 40 }],
  ])('are right for %i rows from offset %i', (rows, offset, links) => {
    expect(pageLinks(rows, { limit: 20, offset })).toEqual(links)
  })

  it('never lead to a request that would be refused', () => {
    const links = pageLinks(3_000_000, { limit: 100, offset: MAX_OFFSET })
    expect(links).toEqual({ first: 0, prev: MAX_OFFSET - 100, next: null, last: null })
  })

  it('lead by next from the start over every row once to the end', () => {
    fc.assert(
      fc.property(total, limit, (rows, size) => {
        let offset = 0
        let seen = 0
        for (
          let next: number | null = 0;
          next !== null;
          next = pageLinks(rows, { limit: size, offset }).next
        ) {
          offset = next
          seen += Math.max(0, Math.min(size, rows - offset))
        }
        expect(seen).toBe(rows)
        expect(pageLinks(rows, { limit: size, offset: 0 }).last).toBe(offset)
      }),
    )
  })
})

describe('cursors', () => {
  it('return their parts as text', () => {
    const cursor = encodeCursor(['2026-01-02T03:04:05.678Z', 42])
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(decodeCursor(cursor, 2)).toEqual(['2026-01-02T03:04:05.678Z', '42'])
  })

  it('return any parts', () => {
    const parts = fc.array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.integer()), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(parts, (values) => {
        expect(decodeCursor(encodeCursor(values), values.length)).toEqual(values.map(String))
      }),
    )
  })

  it.each([
    ['empty', ''],
    ['not base64url', '***'],
    ['not JSON', Buffer.from('hello').toString('base64url')],
    ['not an array', Buffer.from('{"length":2}').toString('base64url')],
    ['too few parts', encodeCursor(['a'])],
    ['too many parts', encodeCursor(['a', 'b', 'c'])],
    ['a part of another type', Buffer.from('["a",null]').toString('base64url')],
    ['JSON spelled otherwise', Buffer.from('["a", "b"]').toString('base64url')],
    ['padding', `${encodeCursor(['a', 'b'])}=`],
    ['a stray character', `${encodeCursor(['a', 'b'])} `],
    ['too long', encodeCursor(['a'.repeat(600), 'b'])],
  ])('that are %s are refused', (_name, text) => {
    expect(decodeCursor(text, 2)).toBeNull()
  })

  it('never make decoding throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void decodeCursor(text, 1)))
  })
})
