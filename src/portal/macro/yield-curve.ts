import { type ApiQuery, restGet } from '../client/use-query.js'
import { daysBefore } from '../parts/days-ago.js'

/** A yield curve whose maturities are series. */
export interface YieldCurve {
  readonly name: string
  readonly provider: string
  /** Begins the key of each of its series; the rest is the maturity. */
  readonly prefix: string
  /** Words in the names of its series. */
  readonly words: string
  /** The first day that it has. */
  readonly first: string
}

export const YIELD_CURVES = {
  us: {
    name: 'US Treasury',
    provider: 'ust',
    prefix: 'PAR.',
    words: 'Treasury yield',
    first: '1990-01-02',
  },
  euro: {
    name: 'Euro area, AAA',
    provider: 'ecb',
    prefix: 'YC.B.U2.EUR.4F.G_N_A.SV_C_YM.SR_',
    words: 'yield AAA',
    first: '2004-09-06',
  },
  euro_all: {
    name: 'Euro area, all issuers',
    provider: 'ecb',
    prefix: 'YC.B.U2.EUR.4F.G_N_C.SV_C_YM.SR_',
    words: 'yield all issuers',
    first: '2004-09-06',
  },
} as const satisfies Readonly<Record<string, YieldCurve>>

export type YieldCurveName = keyof typeof YIELD_CURVES

/** More days than markets are ever closed for. */
const CLOSED_DAYS = 10

const CURVE = `query YieldCurve($provider: MacroProvider!, $q: String!, $limit: Int!, $rows: Int!, $from: String!, $day: String!, $other_from: String!, $other_day: String!) {
  macro_catalogue(provider: $provider, q: $q, limit: $limit) {
    data {
      key
      day: observations(start_period: $from, end_period: $day, limit: $rows) { period value }
      other: observations(start_period: $other_from, end_period: $other_day, limit: $rows) { period value }
    }
  }
}`

/** The yields of the last days until each of two days. */
export function buildCurveQuery({ provider, words }: YieldCurve, day: string, other: string): ApiQuery {
  const [from, other_from] = [daysBefore(day, CLOSED_DAYS), daysBefore(other, CLOSED_DAYS)]
  const range = { from, day, other_from, other_day: other }
  return {
    document: CURVE,
    variables: { provider, q: words, limit: 100, rows: CLOSED_DAYS + 1, ...range },
    rest: [restGet('/v1/macro/series', { provider, q: words, limit: 100 })],
    restNote: 'The REST call lists the series; their observations are read one by one.',
  }
}

interface Observed {
  readonly period: string
  readonly value: number | null
}

export interface CurveAnswer {
  readonly macro_catalogue: {
    readonly data: readonly {
      readonly key: string
      readonly day: readonly Observed[] | null
      readonly other: readonly Observed[] | null
    }[]
  }
}

/** Yields of one day, by maturity. */
export interface DayCurve {
  /** The day of the yields: the requested one, or the last before it that has any. Null without any. */
  readonly day: string | null
  readonly yields: readonly (number | null)[]
}

export interface LoadedCurve {
  /** From the shortest to the longest: 1M, 10Y. */
  readonly maturities: readonly string[]
  readonly day: DayCurve
  readonly other: DayCurve
}

/** The maturities that have a yield on one of the two days. */
export function toCurve({ prefix }: YieldCurve, { macro_catalogue }: CurveAnswer): LoadedCurve {
  const series = macro_catalogue.data
    .filter(({ key, day, other }) => key.startsWith(prefix) && hasValue([...(day ?? []), ...(other ?? [])]))
    .map((one) => ({ ...one, maturity: one.key.slice(prefix.length).replace('MO', 'M').replace('_', '.') }))
    .sort((a, b) => monthsOf(a.maturity) - monthsOf(b.maturity))
  return {
    maturities: series.map(({ maturity }) => maturity),
    day: toDayCurve(series.map(({ day }) => day ?? [])),
    other: toDayCurve(series.map(({ other }) => other ?? [])),
  }
}

function hasValue(observed: readonly Observed[]): boolean {
  return observed.some(({ value }) => value !== null)
}

function monthsOf(maturity: string): number {
  return Number.parseFloat(maturity) * (maturity.endsWith('Y') ? 12 : 1)
}

function toDayCurve(series: readonly (readonly Observed[])[]): DayCurve {
  const days = series.flat().flatMap(({ period, value }) => (value === null ? [] : [period]))
  const day = days.sort().at(-1) ?? null
  return { day, yields: series.map((own) => own.find(({ period }) => period === day)?.value ?? null) }
}
