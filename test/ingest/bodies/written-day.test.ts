import { expect, it } from 'vitest'
import { parseWrittenDay } from '../../../src/ingest/bodies/written-day.js'

it.each([
  ['2026-04-23', '2026-04-23'],
  ['2026-04-23T10:00:00', '2026-04-23'],
  ['23.4.2026', '2026-04-23'],
  ['2 December 1985', '1985-12-02'],
  ['26 Feb. 2011', '2011-02-26'],
  ['24 Feb 2022', '2022-02-24'],
])('%s is a day', (text, day) => {
  expect(parseWrittenDay(text)).toBe(day)
})

it.each(['', '2011', '2011-02', '30.2.2026', '31 Feb 2026', '1 Foo 2026', '23/4/2026', 'NaN', '0.0.0000'])(
  '%j is none',
  (text) => {
    expect(parseWrittenDay(text)).toBeNull()
  },
)
