import {
  type AsOfArguments,
  type Given,
  parseAsOfArgument,
  parseDate,
  parseLimit,
  parseOrder,
} from './argument-parsers.js'
import { type AsOf, asOfText } from './as-of.js'
import { SERIES_LIMITS } from './page.js'
import { Problems } from './problems.js'
import { type IsoDate, toIsoDate } from './time.js'

/** A part of a series: the newest rows between two days, inclusive. */
export interface DayRange {
  readonly from: IsoDate
  readonly to: IsoDate
  /** The largest number of rows. */
  readonly limit: number
  /** The knowledge that is read; null for now. */
  readonly asOf: AsOf | null
}

/** The newest row of a series as it is known now. */
export const NEWEST_DAY: DayRange = {
  from: toIsoDate(new Date('1900-01-01')),
  to: toIsoDate(new Date('2200-12-31')),
  limit: 1,
  asOf: null,
}

/** The requested days, by default all. A 422 names every wrong argument. */
export function parseDayRange(
  args: {
    readonly from?: Given<string>
    readonly to?: Given<string>
    readonly limit?: Given<number>
  } & AsOfArguments,
  { now }: { readonly now: Date },
): DayRange {
  const problems = new Problems()
  const from = parseDate(problems, 'from', args.from) ?? NEWEST_DAY.from
  const to = parseDate(problems, 'to', args.to) ?? NEWEST_DAY.to
  parseOrder(problems, from, to)
  const limit = parseLimit(problems, args.limit, SERIES_LIMITS)
  const asOf = parseAsOfArgument(problems, args, now)
  problems.refuse()
  return { from, to, limit, asOf }
}

/** The knowledge that an answer is requested by. */
export interface KnownAsOf {
  /** Null for what is known now. */
  readonly asOf: AsOf | null
}

/** The knowledge of `as_of` and `basis`; 422 for an instant in the future. */
export function parseAsOf(args: AsOfArguments, { now }: { readonly now: Date }): KnownAsOf {
  const problems = new Problems()
  const asOf = parseAsOfArgument(problems, args, now)
  problems.refuse()
  return { asOf }
}

/** The end of a "not found" message: the instant as of which nothing was known. */
export function knownByText(asOf: AsOf | null): string {
  return asOf === null ? 'yet' : `by ${asOf.at.toISOString()}`
}

/** A range as text; equal ranges have equal texts. */
export function dayRangeText({ from, to, limit, asOf }: DayRange): string {
  return [from, to, limit, asOfText(asOf)].join(' ')
}
