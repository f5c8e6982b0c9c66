import { type ApiQuery, type RestCall, restGet } from '../client/use-query.js'
import { daysAgo } from '../parts/days-ago.js'
import { FRESHNESS, type FreshnessMeta } from '../parts/freshness.js'
import { findPublisher } from './catalogue.js'
import { unitText } from './unit-text.js'

/** The API returns at most this many observations at once. */
const MAX_OBSERVATIONS = 1_000

const REVISIONS = 'revisions { value known_from is_withdrawn }'

/** What a page and an observation have, by whether identifiers name the series. */
const FIELDS_BY_ID = {
  page: 'meta { total license } series { description }',
  observation: 'period: observation_date unit',
}
const FIELDS_BY_KEY = {
  page: 'meta { country_name dataset { name unit } total license }',
  observation: 'period',
}

export interface ObservationRevision {
  readonly value: number | null
  readonly known_from: string
  readonly is_withdrawn: boolean
}

export interface SeriesAnswer {
  readonly meta: {
    readonly total: number
    readonly license: string
    readonly country_name?: string
    readonly dataset?: { readonly name: string; readonly unit: string }
  }
  readonly series?: { readonly description: string | null }
  readonly data: readonly {
    readonly period: string
    readonly unit?: string | null
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
  /** How far the observations go back; null requests all. At the BIS they are never limited. */
  readonly days: number | null
  readonly hasRevisions?: boolean
}

/** The query of several series, or of several vintages of one. */
export function buildSeriesQuery(
  requested: readonly RequestedSeries[],
  { days, hasRevisions = false }: SeriesQueryOptions,
): ApiQuery {
  const ids = [...new Set(requested.map(({ id }) => id))]
  const variables = new Map<string, Variable>()
  const fields = requested.map(({ alias, id, asOf }) => {
    const publisher = findPublisher(id)
    const { page, observation } = publisher.hasSeriesIds ? FIELDS_BY_ID : FIELDS_BY_KEY
    const suffix = id === ids[0] ? '' : `_${ids.indexOf(id) + 1}`
    const given = Object.entries(toArguments(id, days)).map(([argument, value]) => {
      variables.set(argument + suffix, value)
      return `${argument}: $${argument}${suffix}`
    })
    if (asOf != null) {
      variables.set('as_of', ['DateTime', asOf])
      given.push('as_of: $as_of')
    }
    return `  ${alias}: ${publisher.id}_series(${given.join(', ')}, limit: $limit) {
    ${page}
    data { ${observation} value${hasRevisions ? ` ${REVISIONS}` : ''} }
    ${FRESHNESS}
  }`
  })
  variables.set('limit', ['Int!', MAX_OBSERVATIONS])
  const declared = [...variables].map(([variable, [type]]) => `$${variable}: ${type}`)
  return {
    document: `query Series(${declared.join(', ')}) {\n${fields.join('\n')}\n}`,
    variables: Object.fromEntries([...variables].map(([variable, [, value]]) => [variable, value])),
    rest: requested.map((series) => toRestCall(series, days)),
  }
}

type Variable = readonly [type: string, value: unknown]

/** The arguments that choose a series and its range. */
function toArguments(id: string, days: number | null): Readonly<Record<string, Variable>> {
  const [, ...parts] = id.split(':')
  if (!findPublisher(id).hasSeriesIds) {
    const [dataset = '', key = ''] = parts
    return { dataset_code: ['String!', dataset], series_key: ['String!', key] }
  }
  return {
    series_id: ['String!', parts.join(':')],
    ...(days === null ? {} : { start_date: ['Date', daysAgo(days)] }),
  }
}

function toRestCall({ id, asOf }: RequestedSeries, days: number | null): RestCall {
  const { path, hasSeriesIds } = findPublisher(id)
  const [, ...parts] = id.split(':')
  const start_date = hasSeriesIds && days !== null ? daysAgo(days) : null
  return restGet([path, ...parts].join('/'), { start_date, as_of: asOf, limit: MAX_OBSERVATIONS })
}

/** One shape for the series of all providers. */
export function toSeries({ meta, series, data, _meta }: SeriesAnswer): ChartedSeries {
  const name =
    meta.dataset === undefined ? (series?.description ?? '') : `${meta.country_name}: ${meta.dataset.name}`
  return {
    name,
    shortName: meta.country_name ?? name,
    unit: unitText(meta.dataset?.unit ?? data[0]?.unit ?? ''),
    license: meta.license,
    total: meta.total,
    observations: data.map(({ period, value, revisions = [] }) => ({
      period,
      seconds: periodStartMs(period) / 1000,
      value,
      revisions,
    })),
    freshness: _meta,
  }
}

/** First millisecond of a period such as 2026-Q3, 2026 or 2026-11-22. */
function periodStartMs(period: string): number {
  const [year, quarter] = period.split('-Q')
  return quarter === undefined ? Date.parse(period) : Date.UTC(Number(year), (Number(quarter) - 1) * 3)
}
