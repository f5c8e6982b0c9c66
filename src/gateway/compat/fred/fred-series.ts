import { type ApiError, notFound } from '../../../core/errors.js'
import { toIsoDate } from '../../../core/time.js'
import { MACRO_ROWS_PER_UNIT } from '../../../policy/limits.js'
import type { TranslatedCall } from '../compat-interface.js'
import { rowsWithin } from '../daily-rows.js'
import { badRequest, requiredText } from './parameters.js'
import { type RealTime, toAsOf, type Version, validityOf } from './real-time.js'
import TABLE from './series.json' with { type: 'json' }

/** A series of FRED that this gateway has from the publisher of its figures, in the same unit and frequency. */
export interface FredSeries {
  readonly id: string
  /** Publisher and key: arguments of `macro_series`. */
  readonly provider: string
  readonly key: string
  /** With `{country}` for the name of the country. */
  readonly title: string
  /** Begins with Daily, Monthly or Quarterly. */
  readonly frequency: string
  readonly units: string
  readonly unitsShort: string
  /** Whether the values are seasonally adjusted. */
  readonly isAdjusted: boolean
}

/** The part of the answer of `macro_series` that is used. */
export interface MacroSeriesBody {
  readonly data: readonly StoredObservation[]
  readonly series: {
    readonly dataset_code: string
    readonly series_key: string
    readonly country_name: string | null
  }
  readonly meta: { readonly has_next: boolean; readonly computed_at: string; readonly license: string }
}

interface StoredObservation extends Version {
  /** First day of the period, by which FRED names it. */
  readonly period_start: string
  readonly value: number | null
}

const BY_ID = new Map<string, FredSeries>(TABLE.map((series) => [series.id, series]))

const BY_KEY = new Map<string, FredSeries>(
  TABLE.map((series) => [`${series.provider} ${series.key}`, series]),
)

/** The series with this key; one of a country is a pattern, with `{CC}` for the code. Null if FRED has none. */
export function findSeries(provider: string, key: string, country: string | null): FredSeries | null {
  const series = BY_KEY.get(`${provider} ${key}`)
  if (series !== undefined || country === null) return series ?? null
  const parts = key.split('.').map((part) => (part === country ? '{CC}' : part))
  const pattern = BY_KEY.get(`${provider} ${parts.join('.')}`)
  return pattern === undefined ? null : toCountrySeries(pattern, country)
}

function toCountrySeries(pattern: FredSeries, country: string): FredSeries {
  const fill = (text: string) => text.replace('{CC}', country)
  return { ...pattern, id: fill(pattern.id), key: fill(pattern.key) }
}

/** The series that a parameter names. Throws FRED's error for one that this gateway does not have. */
export function parseSeries(query: URLSearchParams, parameter = 'series_id'): FredSeries {
  const id = requiredText(query, parameter).toUpperCase()
  const [, country = '', rest] = /^Q([A-Z0-9]{2})(\w{7})$/.exec(id) ?? []
  const pattern = BY_ID.get(`Q{CC}${rest}`)
  const series = pattern === undefined ? BY_ID.get(id) : toCountrySeries(pattern, country)
  if (series === undefined) throw unknownSeries()
  return series
}

export function unknownSeries(): ApiError {
  return notFound('The series does not exist.')
}

/** As FRED writes it: D, M or Q. */
export function shortFrequency({ frequency }: FredSeries): string {
  return frequency.slice(0, 1)
}

/** First and last day of the observations that a call reads. */
interface Days {
  readonly start: string
  readonly end: string
}

export const ALL_DAYS: Days = { start: '1600-01-01', end: '9999-12-31' }

/** No series has an older period. */
const OLDEST = '1900-01-01'

interface SeriesCall {
  readonly realTime: RealTime
  readonly hasVersions: boolean
  readonly days: Days
  readonly now: Date
}

/**
 * The call that reads a series as it was known at the end of a real-time period, or with all versions. No series of months or
 * quarters has more rows than one unit buys.
 */
export function callSeries(
  series: FredSeries,
  { realTime, hasVersions, days, now }: SeriesCall,
): Omit<TranslatedCall, 'toBody'> {
  const { limit, ...range } =
    shortFrequency(series) === 'D' ? rangeOf(series, days, now) : { limit: MACRO_ROWS_PER_UNIT }
  return {
    operation: 'macro_series',
    args: {
      ...{ provider: series.provider, key: series.key },
      ...range,
      limit: String(limit),
      ...toAsOf(realTime),
      ...(hasVersions ? { vintages: 'true' } : {}),
    },
    ...validityOf(realTime),
  }
}

/** Of a daily series only the given days are read: it has too many for one price. */
function rangeOf({ provider, frequency }: FredSeries, { start, end }: Days, now: Date) {
  return {
    start_period: start < OLDEST ? OLDEST : start,
    ...(end < toIsoDate(now) ? { end_period: end < OLDEST ? OLDEST : end } : {}),
    limit: rowsWithin({ provider, start, end, hasWeekends: frequency === 'Daily, 7-Day' }, now),
  }
}

/** The answer of the call. Throws for one that has more rows. */
export function toSeriesAnswer(answer: unknown): MacroSeriesBody {
  const series = answer as MacroSeriesBody // the answer of our own operation
  if (series.meta.has_next)
    throw badRequest(
      'The series has more versions of its observations than an answer may have. Choose a shorter real-time period.',
    )
  return series
}
