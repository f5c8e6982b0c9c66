import { type ApiQuery, type RestCall, restGet } from '../client/use-query.js'
import { daysAgo } from '../parts/days-ago.js'
import { FRESHNESS, type FreshnessMeta } from '../parts/freshness.js'
import { hasRanges, parseMacroId } from './catalogue.js'
import { unitText } from './unit-text.js'

/** The API returns at most this many observations at once. */
const MAX_OBSERVATIONS = 1_000

const REVISIONS = 'revisions { value known_from known_to is_withdrawn }'

export interface ObservationRevision {
  readonly value: number | null
  readonly known_from: string
  readonly known_to: string | null
  readonly is_withdrawn: boolean
}

export interface SeriesAnswer {
  readonly meta: { readonly total: number; readonly license: string }
  readonly series: {
    readonly provider: string
    readonly name: string
    readonly country_name: string | null
    readonly description: string | null
    readonly unit: string | null
  }
  readonly data: readonly {
    readonly period: string
    readonly period_start: string
    readonly value: number | null
    readonly revisions?: readonly ObservationRevision[]
  }[]
  readonly _meta: FreshnessMeta
}

export interface Observation {
  /** As published: `2026-Q3`, `2026` or a date. */
  readonly period: string
  readonly seconds: number
  readonly value: number | null
  /** Oldest first; empty unless they were requested. */
  readonly revisions: readonly ObservationRevision[]
}

export interface ChartedSeries {
  readonly name: string
  /** Null if the publisher gives none. */
  readonly titleAtPublisher: string | null
  /** Distinguishes it from series of the same dataset: the country, or the name. */
  readonly shortName: string
  readonly unit: string
  readonly license: string
  /** Number of observations in the range, which may be more than were returned. */
  readonly total: number
  readonly observations: readonly Observation[]
  readonly freshness: FreshnessMeta
}

/** One series of a query. */
export interface RequestedSeries {
  /** Member of the answer. */
  readonly alias: string
  /** As the catalogue names the series. */
  readonly id: string
  /** Requests what was known at this instant; null requests what is known now. */
  readonly asOf?: string | null
}

export interface SeriesQueryOptions {
  /** How far the observations go back, if they have ranges; null requests all. */
  readonly days: number | null
  readonly hasRevisions?: boolean
}

/** The query of several series, or of several vintages of one. */
export function buildSeriesQuery(
  requested: readonly RequestedSeries[],
  { days, hasRevisions = false }: SeriesQueryOptions,
): ApiQuery {
  const ids = [...new Set(requested.map(({ id }) => id))]
  const variables = new Map<string, Variable>([['limit', ['Int!', MAX_OBSERVATIONS]]])
  const fields = requested.map(({ alias, id, asOf }) => {
    const suffix = id === ids[0] ? '' : `_${ids.indexOf(id) + 1}`
    const { provider, key } = parseMacroId(id)
    variables.set(`provider${suffix}`, ['MacroProvider!', provider])
    variables.set(`key${suffix}`, ['String!', key])
    const given = [`provider: $provider${suffix}`, `key: $key${suffix}`, 'limit: $limit']
    if (days !== null && hasRanges(id)) {
      variables.set('start_period', ['String', daysAgo(days)])
      given.push('start_period: $start_period')
    }
    if (asOf != null) {
      variables.set('as_of', ['DateTime', asOf])
      given.push('as_of: $as_of')
    }
    return `  ${alias}: macro_series(${given.join(', ')}) {
    meta { total license }
    series { provider name country_name description unit }
    data { period period_start value${hasRevisions ? ` ${REVISIONS}` : ''} }
    ${FRESHNESS}
  }`
  })
  const declared = [...variables].map(([variable, [type]]) => `$${variable}: ${type}`)
  return {
    document: `query Series(${declared.join(', ')}) {\n${fields.join('\n')}\n}`,
    variables: Object.fromEntries([...variables].map(([variable, [, value]]) => [variable, value])),
    rest: requested.map((series) => toRestCall(series, days)),
  }
}

type Variable = readonly [type: string, value: unknown]

function toRestCall({ id, asOf }: RequestedSeries, days: number | null): RestCall {
  const { provider, key } = parseMacroId(id)
  const start_period = days === null || !hasRanges(id) ? null : daysAgo(days)
  return restGet(`/v1/macro/series/${provider}/${key}`, {
    start_period,
    as_of: asOf,
    limit: MAX_OBSERVATIONS,
  })
}

/** One shape for the series of all providers. */
export function toSeries({ meta, series, data, _meta }: SeriesAnswer): ChartedSeries {
  const { provider, name, country_name, description, unit } = series
  return {
    name,
    titleAtPublisher: description,
    // At the BIS, the series of a dataset differ by country.
    shortName: (provider === 'bis' ? country_name : null) ?? name,
    unit: unitText(unit ?? ''),
    license: meta.license,
    total: meta.total,
    observations: data.map(({ period, period_start, value, revisions = [] }) => ({
      period,
      seconds: Date.parse(period_start) / 1000,
      value,
      revisions,
    })),
    freshness: _meta,
  }
}
