import { describe, expect, it } from 'vitest'
import { named, type Read, readAll, readOn, required, valueOr } from '../../../src/ingest/bodies/read.js'

const one: Read<number> = { value: 1 }
const bad: Read<number> = { wrong: 'is not a number' }

describe('results of parsing cells', () => {
  it('combine to all values by name, or all errors', () => {
    expect(readAll({ a: one, b: { value: null } })).toEqual({ value: { a: 1, b: null } })
    expect(readAll({ a: bad, b: one, c: { wrong: 'c is missing' } })).toEqual({
      wrong: 'is not a number; c is missing',
    })
  })

  it('continue from a value only', () => {
    const next = (value: number): Read<string> => (value > 0 ? { value: 'above' } : { wrong: 'below' })
    expect([one, { value: 0 }, bad].map((read) => readOn(read, next))).toEqual([
      { value: 'above' },
      { wrong: 'below' },
      { wrong: 'is not a number' },
    ])
    expect([valueOr(one, null), valueOr(bad, null)]).toEqual([1, null])
  })

  it('name the wrong or missing cell', () => {
    expect([named('a', one), named('a', bad)]).toEqual([one, { wrong: 'a is not a number' }])
    expect([required('a', one), required('a', bad), required('a', { value: null })]).toEqual([
      one,
      bad,
      { wrong: 'a is missing' },
    ])
  })
})
