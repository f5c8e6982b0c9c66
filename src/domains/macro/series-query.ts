import { type Given, readAsOf, shownText } from '../../core/argument-readers.js'
import { hasNext, type OffsetPage, readOffsetPage, readSeriesPage, type SeriesPage } from '../../core/page.js'
import { endOfPeriod } from '../../core/period.js'
import { Problems } from '../../core/problems.js'
import { type IsoDate, parseIsoDate, parsePeriod } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { SeriesPageRows } from './series-store.js'

/** No period of any series begins before or after. */
const FIRST_DAY = '1900-01-01'
const LAST_DAY = '2200-12-31'

export interface SeriesArguments {
  readonly page?: Given<number>
  readonly limit?: Given<number>
  readonly start_period?: Given<string>
  readonly end_period?: Given<string>
  readonly as_of?: Given<Date>
}

/** What is asked of a series. */
export interface SeriesQuery extends SeriesPage {
  /** As given; null: from the first period. */
  readonly startPeriod: string | null
  readonly endPeriod: string | null
  /** First days of the first and last period, both included. */
  readonly first: IsoDate
  readonly last: IsoDate
  readonly asOf: Date | null
}

/** Checks the page, periods and instant; 422 names every wrong one. */
export function readSeriesQuery(args: SeriesArguments, { now }: RequestContext): SeriesQuery {
  const problems = new Problems()
  const page = readSeriesPage(problems, args)
  const first = readPeriod(problems, 'start_period', args.start_period)
  const last = readPeriod(problems, 'end_period', args.end_period)
  const from = first?.start ?? parseIsoDate(FIRST_DAY)
  const to = last === null ? parseIsoDate(LAST_DAY) : endOfPeriod(last)
  const asOf = readAsOf(problems, args.as_of, now)
  if (from !== null && to !== null && from > to) {
    const got = `got ${args.start_period} and ${args.end_period}`
    problems.add('start_period', `must not be after end_period; ${got}`)
  }
  problems.refuse()
  if (from === null || to === null) throw new Error('the bounds are days of the calendar')
  return {
    ...page,
    startPeriod: args.start_period ?? null,
    endPeriod: args.end_period ?? null,
    first: from,
    last: to,
    asOf,
  }
}

function readPeriod(problems: Problems, field: string, text: Given<string>) {
  if (text == null) return null
  const period = parsePeriod(text)
  const isOfYear = period?.frequency === 'annual' || period?.frequency === 'quarterly'
  if (period !== null && isOfYear) return period
  problems.add(
    field,
    `must be a year or a quarter of the years 1900 to 2200, such as 2020 or 2020-Q3; got ${shownText(text)}`,
  )
  return null
}

/** What a page is: how many observations there are, whether more follow, and whether any has no value. */
export function pageFacts(query: SeriesQuery, { total, observations }: SeriesPageRows) {
  return {
    total,
    returned: observations.length,
    has_next: hasNext(query, total),
    page: query.page,
    limit: query.limit,
    data_quality: qualityOf(observations),
  }
}

function qualityOf(observations: SeriesPageRows['observations']): 'full' | 'partial' | 'empty' {
  if (observations.length === 0) return 'empty'
  return observations.some(({ value }) => value === null) ? 'partial' : 'full'
}

export interface SeriesListArguments {
  readonly country?: Given<string>
  readonly limit?: Given<number>
  readonly offset?: Given<number>
}

export interface SeriesListQuery extends OffsetPage {
  /** Null: of all countries. */
  readonly country: string | null
}

/** Checks the page of the series of a dataset, and of which country they are. */
export function readSeriesListQuery(args: SeriesListArguments): SeriesListQuery {
  const problems = new Problems()
  const page = readOffsetPage(problems, args)
  problems.refuse()
  return { ...page, country: args.country?.toUpperCase() ?? null }
}
