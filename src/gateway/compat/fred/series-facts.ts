import { MACRO_PUBLISHERS } from '../../../core/providers.js'
import type { CompatRequest, TranslatedCall } from '../compat-interface.js'
import { parseFileType, toFredBody } from './fred-body.js'
import {
  ALL_DAYS,
  callSeries,
  type FredSeries,
  findSeries,
  parseSeries,
  shortFrequency,
  toSeriesAnswer,
  unknownSeries,
} from './fred-series.js'
import { badRequest, parseChoice, parsePaging, requiredText } from './parameters.js'
import {
  FIRST_REAL_TIME,
  LAST_REAL_TIME,
  parseRealTime,
  type RealTime,
  toCentralDate,
  toCentralText,
  validityOf,
} from './real-time.js'

const MAX_VINTAGE_DATES = 10_000
const MAX_FOUND = 1_000

export function translateSeries({ query, now }: CompatRequest): TranslatedCall {
  const type = parseFileType(query)
  const series = parseSeries(query)
  const realTime = parseRealTime(query, now)
  return {
    ...callSeries(series, { realTime, hasVersions: false, days: ALL_DAYS, now }),
    toBody: (answer) => {
      const { data, meta, series: stored } = toSeriesAnswer(answer)
      const [first, last] = [data[0], data.at(-1)]
      if (first === undefined || last === undefined) throw unknownSeries()
      const row = {
        ...describe(series, stored.country_name, realTime),
        observation_start: first.period_start,
        observation_end: last.period_start,
        last_updated: toCentralText(new Date(meta.computed_at)),
        notes: `Source: ${publisherOf(series)}, ${stored.dataset_code} ${stored.series_key}. Terms of use: ${meta.license}`,
      }
      const attributes = realTimeAttributes(realTime)
      return toFredBody({ name: 'seriess', attributes, rowName: 'series', rows: [row] }, type)
    },
  }
}

function publisherOf({ provider }: FredSeries): string {
  return MACRO_PUBLISHERS.find(({ id }) => id === provider)?.name ?? provider
}

/** What FRED says of a series. Popularity is not known. */
function describe(series: FredSeries, country: string | null, realTime: RealTime) {
  return {
    id: series.id,
    ...realTimeAttributes(realTime),
    title: series.title.replace('{country}', country ?? ''),
    frequency: series.frequency,
    frequency_short: shortFrequency(series),
    units: series.units,
    units_short: series.unitsShort,
    seasonal_adjustment: series.isAdjusted ? 'Seasonally Adjusted' : 'Not Seasonally Adjusted',
    seasonal_adjustment_short: series.isAdjusted ? 'SA' : 'NSA',
  }
}

function realTimeAttributes({ start, end }: RealTime) {
  return { realtime_start: start, realtime_end: end }
}

/** The days on which this gateway learned of new or changed values. By default all days. */
export function translateVintageDates({ query, now }: CompatRequest): TranslatedCall {
  const type = parseFileType(query)
  const series = parseSeries(query)
  const all = { realtime_start: FIRST_REAL_TIME, realtime_end: LAST_REAL_TIME }
  const realTime = parseRealTime(new URLSearchParams({ ...all, ...Object.fromEntries(query) }), now)
  const toPage = parsePaging(query, 'vintage_date', MAX_VINTAGE_DATES)
  return {
    ...callSeries(series, { realTime, hasVersions: true, days: ALL_DAYS, now }),
    toBody: (answer) => {
      const instants = toSeriesAnswer(answer).data.flatMap(({ known_from, known_to }) =>
        known_to === null ? [known_from] : [known_from, known_to],
      )
      const dates = [...new Set(instants.map((instant) => toCentralDate(new Date(instant))))]
        .filter((date) => date >= realTime.start && date <= realTime.end)
        .sort()
      const page = toPage(dates)
      const attributes = { ...realTimeAttributes(realTime), ...page.attributes }
      return toFredBody({ name: 'vintage_dates', attributes, rowName: 'vintage_date', rows: page.rows }, type)
    },
  }
}

/** The part of the answer of `macro_catalogue` that is used. */
interface CatalogueAnswer {
  readonly data: readonly {
    readonly provider: string
    readonly key: string
    readonly country_code: string | null
    readonly country_name: string | null
  }[]
}

/** The series of the catalogue whose identifier, title or units have all words of the text. */
export function translateSearch({ query, now }: CompatRequest): TranslatedCall {
  const type = parseFileType(query)
  const words = requiredText(query, 'search_text').toLowerCase().split(/\s+/)
  parseChoice(query, 'search_type', ['full_text'])
  parseChoice(query, 'order_by', ['search_rank', 'series_id'])
  for (const name of ['filter_variable', 'tag_names', 'exclude_tag_names'])
    if (query.get(name)) throw badRequest(`Variable ${name} is not served.`)
  const toPage = parsePaging(query, 'series_id', MAX_FOUND)
  const realTime = parseRealTime(new URLSearchParams(), now)
  return {
    ...{ operation: 'macro_catalogue', args: { limit: String(MAX_FOUND) } },
    ...validityOf(realTime),
    toBody: (answer) => {
      const found = listSeries(answer, realTime).filter((row) => {
        const text = `${row.id} ${row.title} ${row.units}`.toLowerCase()
        return words.every((word) => text.includes(word))
      })
      const page = toPage(found)
      const attributes = { ...realTimeAttributes(realTime), ...page.attributes }
      return toFredBody({ name: 'seriess', attributes, rowName: 'series', rows: page.rows }, type)
    },
  }
}

function listSeries(answer: unknown, realTime: RealTime) {
  const { data } = answer as CatalogueAnswer // the answer of our own operation
  return data
    .flatMap(({ provider, key, country_code, country_name }) => {
      const series = findSeries(provider, key, country_code)
      return series === null ? [] : [describe(series, country_name, realTime)]
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}
