import { type ApiQuery, restGet } from '../client/use-query.js'
import { daysAgo } from '../parts/days-ago.js'
import { FRESHNESS, type FreshnessMeta } from '../parts/freshness.js'
import type { SeriesProvider } from './catalogue.js'
import { unitText } from './unit-text.js'

/** The API returns at most this many observations at once. */
const MAX_OBSERVATIONS = 1_000

const REVISIONS = 'revisions { value known_from is_withdrawn }'

const BIS = `query BisSeries($dataset_code: String!, $series_key: String!, $limit: Int!) {
  bis_series(dataset_code: $dataset_code, series_key: $series_key, limit: $limit) {
    meta { country_name total license dataset { name unit } }
    data { period value ${REVISIONS} }
    ${FRESHNESS}
  }
}`

const centralBankDocument = (provider: 'boj' | 'bok', description: string) =>
  `query ${provider === 'boj' ? 'Japan' : 'Korea'}($series_id: String!, $start_date: Date, $limit: Int!) {
  ${provider}_series(series_id: $series_id, start_date: $start_date, limit: $limit) {
    meta { ${description} total license }
    data { observation_date value unit ${REVISIONS} }
    ${FRESHNESS}
  }
}`

const BOJ = centralBankDocument('boj', 'series_description')
const BOK = centralBankDocument('bok', 'description')

export interface ObservationRevision {
  readonly value: number | null
  readonly known_from: string
  readonly is_withdrawn: boolean
}

interface SeriesAnswer {
  readonly meta: {
    readonly total: number
    readonly license: string
    readonly country_name?: string
    readonly dataset?: { readonly name: string; readonly unit: string }
    readonly series_description?: string
    readonly description?: string
  }
  readonly data: readonly {
    readonly period?: string
    readonly observation_date?: string
    readonly unit?: string | null
    readonly value: number | null
    readonly revisions: readonly ObservationRevision[]
  }[]
  readonly _meta: FreshnessMeta
}

/** The answer has one member, named after the root field. */
export type SeriesData = Readonly<Record<string, SeriesAnswer>>

export interface Observation {
  /** As published: `2026-Q3`, `2026` or a date. */
  readonly period: string
  readonly seconds: number
  readonly value: number | null
  readonly revisions: readonly ObservationRevision[]
}

export interface ChartedSeries {
  readonly name: string
  readonly unit: string
  readonly license: string
  /** Number of observations in the range, which may be more than were returned. */
  readonly total: number
  readonly observations: readonly Observation[]
  readonly freshness: FreshnessMeta
}

/** The query of a series by the id that the catalogue gives it; `days` limits how far it goes back, except at the BIS. */
export function buildSeriesQuery(id: string, days: number | null): ApiQuery {
  const [provider, ...rest] = id.split(':')
  const limit = MAX_OBSERVATIONS
  if (provider === 'bis') {
    const [dataset_code = '', series_key = ''] = rest
    return {
      document: BIS,
      variables: { dataset_code, series_key, limit },
      rest: [restGet(`/v1/macro/bis/${dataset_code}/${series_key}`, { limit })],
    }
  }
  const series_id = rest.join(':')
  const start_date = days === null ? null : daysAgo(days)
  const path = provider === 'boj' ? 'japan' : 'kr'
  return {
    document: provider === 'boj' ? BOJ : BOK,
    variables: { series_id, start_date, limit },
    rest: [restGet(`/v1/macro/${path}/${series_id}`, { start_date, limit })],
  }
}

export function parseProvider(id: string): SeriesProvider {
  return id.startsWith('boj:') ? 'boj' : id.startsWith('bok:') ? 'bok' : 'bis'
}

/** One shape for the series of all providers. */
export function toSeries(answer: SeriesData): ChartedSeries | null {
  const [series] = Object.values(answer)
  if (series === undefined) return null
  const { meta, data, _meta } = series
  const name =
    meta.dataset === undefined
      ? (meta.series_description ?? meta.description ?? '')
      : `${meta.country_name}: ${meta.dataset.name}`
  return {
    name,
    unit: unitText(meta.dataset?.unit ?? data[0]?.unit ?? ''),
    license: meta.license,
    total: meta.total,
    observations: data.map(({ period, observation_date, value, revisions }) => ({
      period: period ?? observation_date ?? '',
      seconds: periodStartMs(period ?? observation_date ?? '') / 1000,
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
