import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addDays,
  daysBetween,
  endOfDay,
  endOfHour,
  endOfMonth,
  explainIsoDate,
  fixedClock,
  parseIsoDate,
  parsePeriod,
  startOfDay,
  startOfHour,
  startOfMonth,
  systemClock,
  toIsoDate,
} from '../../src/core/time.js'
import { date } from '../support/iso-date.js'

const instants = fc.date({
  min: new Date('1900-01-01T00:00:00Z'),
  max: new Date('2200-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
const dates = fc
  .date({ min: new Date('1999-01-01'), max: new Date('2150-12-31'), noInvalidDate: true })
  .map(toIsoDate)

describe('clocks', () => {
  it('include a fixed clock that does not move and returns copies', () => {
    const clock = fixedClock('2026-03-05T14:15:00Z')
    clock.now().setFullYear(1999)
    expect(clock.now()).toEqual(new Date('2026-03-05T14:15:00Z'))
    expect(fixedClock(new Date(5)).now().getTime()).toBe(5)
    expect(() => fixedClock('tomorrow')).toThrow(RangeError)
  })

  it('include the system clock with the current time', () => {
    const before = Date.now()
    expect(systemClock.now().getTime()).toBeGreaterThanOrEqual(before)
  })
})

describe('dates', () => {
  it.each(['2024-02-29', '2000-02-29', '1900-01-01', '2200-12-31', '2025-12-31'])('accepts %s', (text) => {
    expect(parseIsoDate(text)).toBe(text)
  })

  it.each([
    '',
    '2023-02-29',
    '1900-02-29',
    '2025-02-30',
    '2025-04-31',
    '2025-13-01',
    '2025-00-10',
    '2025-01-00',
    '1899-12-31',
    '2201-01-01',
    '2025-1-1',
    '20250101',
    '2025-01-01T00:00:00Z',
    ' 2025-01-01',
    '2025-01-01\n',
    '+002025-01-01',
    'today',
  ])('refuses %j', (text) => {
    expect(parseIsoDate(text)).toBeNull()
  })

  it('are the UTC dates of instants', () => {
    expect(toIsoDate(new Date('2026-01-01T00:30:00+02:00'))).toBe('2025-12-31')
    expect(toIsoDate(new Date('2025-12-31T23:59:59.999Z'))).toBe('2025-12-31')
    expect(() => toIsoDate(new Date('1899-12-31T23:59:59Z'))).toThrow(RangeError)
    expect(() => toIsoDate(new Date(Number.NaN))).toThrow(RangeError)
  })

  it('move by calendar days over leap days and summer time', () => {
    expect(addDays(date('2024-02-28'), 1)).toBe('2024-02-29')
    expect(addDays(date('2025-03-30'), 1)).toBe('2025-03-31')
    expect(addDays(date('2026-01-01'), -1)).toBe('2025-12-31')
    expect(daysBetween(date('2024-01-01'), date('2025-01-01'))).toBe(366)
    expect(daysBetween(date('2025-01-02'), date('2025-01-01'))).toBe(-1)
    expect(() => addDays(date('2200-12-31'), 1)).toThrow(RangeError)
  })

  it('have differences that undo additions', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: -9000, max: 9000 }), (from, days) => {
        expect(daysBetween(from, addDays(from, days))).toBe(days)
      }),
    )
  })
})

describe('windows', () => {
  it('are those of the UTC clock and calendar', () => {
    const instant = new Date('2024-02-29T23:59:59.999Z')
    expect(startOfHour(instant)).toEqual(new Date('2024-02-29T23:00:00Z'))
    expect(endOfHour(instant)).toEqual(new Date('2024-03-01T00:00:00Z'))
    expect(startOfDay(instant)).toEqual(new Date('2024-02-29T00:00:00Z'))
    expect(endOfDay(instant)).toEqual(new Date('2024-03-01T00:00:00Z'))
    expect(startOfMonth(instant)).toEqual(new Date('2024-02-01T00:00:00Z'))
    expect(endOfMonth(instant)).toEqual(new Date('2024-03-01T00:00:00Z'))
    expect(endOfMonth(new Date('2025-12-15T12:00:00Z'))).toEqual(new Date('2026-01-01T00:00:00Z'))
  })

  it('contain their instant, begin at their start and end where the next begins', () => {
    const windows = [
      [startOfHour, endOfHour],
      [startOfDay, endOfDay],
      [startOfMonth, endOfMonth],
    ] as const
    fc.assert(
      fc.property(instants, fc.constantFrom(...windows), (instant, [start, end]) => {
        expect(start(instant).getTime()).toBeLessThanOrEqual(instant.getTime())
        expect(end(instant).getTime()).toBeGreaterThan(instant.getTime())
        expect(start(start(instant))).toEqual(start(instant))
        expect(start(end(instant))).toEqual(end(instant))
      }),
    )
  })
})

describe('parsePeriod', () => {
  it.each([
    ['2025', 'annual', '2025-01-01'],
    ['2025-Q1', 'quarterly', '2025-01-01'],
    ['2025-Q2', 'quarterly', '2025-04-01'],
    ['2025-Q3', 'quarterly', '2025-07-01'],
    ['2025-Q4', 'quarterly', '2025-10-01'],
    ['1940-Q2', 'quarterly', '1940-04-01'],
    ['2025-12', 'monthly', '2025-12-01'],
    ['2024-02-29', 'daily', '2024-02-29'],
  ])('reads %s as %s from %s', (text, frequency, start) => {
    expect(parsePeriod(text)).toEqual({ frequency, start })
  })

  it.each([
    '',
    '2025-Q0',
    '2025-Q5',
    '2025Q1',
    '2025-q1',
    '2025-13',
    '2025-1',
    '25',
    '1899',
    '2201-Q1',
    '2025-02-29',
    '2025-S1',
  ])('refuses %j', (text) => {
    expect(parsePeriod(text)).toBeNull()
  })
})

describe('the reason why a text is not a day', () => {
  it.each([
    ['2026-01-02', null],
    ['2026-02-30', 'must be a calendar day, YYYY-MM-DD; got "2026-02-30"'],
    ['yesterday', 'must be a calendar day, YYYY-MM-DD; got "yesterday"'],
    ['9999-12-31', 'must be in the years 1900 to 2200; got "9999-12-31"'],
    ['2026-01-02T03:04:05Z', 'must be a day without a time, such as 2026-01-02; got "2026-01-02T03:04:05Z"'],
  ])('is right for %s', (text, problem) => {
    expect(explainIsoDate(text)).toBe(problem)
  })
})
