import { describe, expect, it } from 'vitest'
import { type Condition, whereGiven } from '../../../src/platform/database/where-given.js'

describe('the given conditions', () => {
  const conditions = (source: string | null, before: readonly [Date | null, number | null]): Condition[] => [
    ['c.source = ?', source],
    ['(c.at, c.id) < (?::timestamptz, ?::bigint)', ...before],
  ]
  const AT = new Date('2026-11-20T00:00:00Z')

  it('number their parameters in order, after the used ones', () => {
    expect(whereGiven(conditions('seed', [AT, 7]))).toEqual({
      where: 'c.source = $1 and (c.at, c.id) < ($2::timestamptz, $3::bigint)',
      parameters: ['seed', AT, 7],
    })
    expect(whereGiven(conditions(null, [AT, 7]), 5)).toEqual({
      where: '(c.at, c.id) < ($6::timestamptz, $7::bigint)',
      parameters: [AT, 7],
    })
  })

  it('omit those with a null, and hold for everything if none is left', () => {
    expect(whereGiven(conditions('seed', [AT, null]))).toEqual({
      where: 'c.source = $1',
      parameters: ['seed'],
    })
    expect(whereGiven(conditions(null, [null, null]))).toEqual({ where: 'true', parameters: [] })
    expect(whereGiven([['c.flag = ?', false]])).toEqual({ where: 'c.flag = $1', parameters: [false] })
  })
})
