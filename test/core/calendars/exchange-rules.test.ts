import { describe, expect, it } from 'vitest'
import { CALENDARS, calendarByCode } from '../../../src/core/calendars/calendars.js'
import {
  isSession,
  nextSessionDay,
  sessionsBetween,
  type TradingCalendar,
} from '../../../src/core/calendars/trading-calendar.js'
import { date } from '../../support/iso-date.js'

function calendarOf(code: string): TradingCalendar {
  const calendar = calendarByCode(code)
  if (calendar === undefined) throw new Error(`no calendar ${code}`)
  return calendar
}

function sessionOf(code: string, day: string) {
  const [session] = sessionsBetween(calendarOf(code), date(day), date(day))
  return session
}

describe('an exchange is closed', () => {
  it.each([
    ['XNYS', '2025-01-09', 'day of mourning for Jimmy Carter'],
    ['XNYS', '2026-07-03', 'Independence Day on a Saturday'],
    ['XNAS', '2026-11-26', 'Thanksgiving'],
    ['XLON', '2026-12-28', 'Boxing Day on a Saturday'],
    ['XETR', '2026-12-24', 'Christmas Eve'],
    ['XPAR', '2024-05-01', 'Labour Day'],
    ['XSWX', '2024-01-02', "Berchtold's Day"],
    ['XSWX', '2024-05-09', 'Ascension'],
    ['XSWX', '2024-05-20', 'Whit Monday'],
    ['XSTO', '2024-06-06', 'National Day'],
    ['XSTO', '2024-06-21', 'Midsummer Eve'],
    ['XASX', '2022-01-03', "New Year's Day on a Saturday"],
    ['XASX', '2022-09-22', 'day of mourning for Elizabeth II'],
    ['XTKS', '2026-09-22', 'the day between two holidays'],
    ['XHKG', '2026-04-07', 'Ching Ming on Easter Monday'],
  ])('%s on %s: %s', (code, day, _reason) => {
    expect(isSession(calendarOf(code), date(day))).toBe(false)
  })
})

describe('an exchange is open', () => {
  it.each([
    ['XETR', '2024-05-20', 'Whit Monday since 2022'],
    ['XPAR', '2024-05-20', 'Whit Monday'],
    ['XNYS', '2021-12-31', "the Friday before New Year's Day on a Saturday"],
    ['XASX', '2022-04-26', 'the day after Anzac Day'],
  ])('%s on %s: %s', (code, day, _reason) => {
    expect(isSession(calendarOf(code), date(day))).toBe(true)
  })
})

describe('a session', () => {
  it.each([
    ['XNYS', '2026-03-06', '14:30', '21:00'],
    ['XNYS', '2026-03-09', '13:30', '20:00'],
    ['XLON', '2026-10-23', '07:00', '15:30'],
    ['XLON', '2026-10-26', '08:00', '16:30'],
    ['XSWX', '2026-01-05', '08:00', '16:30'],
    ['XTKS', '2024-11-01', '00:00', '06:00'],
    ['XTKS', '2024-11-05', '00:00', '06:30'],
    ['XHKG', '2026-01-05', '01:30', '08:00'],
  ])('of %s on %s is from %s to %s UTC', (code, day, opens, closes) => {
    expect(sessionOf(code, day)).toEqual({
      date: day,
      opensAt: new Date(`${day}T${opens}Z`),
      closesAt: new Date(`${day}T${closes}Z`),
      isLateOpen: false,
      isEarlyClose: false,
    })
  })

  it('of Sydney begins on the day before in UTC while summer time lasts', () => {
    expect(sessionOf('XASX', '2026-01-05')?.opensAt).toEqual(new Date('2026-01-04T23:00Z'))
    expect(sessionOf('XASX', '2026-06-01')?.opensAt).toEqual(new Date('2026-06-01T00:00Z'))
  })

  it.each([
    ['XNYS', '2026-11-27', '18:00'],
    ['XPAR', '2024-12-24', '13:05'],
    ['XASX', '2024-12-24', '03:10'],
    ['XSTO', '2024-01-05', '12:00'],
    ['XSTO', '2024-03-28', '12:00'],
    ['XSTO', '2024-04-30', '11:00'],
    ['XSTO', '2024-05-08', '11:00'],
    ['XSTO', '2024-11-01', '12:00'],
    ['XHKG', '2019-07-31', '05:55'],
  ])('of %s on %s ends early, at %s UTC', (code, day, closes) => {
    expect(sessionOf(code, day)).toMatchObject({
      closesAt: new Date(`${day}T${closes}Z`),
      isLateOpen: false,
      isEarlyClose: true,
    })
  })

  it.each([
    ['XHKG', '2020-08-19', '05:30'],
    ['XHKG', '2021-06-28', '05:30'],
  ])('of %s on %s begins late, at %s UTC, and ends as usual', (code, day, opens) => {
    expect(sessionOf(code, day)).toEqual({
      date: day,
      opensAt: new Date(`${day}T${opens}Z`),
      closesAt: new Date(`${day}T08:00Z`),
      isLateOpen: true,
      isEarlyClose: false,
    })
  })

  it('of TARGET has no hours', () => {
    expect(sessionOf('TARGET', '2026-11-26')).toEqual({
      date: '2026-11-26',
      opensAt: null,
      closesAt: null,
      isLateOpen: false,
      isEarlyClose: false,
    })
  })

  it('follows a holiday on a Monday on the Tuesday', () => {
    expect(nextSessionDay(calendarOf('XNYS'), date('2026-09-04'))).toBe('2026-09-08')
  })
})

describe('a calendar', () => {
  it.each(CALENDARS.map((calendar) => [calendar.code, calendar] as const))(
    '%s has between 240 and 262 sessions in each year that it covers, and every one opens before it closes',
    (_code, calendar) => {
      const first = Number(calendar.coversFrom.slice(0, 4))
      const last = Number(calendar.coversTo.slice(0, 4))
      for (let year = first; year <= last; year += 1) {
        const sessions = sessionsBetween(calendar, date(`${year}-01-01`), date(`${year}-12-31`))
        expect(sessions.length).toBeGreaterThanOrEqual(240)
        expect(sessions.length).toBeLessThanOrEqual(262)
        const isOrdered = sessions.every(
          ({ opensAt, closesAt }) => opensAt === null || Number(opensAt) < Number(closesAt),
        )
        expect(isOrdered).toBe(true)
      }
    },
  )
})
