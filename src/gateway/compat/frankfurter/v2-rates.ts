import { notFound } from '../../../core/errors.js'
import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import type { CompatBody, CompatRequest, TranslatedCall } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import {
  CARRIED_DAYS,
  callRates,
  type DayRates,
  EURO,
  NAMED_CURRENCIES,
  namesProvider,
  PROVIDER,
  parseDay,
  refusal,
  splitCodes,
  toDays,
} from './euro-rates.js'
import { roundRate } from './round-rate.js'
import { averageByPeriod, type RatePeriod, widenToPeriods } from './v2-periods.js'

/** Parameters of `/v2/rates`; Frankfurter refuses others. */
const PARAMETERS = ['base', 'quotes', 'providers', 'date', 'from', 'to', 'group', 'expand']

interface RatesQuery {
  readonly base: string
  /** Null for all currencies. */
  readonly quotes: readonly string[] | null
  /** The last day, and null for today. */
  readonly to: IsoDate | null
  /** The first day of a range; null for the rates of one day. */
  readonly from: IsoDate | null
  /** The periods whose averages are rows; null for days. */
  readonly period: RatePeriod | null
  readonly today: IsoDate
  /** The published digits are kept, because no other provider is blended. */
  readonly isPublished: boolean
  readonly isExpanded: boolean
}

interface RateRow {
  readonly date: string
  readonly base: string
  readonly quote: string
  readonly rate: number
  readonly providers?: readonly { readonly key: string; readonly date: string; readonly rate: number }[]
}

export function translateRates(request: CompatRequest): TranslatedCall {
  const query = parseRatesQuery(request.query, request.now)
  const write = writerOf(request.accept, query)
  return { ...callRatesOf(query), toBody: (answer) => write(toRows(answer, query)) }
}

/** One pair; a 404 without a rate. */
export function translateRate({ path, query, now }: CompatRequest): TranslatedCall {
  const pair = new URLSearchParams(query)
  pair.set('base', path.base ?? '')
  pair.set('quotes', path.quote ?? '')
  const wanted = parseRatesQuery(pair, now)
  return {
    ...callRatesOf(wanted),
    toBody: (answer) => {
      const [row] = toRows(answer, wanted)
      if (row === undefined) throw notFound('not found')
      return jsonBody(row)
    },
  }
}

/** Checks in the order of Frankfurter, so that the first error is the same. */
function parseRatesQuery(query: URLSearchParams, now: Date): RatesQuery {
  const unknown = [...new Set(query.keys())].filter((name) => !PARAMETERS.includes(name)).sort()
  if (unknown.length > 0) throw refusal(`unknown parameter: ${unknown.join(', ')}`)
  const dayOf = (name: string) => {
    const text = query.get(name)
    return text === null ? null : parseDay(text)
  }
  const [date, from, to] = ['date', 'from', 'to'].map(dayOf)
  if (date && (from || to)) throw refusal('conflicting params')
  const group = query.get('group')?.toLowerCase() ?? null
  if (group !== null && group !== 'week' && group !== 'month') throw refusal('invalid group')
  const expand = splitCodes(query.get('expand') ?? '').map((name) => name.toLowerCase())
  const strange = expand.filter((name) => name !== 'providers')
  if (strange.length > 0) throw refusal(`invalid expand: ${strange.join(',')}`)
  const base = (query.get('base') ?? EURO).toUpperCase()
  const list = query.get('quotes')
  const quotes = list === null ? null : splitCodes(list)
  const wrong = [base, ...(quotes ?? [])].filter((code) => !NAMED_CURRENCIES.has(code))
  if (wrong.length > 0) throw refusal(`invalid currency: ${wrong.join(',')}`)
  const period = from ? group : null
  return {
    ...{ base, quotes, period },
    isPublished: namesProvider(query.get('providers')) && period === null,
    from: from ?? null,
    to: (from ? to : date) ?? null,
    today: toIsoDate(now),
    isExpanded: expand.length > 0,
  }
}

/** Reads the days of the query and those before them whose rates are carried. */
function callRatesOf({ base, quotes, from, to, today, period }: RatesQuery) {
  const last = to ?? today
  const first = from === null || from > last ? last : from
  if (period !== null)
    return callRates({ base, quotes, ...widenToPeriods(period, { from: first, to: last }) })
  return callRates({ base, quotes, from: addDays(first, -CARRIED_DAYS), to })
}

function toRows(answer: unknown, query: RatesQuery): readonly RateRow[] {
  const { from, to, today, period } = query
  const days = toDays(answer)
  if (from === null) return snapshotRows(days, query).sort(byQuote)
  if (from > (to ?? today)) return []
  if (period !== null) {
    const averages = averageByPeriod(days, period, { from, to: to ?? today })
    return averages.flatMap((average) => rowsOfDay(average, query))
  }
  // The first rows are those of `from`, or the newest ones before it.
  const first = snapshotRows(
    days.filter(({ date }) => date <= from),
    query,
  )
  const later = days.filter(({ date }) => date > from)
  return [...first.sort(byDate), ...later.flatMap((day) => rowsOfDay(day, query))]
}

