import { expect, it } from 'vitest'
import { withoutTrailing } from '../../src/core/without-trailing.js'

it.each([
  ['1500', '0', '15'],
  ['0001', '0', '0001'],
  ['///', '/', ''],
  ['', '0', ''],
])('removes from %j every %j at its end', (text, character, rest) => {
  expect(withoutTrailing(text, character)).toBe(rest)
})
