import { parsePeriod } from '../../../core/time.js'
import type { CompatBody, CompatRequest, TranslatedCall } from '../compat-interface.js'
import { parseFileType, toFredBody } from './fred-body.js'
import {
  type BisSeriesBody,
  callSeries,
  type FredSeries,
  parseSeries,
  toSeriesAnswer,
} from './fred-series.js'
import { badRequest, parseChoice, parseFredDate, parsePaging } from './parameters.js'
import { currentPeriod, isOneDay, parseRealTime, type RealTime } from './real-time.js'
import { convertUnits, FRED_UNITS, type FredUnits } from './units.js'

/** The period of observations without a parameter. */
const FIRST_OBSERVATION = '1600-01-01'
const LAST_OBSERVATION = '9999-12-31'

const MAX_OBSERVATIONS = 100_000

/** FRED's text for a missing value. */
const MISSING = '.'

interface Selection {
  readonly realTime: RealTime
  readonly units: FredUnits
  readonly start: string
  readonly end: string
}

type Row = Readonly<Record<'realtime_start' | 'realtime_end' | 'date' | 'value', string>>

export function translateObservations({ query, now }: CompatRequest): TranslatedCall {
  const type = parseFileType(query)
  const series = parseSeries(query)
  assertServed(query)
  const selection = parseSelection(query, now)
  const toPage = parsePaging(query, 'observation_date', MAX_OBSERVATIONS)
  const { realTime, units, start, end } = selection
  return {
    ...callSelected(series, selection),
    toBody: (answer) => {
      const page = toPage(selectRows(toSeriesAnswer(answer), selection))
      const attributes = {
        ...{ realtime_start: realTime.start, realtime_end: realTime.end },
        ...{ observation_start: start, observation_end: end, units, output_type: 1, file_type: type },
        ...page.attributes,
      }
      return toFredBody({ name: 'observations', attributes, rowName: 'observation', rows: page.rows }, type)
    },
  }
}

/** The file of a graph, which other parameters of its address only draw. */
export function translateGraph({ query, now }: CompatRequest): TranslatedCall {
  const series = parseSeries(query, 'id')
  const renamed = new URLSearchParams()
  for (const [from, to] of GRAPH_PARAMETERS) {
    const text = query.get(from)
    if (text !== null) renamed.set(to, text)
  }
  const selection = parseSelection(renamed, now)
  return {
    ...callSelected(series, selection),
    toBody: (answer) => toCsv(series.id, selectRows(toSeriesAnswer(answer), selection)),
  }
}

/** Parameters of a graph, with those of observations that mean the same. */
const GRAPH_PARAMETERS = [
  ['cosd', 'observation_start'],
  ['coed', 'observation_end'],
  ['transformation', 'units'],
  ['vintage_date', 'realtime_end'],
] as const

/** Throws for what is computed from observations and is not served. The first value is FRED's default. */
function assertServed(query: URLSearchParams): void {
  parseChoice(query, 'frequency', ['q'])
  parseChoice(query, 'aggregation_method', ['avg'])
  parseChoice(query, 'output_type', ['1'])
  parseChoice(query, 'order_by', ['observation_date'])
  if (query.get('vintage_dates')) throw badRequest('Variable vintage_dates is not served: use realtime_end.')
}

function parseSelection(query: URLSearchParams, now: Date): Selection {
  const realTime = parseRealTime(query, now)
  const units = parseChoice(query, 'units', FRED_UNITS)
  if (units !== 'lin' && !isOneDay(realTime))
    throw badRequest(`Variable units is not 'lin', which a real-time period of more than one day needs.`)
  return {
    ...{ realTime, units },
    start: parseFredDate(query, 'observation_start') ?? FIRST_OBSERVATION,
    end: parseFredDate(query, 'observation_end') ?? LAST_OBSERVATION,
  }
}

/** Reads the whole series: changes need the observations before the first one. */
function callSelected(series: FredSeries, { realTime }: Selection) {
  return callSeries(series, realTime, !isOneDay(realTime))
}

/** The rows of the period of observations, oldest first. Each version of an observation has a row. */
function selectRows({ data }: BisSeriesBody, { realTime, units, start, end }: Selection): readonly Row[] {
  const dated = data.map(({ period, value }) => ({ date: firstDayOf(period), value }))
  const converted = convertUnits(dated, units)
  return data.flatMap((version, at) => {
    const date = firstDayOf(version.period)
    const known = isOneDay(realTime) ? realTime : currentPeriod(version, realTime)
    if (known === null || date < start || date > end) return []
    const value = converted[at] ?? MISSING
    return [{ realtime_start: known.start, realtime_end: known.end, date, value }]
  })
}

export function firstDayOf(period: string): string {
  return parsePeriod(period)?.start ?? period
}

function toCsv(id: string, rows: readonly Row[]): CompatBody {
  const lines = [`observation_date,${id}`, ...rows.map(({ date, value }) => `${date},${value}`)]
  return {
    type: 'application/csv',
    text: lines.map((line) => `${line}\n`).join(''),
    headers: ['content-disposition', `attachment; filename="${id}.csv"`],
  }
}