function byQuote(a: RateRow, b: RateRow): number {
  return a.quote < b.quote ? -1 : 1
}

function byDate(a: RateRow, b: RateRow): number {
  if (a.date === b.date) return byQuote(a, b)
  return a.date < b.date ? -1 : 1
}

/** The newest rate of each currency, with its day. */
function snapshotRows(days: readonly DayRates[], query: RatesQuery): RateRow[] {
  const newest = new Map<string, RateRow>()
  for (const day of days) for (const row of pairRows(day, query)) newest.set(row.quote, row)
  const rows = [...newest.values()]
  const dates = rows.length > 0 ? rows.map(({ date }) => date) : days.map(({ date }) => date)
  return withIdentity(rows, dates.sort().at(-1), query)
}

function rowsOfDay(day: DayRates, query: RatesQuery): readonly RateRow[] {
  return withIdentity(pairRows(day, query), day.date, query).sort(byQuote)
}

/** Frankfurter adds the rate 1 of the base against itself where there are other rates. */
function withIdentity(rows: RateRow[], date: string | undefined, { base, quotes }: RatesQuery): RateRow[] {
  if (date === undefined || (quotes !== null && !quotes.includes(base))) return rows
  return [...rows, { date, base, quote: base, rate: 1 }]
}

function pairRows(day: DayRates, { base, quotes, isPublished, isExpanded }: RatesQuery): RateRow[] {
  const { date, baseRate } = day
  return day.quotes.flatMap(([quote, quoteRate]) => {
    if (quotes !== null && !quotes.includes(quote)) return []
    const rate = isPublished && base === EURO ? quoteRate : roundRate(quoteRate / baseRate)
    const row = { date, base, quote, rate }
    return [isExpanded ? { ...row, providers: [{ key: PROVIDER.key, date, rate }] } : row]
  })
}

type Write = (rows: readonly RateRow[]) => CompatBody

function writerOf(accept: string, query: RatesQuery): Write {
  if (firstKnownType(accept) === CSV_TYPE) return (rows) => toCsv(rows, query)
  return accept.includes(NDJSON_TYPE) ? toNdjson : jsonBody
}

const CSV_TYPE = 'text/csv'
const NDJSON_TYPE = 'application/x-ndjson'

/** Frankfurter chooses by the first media type that it knows. */
function firstKnownType(accept: string): string | undefined {
  const known = [CSV_TYPE, 'application/json', 'text/json', 'text/html', 'text/xml', 'application/xml']
  return accept
    .split(',')
    .map((entry) => entry.split(';')[0]?.trim() ?? '')
    .find((type) => known.includes(type))
}

function toNdjson(rows: readonly RateRow[]): CompatBody {
  return { type: NDJSON_TYPE, text: rows.map((row) => `${JSON.stringify(row)}\n`).join('') }
}

/** Rates of one day without a row are an empty file; a range has its header line. */
function toCsv(rows: readonly RateRow[], query: RatesQuery): CompatBody {
  const columns = ['date', 'base', 'quote', 'rate', ...(query.isExpanded ? ['providers'] : [])]
  const lines = rows.map(({ date, base, quote, rate, providers = [] }) => [
    ...[date, base, quote, numberText(rate)],
    ...(query.isExpanded ? [providers.map((one) => `${one.key}:${numberText(one.rate)}`).join('|')] : []),
  ])
  const text = [columns, ...lines].map((cells) => `${cells.join(',')}\n`).join('')
  return {
    type: CSV_TYPE,
    text: rows.length === 0 && query.from === null ? '' : text,
    headers: ['content-disposition', `attachment; filename="${fileName(query)}"`],
  }
}

/** Whole numbers have one decimal place up to 5000, above which rates are rounded to whole numbers. */
function numberText(value: number): string {
  return Number.isInteger(value) && value <= 5000 ? value.toFixed(1) : String(value)
}

function fileName({ base, quotes, from, to, today, period, isPublished }: RatesQuery): string {
  const [only, ...others] = quotes ?? []
  const pair = only !== undefined && others.length === 0 ? `${base}-${only}` : `${base}-rates`
  const days = from === null ? (to ?? 'latest') : `${from}_${to ?? today}`
  const parts = [
    ...(isPublished ? [PROVIDER.key] : []),
    pair,
    days,
    ...(period === null ? [] : [`${period}ly`]),
  ]
  return `${parts.join('_')}.csv`
}
