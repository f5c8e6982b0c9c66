import type { DecimalText } from '../../../core/decimal.js'
import type { IsoDate } from '../../../core/time.js'
import type { MacroFact, MacroSeries } from '../../../domains/macro/model.js'
import { isJsonObject, isList, type Json, type JsonObject, shown } from '../../bodies/json/json-body.js'
import type { Read } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import type { SeenPeriods } from '../../bodies/seen-periods.js'
import { type ParseContext, type Parsed, quoted } from '../../feed.js'
import type { BojAnswer } from './answer.js'
import { type BojPeriods, periodsOf } from './periods.js'
import { BOJ_SERIES } from './series-list.js'

/** The context in which the series of a body are read. */
interface SeriesContext {
  readonly answer: BojAnswer
  readonly seen: SeenPeriods
  /** The day in Tokyo. */
  readonly today: string
  readonly onAbsent: ParseContext['onAbsent']
}

const CODE = /^[A-Za-z0-9_@$.-]{1,60}$/

/** Reads the observations of one series, or rejects it. A heading among metadata gives nothing. */
export function* readBojSeries(
  item: Json,
  position: string,
  context: SeriesContext,
): Generator<Parsed<MacroFact>> {
  const { answer } = context
  const rejected = (reason: string) => ({ kind: 'rejected', position, reason }) as const
  if (!isJsonObject(item)) return yield rejected(`is ${shown(item)}, not an object`)
  if (item.get('SERIES_CODE') === '' && answer.parameter === null) return context.onAbsent()
  if (answer.cut.has(item)) return yield rejected('the body is cut off within the series')
  const facts = factsOf(item, answer)
  if ('wrong' in facts) {
    context.onAbsent(Math.max(0, valueCountOf(item) - 1))
    return yield rejected(facts.wrong)
  }
  const { series } = facts.value
  if (answer.parameter === null) return yield { kind: 'row', row: { series, periodStart: null } }
  const values = valuesOf(item)
  if ('wrong' in values) {
    context.onAbsent(Math.max(0, valueCountOf(item) - 1))
    return yield rejected(`${series.seriesKey}: ${values.wrong}`)
  }
  yield* readValues(facts.value, values.value, { position, context })
}

interface SeriesFacts {
  readonly series: MacroSeries
  readonly periods: BojPeriods
}

function factsOf(item: JsonObject, answer: BojAnswer): Read<SeriesFacts> {
  const { db } = answer
  const code = item.get('SERIES_CODE')
  if (typeof code !== 'string' || !CODE.test(code))
    return { wrong: `SERIES_CODE is ${shown(code)}, not a code` }
  const frequency = item.get('FREQUENCY')
  const periods = typeof frequency === 'string' ? periodsOf(frequency) : null
  if (periods === null) return { wrong: `${code}: the frequency ${shown(frequency)} is not served` }
  const listed = BOJ_SERIES.find(({ dataset, seriesKey }) => dataset === db && seriesKey === code)
  const text = (name: string) => textOf(item.get(name)) ?? null
  const series: MacroSeries = {
    provider: 'boj',
    dataset: db,
    seriesKey: code,
    country: 'JP',
    // Answers in Japanese use other names for the texts.
    unit: text('UNIT') ?? listed?.unit ?? text('UNIT_J'),
    frequency: periods.frequency,
    description: text('NAME_OF_TIME_SERIES') ?? listed?.description ?? text('NAME_OF_TIME_SERIES_J'),
    // A series that only metadata describe has no observations to store.
    isHeadline: answer.parameter !== null,
  }
  return { value: { series, periods } }
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_TEXT_LENGTH) : null
}

/** Several times the longest title of the Bank. */
const MAX_TEXT_LENGTH = 500

/** The number of observations in a series that is rejected as a whole. */
function valueCountOf(item: JsonObject): number {
  const both = item.get('VALUES')
  const values = isJsonObject(both) ? both.get('VALUES') : undefined
  return isList(values) ? values.length : 0
}

interface Cells {
  readonly dates: readonly Json[]
  readonly values: readonly Json[]
}

function valuesOf(item: JsonObject): Read<Cells> {
  const both = item.get('VALUES')
  if (!isJsonObject(both)) return { wrong: `VALUES is ${shown(both)}, not an object` }
  const [dates, values] = [both.get('SURVEY_DATES'), both.get('VALUES')]
  if (!isList(dates) || !isList(values)) return { wrong: 'SURVEY_DATES or VALUES is not a list' }
  if (dates.length !== values.length) {
    return { wrong: `it has ${dates.length} dates and ${values.length} values` }
  }
  return { value: { dates, values } }
}

