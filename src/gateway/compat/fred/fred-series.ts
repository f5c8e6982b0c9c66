import { type ApiError, notFound } from '../../../core/errors.js'
import type { TranslatedCall } from '../compat-interface.js'
import { badRequest, requiredText } from './parameters.js'
import { type RealTime, toAsOf, type Version, validityOf } from './real-time.js'
import PATTERNS from './series.json' with { type: 'json' }

/** A series of FRED that this gateway has from the same publisher, in the same unit and frequency. */
export interface FredSeries {
  readonly id: string
  /** Dataset and key at the Bank for International Settlements. */
  readonly dataset: string
  readonly key: string
  /** With `{country}` for the name of the country. */
  readonly title: string
  readonly frequency: string
  readonly units: string
  readonly unitsShort: string
}

/** The part of the answer of `bis_series` that is used. */
export interface BisSeriesBody {
  readonly data: readonly StoredObservation[]
  readonly meta: {
    readonly has_next: boolean
    readonly country_name: string
    readonly computed_at: string
    readonly license: string
  }
}

interface StoredObservation extends Version {
  /** 2025-Q4 */
  readonly period: string
  readonly value: number | null
}

const PATTERN_OF = new Map(PATTERNS.map((pattern) => [pattern.id, pattern]))

/** The pattern of a dataset and a key, both with `{CC}` for the country. */
export function findPattern(dataset: string, key: string): FredSeries | null {
  return PATTERNS.find((pattern) => pattern.dataset === dataset && pattern.key === key) ?? null
}

export function toCountrySeries(pattern: FredSeries, country: string): FredSeries {
  const fill = (text: string) => text.replace('{CC}', country)
  return { ...pattern, id: fill(pattern.id), key: fill(pattern.key) }
}

/** The series that a parameter names. Throws FRED's error for one that this gateway does not have. */
export function parseSeries(query: URLSearchParams, parameter = 'series_id'): FredSeries {
  const id = requiredText(query, parameter).toUpperCase()
  const [, country = '', rest] = /^Q([A-Z0-9]{2})(\w{7})$/.exec(id) ?? []
  const pattern = PATTERN_OF.get(`Q{CC}${rest}`)
  if (pattern === undefined) throw unknownSeries()
  return toCountrySeries(pattern, country)
}

export function unknownSeries(): ApiError {
  return notFound('The series does not exist.')
}

/** Larger than the number of quarters since 1900. */
const ROWS_PER_PAGE = '1000'

/** The call that reads a series as it was known at the end of a real-time period, or with all versions. */
export function callSeries(
  { dataset, key }: FredSeries,
  realTime: RealTime,
  hasVersions: boolean,
): Omit<TranslatedCall, 'toBody'> {
  return {
    operation: 'bis_series',
    args: {
      ...{ dataset_code: dataset, series_key: key, limit: ROWS_PER_PAGE },
      ...toAsOf(realTime),
      ...(hasVersions ? { vintages: 'true' } : {}),
    },
    ...validityOf(realTime),
  }
}

/** The answer of the call. Throws for one that has more rows. */
export function toSeriesAnswer(answer: unknown): BisSeriesBody {
  const series = answer as BisSeriesBody // the answer of our own operation
  if (series.meta.has_next)
    throw badRequest(
      `The series has more than ${ROWS_PER_PAGE} versions of its observations. Choose a shorter real-time period.`,
    )
  return series
}
