import { expect, it } from 'vitest'
import { parseRetryAfter } from '../../src/core/retry-after.js'

const NOW = new Date('2026-11-20T12:00:00Z')

it.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['9999999999', 9_999_999_999_000],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Friday, 20-Nov-26 12:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['-5', null],
  ['1.5', null],
  ['12345678901', null],
  ['2026-11-20', null],
  ['soon', null],
  ['Soon, please', null],
  ['', null],
  [null, null],
])('a Retry-After of %j is a wait of %j ms', (header, ms) => {
  expect(parseRetryAfter(header, NOW)).toBe(ms)
})
