import type { CompatRequest, TranslatedCall } from '../compat-interface.js'
import { parseFileType, toFredBody } from './fred-body.js'
import {
  callSeries,
  type FredSeries,
  findPattern,
  parseSeries,
  toCountrySeries,
  toSeriesAnswer,
  unknownSeries,
} from './fred-series.js'
import { firstDayOf } from './observations.js'
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
    ...callSeries(series, realTime, false),
    toBody: (answer) => {
      const { data, meta } = toSeriesAnswer(answer)
      const [first, last] = [data[0], data.at(-1)]
      if (first === undefined || last === undefined) throw unknownSeries()
      const row = {
        ...describe(series, meta.country_name, realTime),
        observation_start: firstDayOf(first.period),
        observation_end: firstDayOf(last.period),
        last_updated: toCentralText(new Date(meta.computed_at)),
        notes: `Source: Bank for International Settlements, ${series.dataset} ${series.key}. Terms of use: ${meta.license}`,
      }
      const attributes = realTimeAttributes(realTime)
      return toFredBody({ name: 'seriess', attributes, rowName: 'series', rows: [row] }, type)
    },
  }
}

/** What FRED says of a series. Popularity is not known. */
function describe(series: FredSeries, country: string, realTime: RealTime) {
  return {
    id: series.id,
    ...realTimeAttributes(realTime),
    title: series.title.replace('{country}', country),
    frequency: series.frequency,
    frequency_short: 'Q',
    units: series.units,
    units_short: series.unitsShort,
    seasonal_adjustment: 'Not Seasonally Adjusted',
    seasonal_adjustment_short: 'NSA',
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
    ...callSeries(series, realTime, true),
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

/** The part of the answer of `bis_countries` that is used. */
interface CountriesAnswer {
  readonly data: readonly {
    readonly code: string
    readonly name: string
    readonly series_keys: Readonly<Record<string, string>>
  }[]
}

/** The main series of each country whose identifier, title or units have all words of the text. */
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
    ...{ operation: 'bis_countries', args: {} },
    ...validityOf(realTime),
    toBody: (answer) => {
      const found = listMainSeries(answer, realTime).filter((row) => {
        const text = `${row.id} ${row.title} ${row.units}`.toLowerCase()
        return words.every((word) => text.includes(word))
      })
      const page = toPage(found)
      const attributes = { ...realTimeAttributes(realTime), ...page.attributes }
      return toFredBody({ name: 'seriess', attributes, rowName: 'series', rows: page.rows }, type)
    },
  }
}

function listMainSeries(answer: unknown, realTime: RealTime) {
  const { data } = answer as CountriesAnswer // the answer of our own operation
  return data
    .flatMap(({ code, name, series_keys }) =>
      Object.entries(series_keys).flatMap(([dataset, key]) => {
        const parts = key.split('.').map((part) => (part === code ? '{CC}' : part))
        const pattern = findPattern(dataset, parts.join('.'))
        return pattern === null ? [] : [describe(toCountrySeries(pattern, code), name, realTime)]
      }),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}
