import { expect, it } from 'vitest'
import { DuplicateRows } from '../../../src/ingest/bodies/duplicate-rows.js'

it('distinguishes the first row of a key, an equal one, a contradiction, and later rows', () => {
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
    'contested',
  ])
  expect([duplicates.has('a'), duplicates.has('c')]).toEqual([true, false])
})

it('distinguishes as many keys as a large list has', () => {
  const duplicates = new DuplicateRows()
  const keys = Array.from({ length: 20_000 }, (_, at) => `key ${at}`)
  expect(new Set(keys.map((key) => duplicates.note(key, key)))).toEqual(new Set(['new']))
  expect(new Set(keys.map((key) => duplicates.note(key, key)))).toEqual(new Set(['same']))
})
