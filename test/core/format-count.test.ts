import { expect, it } from 'vitest'
import { formatCount } from '../../src/core/format-count.js'

it.each([
  [0, '0 units'],
  [1, '1 unit'],
  [13_889, '13889 units'],
])('writes the noun of %j as its count needs', (count, text) => {
  expect(formatCount(count, 'unit')).toBe(text)
})
