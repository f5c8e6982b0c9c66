import { expect, it } from 'vitest'
import { findDifferences } from '../../../src/domains/receipts/differences.js'

const INSTANT = '2026-11-20T12:00:00.000Z'

it('names members with other values, those of the data first, and lists of other lengths', () => {
  const before = { data: [{ rate: 1 }, { rate: 2 }], meta: { total: 2, cache_hit: false }, _meta: { age: 1 } }
  const after = {
    data: [{ rate: 1 }, { rate: 3 }, { rate: 4 }],
    meta: { total: 3, cache_hit: true },
    _meta: { age: 2 },
  }
  expect(findDifferences(before, after, INSTANT)).toEqual({
    paths: ['data.1.rate', 'data.2', 'meta.total', '_meta.age'],
    isOfData: true,
  })
})

it('does not count how the answer was made, its cost, and an as_of that repeats the instant', () => {
  const before = { data: { forex: { meta: { cache_hit: true }, as_of: null } }, extensions: { cost: 1 } }
  const after = { data: { forex: { meta: { cache_hit: false }, as_of: INSTANT } }, extensions: { cost: 2 } }
  expect(findDifferences(before, after, INSTANT)).toEqual({ paths: [], isOfData: false })
  const other = { data: { forex: { meta: { cache_hit: false }, as_of: '2026-11-19T12:00:00.000Z' } } }
  expect(findDifferences(before, other, INSTANT).paths).toEqual(['data.forex.as_of'])
})

it('tells null from a member that is not there and an object from a list, and stops after twenty', () => {
  expect(findDifferences({ data: null }, {}, INSTANT).paths).toEqual(['data'])
  expect(findDifferences({ data: {} }, { data: [] }, INSTANT).paths).toEqual(['data'])
  const many = (value: number) => ({ data: Array.from({ length: 50 }, () => value) })
  expect(findDifferences(many(1), many(2), INSTANT).paths).toHaveLength(20)
})
