import { describe, expect, it } from 'vitest'
import { endOfPeriod, periodText, startOfQuarter } from '../../src/core/period.js'
import { type IsoDate, parseIsoDate, parsePeriod } from '../../src/core/time.js'

const SPELLINGS = [
  ['1999', '1999-12-31'],
  ['2024-Q1', '2024-03-31'],
  ['2025-Q4', '2025-12-31'],
  ['2024-02', '2024-02-29'],
  ['2026-11-20', '2026-11-20'],
] as const

function day(text: string): IsoDate {
  return parseIsoDate(text) ?? expect.fail(`${text} is no date`)
}

describe('a period', () => {
  it.each(SPELLINGS)('%s is written as it was read and ends on %s', (text, end) => {
    const period = parsePeriod(text) ?? expect.fail(`${text} is no period`)
    expect(periodText(period)).toBe(text)
    expect(endOfPeriod(period)).toBe(end)
  })

  it.each([
    ['semi_annual', '2025-01-01', '2025-S1', '2025-06-30'],
    ['semi_annual', '2025-10-01', '2025-S2', '2026-03-31'],
    ['weekly', '2024-12-30', '2024-12-30', '2025-01-05'],
    ['semi_monthly', '2024-02-01', '2024-02-01', '2024-02-15'],
    ['semi_monthly', '2024-02-16', '2024-02-16', '2024-02-29'],
  ] as const)('that is %s from %s on is spelled %s and ends on %s', (frequency, start, text, end) => {
    expect(periodText({ frequency, start: day(start) })).toBe(text)
    expect(endOfPeriod({ frequency, start: day(start) })).toBe(end)
  })

  it('lies in the quarter of its first day', () => {
    expect(['2024-01-01', '2024-03-31', '2024-12-01'].map((text) => startOfQuarter(day(text)))).toEqual([
      '2024-01-01',
      '2024-01-01',
      '2024-10-01',
    ])
  })
})
