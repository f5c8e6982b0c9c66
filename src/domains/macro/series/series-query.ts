import {
  type AsOfArguments,
  type Given,
  parseAsOfArgument,
  parseDate,
  shownText,
  type WholeBounds,
} from '../../../core/argument-parsers.js'
import type { AsOf } from '../../../core/as-of.js'
import {
  hasNext,
  type OffsetPage,
  parseOffsetPage,
  parseSeriesPage,
  SERIES_LIMITS,
  type SeriesPage,
} from '../../../core/page.js'
import { endOfPeriod, type Frequency } from '../../../core/period.js'
import { Problems } from '../../../core/problems.js'
import { type IsoDate, parsePeriod, requireIsoDate, toIsoDate } from '../../../core/time.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { Knowledge, SeriesPageRows } from './series-store.js'

/** No period of any series begins earlier. */
const FIRST_DAY = requireIsoDate('1900-01-01')

export interface SeriesArguments extends AsOfArguments {
  readonly page?: Given<number>
  readonly limit?: Given<number>
  readonly start_period?: Given<string>
  readonly end_period?: Given<string>
  readonly vintages?: Given<boolean>
}

/** The requested part of a series. */
export interface SeriesRange extends SeriesPage, Knowledge {
  /** First days of the first and last period, both included. */
  readonly first: IsoDate
  readonly last: IsoDate
}

/** A part of a series that is selected by periods. */
export interface SeriesQuery extends SeriesRange {
  /** As given in the request, or null. */
  readonly startPeriod: string | null
  readonly endPeriod: string | null
}

/** Periods that an argument may name. */
export interface PeriodKinds {
  readonly frequencies: readonly Frequency[]
  /** The allowed values, for the message. */
  readonly text: string
}

export const YEARS_AND_QUARTERS: PeriodKinds = {
  frequencies: ['annual', 'quarterly'],
  text: 'a year or a quarter of the years 1900 to 2200, such as 2020 or 2020-Q3',
}

export const ANY_PERIODS: PeriodKinds = {
  frequencies: ['annual', 'quarterly', 'monthly', 'daily'],
  text: 'a year, quarter, month or day of the years 1900 to 2200, such as 2020, 2020-Q3, 2020-07 or 2020-07-31',
}

/** Checks the page, periods and instant. The 422 names every wrong one. */
export function parseSeriesQuery(
  args: SeriesArguments,
  { now }: RequestContext,
  kinds: PeriodKinds,
  limits: WholeBounds = SERIES_LIMITS,
): SeriesQuery {
  const problems = new Problems()
  const page = parseSeriesPage(problems, args, limits)
  const first = parsePeriodArgument(problems, 'start_period', args.start_period, kinds)
  const last = parsePeriodArgument(problems, 'end_period', args.end_period, kinds)
  const from = first?.start ?? FIRST_DAY
  const asOf = parseAsOfArgument(problems, args, now)
  const to = last === null ? lastDay(asOf, now) : endOfPeriod(last)
  if (last !== null && from > to) {
    const got = `got ${args.start_period} and ${args.end_period}`
    problems.add('start_period', `must not be after end_period; ${got}`)
  }
  problems.refuse()
  return {
    ...page,
    startPeriod: args.start_period ?? null,
    endPeriod: args.end_period ?? null,
    first: from,
    last: to,
    asOf,
    hasVintages: args.vintages ?? false,
  }
}

function parsePeriodArgument(problems: Problems, field: string, text: Given<string>, kinds: PeriodKinds) {
  if (text == null) return null
  const period = parsePeriod(text)
  if (period !== null && kinds.frequencies.includes(period.frequency)) return period
  problems.add(field, `must be ${kinds.text}; got ${shownText(text)}`)
  return null
}

/**
 * Without a last period a page ends with the period that has begun. A value that is announced for a later one, such as a
 * change of a key interest rate, is not current yet.
 */
function lastDay(asOf: AsOf | null, now: Date): IsoDate {
  return toIsoDate(asOf?.at ?? now)
}

export interface DayArguments extends AsOfArguments {
  readonly page?: Given<number>
  readonly limit?: Given<number>
  readonly start_date?: Given<string>
  readonly end_date?: Given<string>
  readonly vintages?: Given<boolean>
}

/** A part of a series that is selected by days. */
export interface DayQuery extends SeriesRange {
  /** As given in the request, or null. */
  readonly startDate: IsoDate | null
  readonly endDate: IsoDate | null
}

/** Checks the page, days and instant. The 422 names every wrong one. */
export function parseDayQuery(args: DayArguments, { now }: RequestContext): DayQuery {
  const problems = new Problems()
  const page = parseSeriesPage(problems, args)
  const startDate = parseDate(problems, 'start_date', args.start_date)
  const endDate = parseDate(problems, 'end_date', args.end_date)
  const asOf = parseAsOfArgument(problems, args, now)
  if (startDate !== null && endDate !== null && startDate > endDate) {
    problems.add('start_date', `must not be after end_date; got ${startDate} and ${endDate}`)
  }
  problems.refuse()
  const range = { first: startDate ?? FIRST_DAY, last: endDate ?? lastDay(asOf, now) }
  return { ...page, startDate, endDate, ...range, asOf, hasVintages: args.vintages ?? false }
}

/** Metadata of a page: the number of observations, whether more follow, and whether a value is missing. */
export function summarizePage(query: SeriesPage, { total, observations }: SeriesPageRows) {
  return {
    total,
    returned: observations.length,
    has_next: hasNext(query, total),
    page: query.page,
    limit: query.limit,
    data_quality: qualityOf(observations),
  }
}

function qualityOf(observations: SeriesPageRows['observations']): 'full' | 'partial' | null {
  if (observations.length === 0) return null
  return observations.some(({ value }) => value === null) ? 'partial' : 'full'
}

export interface SeriesListArguments {
  readonly country?: Given<string>
  readonly limit?: Given<number>
  readonly offset?: Given<number>
}

export interface SeriesListQuery extends OffsetPage {
  /** Null selects all countries. */
  readonly country: string | null
}

/** Checks the page and the country of a list of series. */
export function parseSeriesListQuery(args: SeriesListArguments): SeriesListQuery {
  const problems = new Problems()
  const page = parseOffsetPage(problems, args)
  problems.refuse()
  return { ...page, country: args.country?.toUpperCase() ?? null }
}
