import { describe, expect, it } from 'vitest'
import { columnReader } from '../../../src/platform/database/sql-values.js'

const FLOAT8_ARRAY = 1022
const INT8_ARRAY = 1016

describe('the reader of a list of numbers', () => {
  const read = columnReader(FLOAT8_ARRAY)

  it.each([
    ['{}', []],
    ['{1}', [1]],
    ['{1,-2.5,NULL,1e-07}', [1, -2.5, null, 1e-7]],
    ['{NaN,Infinity,-Infinity}', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    [
      '{{1,2},{3,NULL}}',
      [
        [1, 2],
        [3, null],
      ],
    ],
  ])('reads %s', (text, numbers) => {
    expect(read(text)).toEqual(numbers)
  })
})

it('refuses an int8 in a list that is not an exact number', () => {
  expect(() => columnReader(INT8_ARRAY)('{1,9007199254740993}')).toThrow('beyond exact numbers')
})
