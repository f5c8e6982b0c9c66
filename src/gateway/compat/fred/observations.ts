import type { CompatBody, CompatRequest, TranslatedCall } from '../compat-interface.js'
import { parseFileType, toFredBody } from './fred-body.js'
import {
  ALL_DAYS,
  callSeries,
  type FredSeries,
  type MacroSeriesBody,
  parseSeries,
  shortFrequency,
  toSeriesAnswer,
} from './fred-series.js'
import { badRequest, parseChoice, parseFredDate, parsePaging } from './parameters.js'
import { currentPeriod, isOneDay, parseRealTime, type RealTime } from './real-time.js'
import { convertUnits, type FredUnits, unitsOfSeries } from './units.js'

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
  assertServed(query, series)
  const selection = parseSelection(query, series, now)
  const toPage = parsePaging(query, 'observation_date', MAX_OBSERVATIONS)
  const { realTime, units, start, end } = selection
  return {
    ...callSelected(series, selection, now),
    toBody: (answer) => {
      const page = toPage(selectRows(toSeriesAnswer(answer), series, selection))
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
  const selection = parseSelection(renamed, series, now)
  return {
    ...callSelected(series, selection, now),
    toBody: (answer) => toCsv(series.id, selectRows(toSeriesAnswer(answer), series, selection)),
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
function assertServed(query: URLSearchParams, series: FredSeries): void {
  parseChoice(query, 'frequency', [shortFrequency(series).toLowerCase()])
  parseChoice(query, 'aggregation_method', ['avg'])
  parseChoice(query, 'output_type', ['1'])
  parseChoice(query, 'order_by', ['observation_date'])
  if (query.get('vintage_dates')) throw badRequest('Variable vintage_dates is not served: use realtime_end.')
}

function parseSelection(query: URLSearchParams, series: FredSeries, now: Date): Selection {
  const realTime = parseRealTime(query, now)
  const units = parseChoice(query, 'units', unitsOfSeries(series))
  if (units !== 'lin' && !isOneDay(realTime))
    throw badRequest(`Variable units is not 'lin', which a real-time period of more than one day needs.`)
  return {
    ...{ realTime, units },
    start: parseFredDate(query, 'observation_start') ?? ALL_DAYS.start,
    end: parseFredDate(query, 'observation_end') ?? ALL_DAYS.end,
  }
}

function callSelected(series: FredSeries, { realTime, start, end }: Selection, now: Date) {
  return callSeries(series, { realTime, hasVersions: !isOneDay(realTime), days: { start, end }, now })
}

/** The rows of the period of observations, oldest first. Each version of an observation has a row. */
function selectRows(
  { data }: MacroSeriesBody,
  series: FredSeries,
  { realTime, units, start, end }: Selection,
): readonly Row[] {
  const dated = data.map(({ period_start: date, value }) => ({ date, value }))
  const converted = convertUnits(dated, units, series)
  return data.flatMap((version, at) => {
    const date = version.period_start
    const known = isOneDay(realTime) ? realTime : currentPeriod(version, realTime)
    if (known === null || date < start || date > end) return []
    const value = converted[at] ?? MISSING
    return [{ realtime_start: known.start, realtime_end: known.end, date, value }]
  })
}

function toCsv(id: string, rows: readonly Row[]): CompatBody {
  const lines = [`observation_date,${id}`, ...rows.map(({ date, value }) => `${date},${value}`)]
  return {
    type: 'application/csv',
    text: lines.map((line) => `${line}\n`).join(''),
    headers: ['content-disposition', `attachment; filename="${id}.csv"`],
  }
}