/** All values are read before the first is given, because a series with an unreadable value is not whole. */
function readValues(
  { series, periods }: SeriesFacts,
  { dates, values }: Cells,
  { position, context }: { readonly position: string; readonly context: SeriesContext },
): readonly Parsed<MacroFact>[] {
  // Starts of periods that the body gives with two values.
  const refused = new Set<IsoDate>()
  const read = dates.map((date, at): Parsed<{ start: IsoDate; value: DecimalText | null }> | null => {
    const observed = readValue(date, values[at] ?? null, { series, periods, context })
    if (observed === null) {
      context.onAbsent()
      return null
    }
    if (!('wrong' in observed)) return { kind: 'row', row: observed.value }
    const { wrong: reason, contradicts: start } = observed
    if (start !== undefined) refused.add(start)
    const contradicts = start === undefined ? {} : { contradicts: { start, value: null } }
    return { kind: 'rejected', position: `${position}, ${shown(date)}`, reason, ...contradicts }
  })
  const given = new Set(read.flatMap((item) => (item?.kind === 'row' ? item.row.start : [])))
  const isOfWholeSeries =
    asksForAll(context.answer) && read.every((item) => item === null || item.kind === 'row')
  return read.flatMap((item): readonly Parsed<MacroFact>[] => {
    if (item === null) return []
    if (item.kind === 'rejected') {
      const { kind, position: place, reason, contradicts } = item
      // An earlier answer has the period; its value was already given.
      const isElsewhere = contradicts !== undefined && !given.has(contradicts.start)
      if (!isElsewhere) return [{ kind, position: place, reason }]
      const earlier = { series, periodStart: contradicts.start, value: null, isOfWholeSeries: false }
      return [{ kind, position: place, reason, contradicts: earlier }]
    }
    const { start: periodStart, value } = item.row
    if (refused.has(periodStart)) {
      const reason = 'a later row has the period with another value'
      return [{ kind: 'rejected', position: `${position}, ${periodStart}`, reason }]
    }
    return [{ kind: 'row', row: { series, periodStart, value, isOfWholeSeries } }]
  })
}

/** Whether the answer is a full history: it states the requested dates, and both are empty. */
function asksForAll({ parameter }: BojAnswer): boolean {
  return ['STARTDATE', 'ENDDATE'].every((name) => parameter?.get(name) === '')
}

/** The observation; null for a weekend, a future day and a repetition. */
function readValue(
  date: Json,
  cell: Json,
  { series, periods, context }: SeriesFacts & { readonly context: SeriesContext },
): ObservedPeriod | null {
  const start = typeof date === 'string' ? periods.read(date) : null
  if (start === null)
    return { wrong: `${shown(date)} is not a period of a series that is ${series.frequency}` }
  const isMissing = cell === null || cell === ''
  if (isMissing && (start > context.today || isWeekend(start, periods))) return null
  if (start > context.today) return { wrong: `${start} has not begun yet` }
  if (!isMissing && typeof cell !== 'string') return { wrong: `the value is ${shown(cell)}, not a number` }
  const read = isMissing ? { value: null } : readDecimal(cell)
  if ('wrong' in read) return read
  const noted = context.seen.note(`${series.dataset} ${series.seriesKey}`, start, read.value ?? 'none')
  if (noted === 'same') return null
  if (noted === 'new') return { value: { start, value: read.value } }
  return { wrong: noted.wrong, ...(noted.isFirst ? { contradicts: start } : {}) }
}

type ObservedPeriod =
  | { readonly value: { readonly start: IsoDate; readonly value: DecimalText | null } }
  /** `contradicts`: the start of the period whose earlier value does not count either. */
  | { readonly wrong: string; readonly contradicts?: IsoDate }

/** Daily series list every day of the calendar; on weekends no value is expected. */
function isWeekend(date: IsoDate, { frequency }: BojPeriods): boolean {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay()
  return frequency === 'daily' && (day === 0 || day === 6)
}

/** The code of a series for the position of a rejection. */
export function seriesCodeOf(item: Json): string {
  const code = isJsonObject(item) ? item.get('SERIES_CODE') : undefined
  return typeof code === 'string' && code !== '' ? quoted(code) : 'without a code'
}
