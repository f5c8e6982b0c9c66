import { expect, it } from 'vitest'
import { DuplicateRows } from '../../src/core/duplicate-rows.js'

it('tells the first row of a key, the same one again, and another one', () => {
  const duplicates = new DuplicateRows()
  const noted = [
    ['a', '1'],
    ['b', '1'],
    ['a', '1'],
    ['a', '2'],
    ['a', '1'],
  ] as const
  expect(noted.map(([key, row]) => duplicates.note(key, row))).toEqual([
    'new',
    'new',
    'same',
    'other',
    'same',
  ])
})
