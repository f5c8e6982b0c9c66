import { addDays, DAY_MS, type IsoDate, toIsoDate } from '../../../core/time.js'

/** The seven days of an issue: an ISO 8601 week, Monday to Sunday, UTC. */
export interface IssueWeek {
  /** Year and number of the week, e.g. 2026-W47. */
  readonly issueId: string
  readonly monday: IsoDate
  readonly sunday: IsoDate
  /** The span is [start, end). */
  readonly start: Date
  readonly end: Date
}

const DAYS = 7

/** The last whole week before an instant. */
export function lastWholeWeek(now: Date): IssueWeek {
  const today = toIsoDate(now)
  const monday = addDays(today, -weekdayOf(today) - DAYS)
  const sunday = addDays(monday, DAYS - 1)
  return {
    issueId: issueIdOf(monday),
    monday,
    sunday,
    start: startOf(monday),
    end: startOf(addDays(monday, DAYS)),
  }
}

/** The instant at which the current week becomes the last whole one. */
export function endOfIssue({ end }: IssueWeek): Date {
  return new Date(end.getTime() + DAYS * DAY_MS)
}

/** A week belongs to the year of its Thursday. */
function issueIdOf(monday: IsoDate): string {
  const year = addDays(monday, 3).slice(0, 4)
  // January 4 is always in the first week.
  const fourth = `${year}-01-04` as IsoDate // a valid day of the calendar
  const first = addDays(fourth, -weekdayOf(fourth))
  const number = Math.round((startOf(monday).getTime() - startOf(first).getTime()) / (DAYS * DAY_MS)) + 1
  return `${year}-W${String(number).padStart(2, '0')}`
}

/** 0 for Monday to 6 for Sunday. */
function weekdayOf(date: IsoDate): number {
  return (startOf(date).getUTCDay() + 6) % DAYS
}

function startOf(date: IsoDate): Date {
  return new Date(`${date}T00:00:00Z`)
}
