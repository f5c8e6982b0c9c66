import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addDays,
  daysBetween,
  ecbPublication,
  endOfDay,
  endOfHour,
  endOfMonth,
  explainIsoDate,
  fixedClock,
  type IsoDate,
  isTargetDay,
  nextTargetDay,
  parseIsoDate,
  parsePeriod,
  previousTargetDay,
  startOfDay,
  startOfHour,
  startOfMonth,
  systemClock,
  toIsoDate,
} from '../../src/core/time.js'
import { samplePath } from '../support/samples.js'

function date(text: string): IsoDate {
  const parsed = parseIsoDate(text)
  if (parsed === null) throw new Error(`${text} is no date`)
  return parsed
}

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

describe('TARGET calendar', () => {
  it.each([
    ['2025-04-17', true, 'Maundy Thursday'],
    ['2025-04-18', false, 'Good Friday'],
    ['2025-04-21', false, 'Easter Monday'],
    ['2025-04-22', true, 'the Tuesday after Easter'],
    ['2025-05-01', false, 'Labour Day'],
    ['2025-12-24', true, 'Christmas Eve'],
    ['2025-12-25', false, 'Christmas'],
    ['2025-12-26', false, 'the day after Christmas'],
    ['2025-12-31', true, 'the last day of a common year'],
    ['2026-01-01', false, 'New Year'],
    ['2025-11-15', false, 'a Saturday'],
    ['2025-11-16', false, 'a Sunday'],
    ['1999-04-02', true, 'Good Friday 1999'],
    ['1999-04-05', true, 'Easter Monday 1999'],
    ['1999-12-31', false, 'the last day of 1999'],
    ['2000-04-21', false, 'Good Friday 2000'],
    ['2000-05-01', false, 'Labour Day 2000'],
    ['2001-12-31', false, 'the last day of 2001'],
    ['2002-12-31', true, 'the last day of 2002'],
    ['2038-04-23', false, 'Good Friday of the latest Easter'],
    ['2008-03-24', false, 'Easter Monday of a very early Easter'],
  ])('%s is open: %j (%s)', (text, open, _name) => {
    expect(isTargetDay(date(text))).toBe(open)
  })

  it('is open on exactly the days for which the ECB published rates since 1999', ({ skip }) => {
    const path = samplePath('ecb/eurofxref-hist.csv')
    if (path === null) return skip('no sample data here')
    const lines = readFileSync(path, 'utf8').trim().split('\n').slice(1)
    const published = lines.map((line) => line.slice(0, 10)).sort()
    const first = date(published[0] ?? '')
    const last = date(published.at(-1) ?? '')
    const days = Array.from({ length: daysBetween(first, last) + 1 }, (_, n) => addDays(first, n))
    expect(published.length).toBeGreaterThan(6900)
    expect(days.filter(isTargetDay)).toEqual(published)
  })

  it('includes the date itself in previous, and never in next', () => {
    expect(previousTargetDay(date('2025-04-21'))).toBe('2025-04-17')
    expect(previousTargetDay(date('2025-04-22'))).toBe('2025-04-22')
    expect(nextTargetDay(date('2025-04-17'))).toBe('2025-04-22')
    expect(nextTargetDay(date('2025-04-19'))).toBe('2025-04-22')
    expect(nextTargetDay(date('2025-04-22'))).toBe('2025-04-23')
    expect(nextTargetDay(date('2025-12-31'))).toBe('2026-01-02')
  })

  it('has no open day between a date and its neighbours, at most five days away', () => {
    fc.assert(
      fc.property(dates, (day) => {
        const previous = previousTargetDay(day)
        const next = nextTargetDay(day)
        expect(isTargetDay(previous) && isTargetDay(next)).toBe(true)
        expect(previousTargetDay(addDays(next, -1))).toBe(previous)
        expect(daysBetween(previous, next)).toBeLessThanOrEqual(5)
      }),
    )
  })
})

describe('ecbPublication', () => {
  it.each([
    ['2026-01-15', '2026-01-15T15:00:00Z'],
    ['2026-07-15', '2026-07-15T14:00:00Z'],
    ['2026-03-27', '2026-03-27T15:00:00Z'],
    ['2026-03-30', '2026-03-30T14:00:00Z'],
    ['2025-10-24', '2025-10-24T14:00:00Z'],
    ['2025-10-27', '2025-10-27T15:00:00Z'],
  ])('of %s is at %s', (text, instant) => {
    expect(ecbPublication(date(text))).toEqual(new Date(instant))
  })

  it('is 16:00 of the same day on the clocks of Frankfurt, every day of 1999 to 2037', () => {
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'short',
      timeStyle: 'short',
    })
    const first = date('1999-01-01')
    const days = Array.from({ length: daysBetween(first, date('2037-12-31')) + 1 }, (_, n) =>
      addDays(first, n),
    )
    expect(days.filter((day) => format.format(ecbPublication(day)) !== `${day} 16:00`)).toEqual([])
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
