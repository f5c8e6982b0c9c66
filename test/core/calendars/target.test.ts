import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ecbPublication,
  isTargetDay,
  nextTargetDay,
  previousTargetDay,
  TARGET,
} from '../../../src/core/calendars/target.js'
import { addDays, daysBetween, toIsoDate } from '../../../src/core/time.js'
import { date } from '../../support/iso-date.js'
import { samplePath } from '../../support/samples.js'

const dates = fc
  .date({ min: new Date('1999-01-01'), max: new Date('2150-12-31'), noInvalidDate: true })
  .map(toIsoDate)

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
    expect(TARGET.verified).toEqual({ from: first, to: last })
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
