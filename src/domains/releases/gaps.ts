import { calendarByCode } from '../../core/calendars/calendars.js'
import { sessionsBetween } from '../../core/calendars/trading-calendar.js'
import type { IsoDate } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import {
  type CalendarSpan,
  loadMissingSessions,
  loadMissingSteps,
  type MissingRun,
  type MissingSessions,
  type Runs,
  type SessionDays,
} from './gaps-store.js'
import type { ReleaseGap } from './manifest.js'
import type { ReleaseScope } from './rows-store.js'
import type { ReleaseTable } from './tables/release-table.js'

export interface Gaps {
  readonly gaps: readonly ReleaseGap[]
  readonly further: number
}

/** The expected periods between the first and the last row of a series that have no current row, or none with a value. */
export async function loadGaps(sql: Sql, table: ReleaseTable, scope: ReleaseScope): Promise<Gaps> {
  const steps = await loadMissingSteps(sql, table, scope)
  if (steps !== null) return listed(steps, stepReason)
  const sessions = await loadMissingSessions(sql, table, scope, sessionsOf)
  return sessions === null ? { gaps: [], further: 0 } : listed(sessions, sessionReason)
}

/** None of an unknown calendar. Days outside the coverage of the calendar are not looked at. */
function sessionsOf({ calendar: code, from, to }: CalendarSpan): SessionDays {
  const calendar = calendarByCode(code)
  if (calendar === undefined) return { calendar: code, days: [] }
  // The database writes days in this form.
  const first = (from < calendar.coversFrom ? calendar.coversFrom : from) as IsoDate
  const last = (to > calendar.coversTo ? calendar.coversTo : to) as IsoDate
  return { calendar: code, days: sessionsBetween(calendar, first, last).map(({ date }) => date) }
}

function sessionReason({ missing, calendar }: MissingSessions): string {
  return missing === 1 ? `a session of ${calendar} without a row` : `sessions of ${calendar} without a row`
}

function stepReason({ missing, withoutValue }: { missing: number; withoutValue: number }): string {
  if (withoutValue === 0) return 'no row is stored between these two'
  return missing === withoutValue
    ? 'the provider states no value between these two'
    : 'no row, or no value of the provider, between these two'
}

function listed<Run extends MissingRun>({ runs, total }: Runs<Run>, reasonOf: (run: Run) => string): Gaps {
  const gaps = runs.map((run): ReleaseGap => {
    const { series, from, to, missing } = run
    return { series, from, to, missing, reason: reasonOf(run) }
  })
  return { gaps, further: total - gaps.length }
}
