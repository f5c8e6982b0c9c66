import { type Given, parseAsOfArgument, parseDate, parseLimit, parseOrder } from './argument-parsers.js'
import { SERIES_LIMITS } from './page.js'
import { Problems } from './problems.js'
import { type IsoDate, toIsoDate } from './time.js'

/** Part of a series: of the days from one to another, both included, the newest. */
export interface DayRange {
  readonly from: IsoDate
  readonly to: IsoDate
  /** Rows at most. */
  readonly limit: number
  /** Gives what was known at that instant; null: what is known now. */
  readonly asOf: Date | null
}

/** The newest row of a series as it is known now. */
export const NEWEST_DAY: DayRange = {
  from: toIsoDate(new Date('1900-01-01')),
  to: toIsoDate(new Date('2200-12-31')),
  limit: 1,
  asOf: null,
}

/** The days asked for, all where none are named; 422 names every wrong argument. */
export function parseDayRange(
  args: {
    readonly from?: Given<string>
    readonly to?: Given<string>
    readonly limit?: Given<number>
    readonly as_of?: Given<Date>
  },
  { now }: { readonly now: Date },
): DayRange {
  const problems = new Problems()
  const from = parseDate(problems, 'from', args.from) ?? NEWEST_DAY.from
  const to = parseDate(problems, 'to', args.to) ?? NEWEST_DAY.to
  parseOrder(problems, from, to)
  const limit = parseLimit(problems, args.limit, SERIES_LIMITS)
  const asOf = parseAsOfArgument(problems, args.as_of, now)
  problems.refuse()
  return { from, to, limit, asOf }
}

/** What is known at an instant that an answer is asked as of. */
export interface KnownAsOf {
  /** Null: what is known now. */
  readonly asOf: Date | null
}

/** The instant asked for, `as_of`; 422 where it is in the future. */
export function parseAsOf(
  { as_of }: { readonly as_of?: Given<Date> },
  { now }: { readonly now: Date },
): KnownAsOf {
  const problems = new Problems()
  const asOf = parseAsOfArgument(problems, as_of, now)
  problems.refuse()
  return { asOf }
}

/** The end of a message that nothing is there: when it was not. */
export function knownByText(asOf: Date | null): string {
  return asOf === null ? 'yet' : `by ${asOf.toISOString()}`
}

/** A range as text: equal where all of it is. */
export function dayRangeText({ from, to, limit, asOf }: DayRange): string {
  return [from, to, limit, asOf?.getTime()].join(' ')
}
