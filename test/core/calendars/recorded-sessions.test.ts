import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { calendarByCode } from '../../../src/core/calendars/calendars.js'
import { sessionsBetween } from '../../../src/core/calendars/trading-calendar.js'
import { parseIsoDate } from '../../../src/core/time.js'
import { samplePath } from '../../support/samples.js'

interface Recorded {
  readonly code: string
  readonly sessions: number
  /** Days of the recorded table on which the exchange was closed. */
  readonly wrong: readonly string[]
  /** Days whose hours HKEX announced on the day itself, which the recorded table does not have: opening and closing, UTC. */
  readonly announced?: Readonly<Record<string, readonly [opens: string, closes: string]>>
}

// HKEX cancelled both days while they ran: typhoon Saola on 1 September 2023, and a rainstorm on 8 September.
const RECORDED: readonly Recorded[] = [
  { code: 'XNYS', sessions: 3_281, wrong: [] },
  { code: 'XNAS', sessions: 3_281, wrong: [] },
  { code: 'XLON', sessions: 3_458, wrong: [] },
  { code: 'XETR', sessions: 3_409, wrong: [] },
  { code: 'XTKS', sessions: 4_156, wrong: [] },
  {
    code: 'XHKG',
    sessions: 3_863,
    wrong: ['2023-09-01', '2023-09-08'],
    announced: {
      '2013-09-23': ['05:00', '08:00'],
      '2014-09-16': ['05:00', '08:00'],
      '2019-07-31': ['01:30', '05:55'],
      '2020-08-19': ['05:30', '08:00'],
      '2021-06-28': ['05:30', '08:00'],
      '2022-08-25': ['05:00', '08:00'],
      '2022-11-02': ['01:30', '05:55'],
      '2023-10-09': ['06:00', '08:00'],
    },
  },
]

/** Day, opening and closing of each recorded session, UTC. */
function recordedSessions(code: string): string[][] | null {
  const path = samplePath(`calendars/${code === 'XNAS' ? 'xnys' : code.toLowerCase()}.csv`)
  if (path === null) return null
  const [, ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map((line) => line.split(',').slice(0, 3))
}

describe('the sessions of an exchange', () => {
  it.for(RECORDED)(
    '$code: all days and hours are those of the recorded sessions',
    ({ code, sessions, wrong, announced = {} }, { skip }) => {
      const recorded = recordedSessions(code)
      if (recorded === null) return skip('no sample data here')
      expect(recorded).toHaveLength(sessions)
      const calendar = calendarByCode(code)
      const first = parseIsoDate(recorded[0]?.[0]?.slice(0, 10) ?? '')
      const last = parseIsoDate(recorded.at(-1)?.[0]?.slice(0, 10) ?? '')
      if (calendar === undefined || first === null || last === null) throw new Error(`no days of ${code}`)
      expect(calendar.verified).toEqual({ from: first, to: last })
      const computed = sessionsBetween(calendar, first, last).map(({ date, opensAt, closesAt }) =>
        [new Date(date), opensAt, closesAt].map((instant) => instant?.toISOString().replace('.000Z', 'Z')),
      )
      const expected = recorded
        .filter(([day = '']) => !wrong.includes(day.slice(0, 10)))
        .map((session) => {
          const [day = ''] = session
          const hours = announced[day.slice(0, 10)]
          return hours === undefined
            ? session
            : [day, ...hours.map((time) => `${day.slice(0, 11)}${time}:00Z`)]
        })
      expect(computed).toEqual(expected)
    },
  )
})
