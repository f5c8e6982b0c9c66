import { expect, it } from 'vitest'
import { formatQuantity } from '../../src/portal/parts/format.js'

it.each([
  [0, 'unit', '0 units'],
  [1, 'unit', '1 unit'],
  [2, 'short position', '2 short positions'],
  [1_234, 'day', '1,234 days'],
])('writes %j of the noun %j as %j', (count, noun, text) => {
  expect(formatQuantity(count, noun)).toBe(text)
})
