import { ApiError, invalid, malformed, notFound } from '../../../core/errors.js'
import { formatCount } from '../../../core/format-count.js'
import { endOfPeriod } from '../../../core/period.js'
import { parsePeriod, toIsoDate } from '../../../core/time.js'
import type { CompatRequest, TranslatedCall } from '../compat-interface.js'
import { type PeriodDays, parseFlow, type SdmxObservation } from './sdmx-flows.js'
import { type SdmxAnswer, toCsvMessage, toJsonMessage } from './sdmx-message.js'

/** Data of one series. */
export function translateData({ path, query, accept, now }: CompatRequest): TranslatedCall {
  const toMessage = messageOf(query, accept)
  const flow = parseFlow(path.flow ?? '')
  const key = parseKey(path.key ?? 'all', flow.dimensions)
  assertServed(query)
  const days = parseDays(query)
  const hasUnits = parseChoice(query, 'detail', ['full', 'dataonly']) === 'full'
  const [first, last] = [parseCount(query, 'firstNObservations'), parseCount(query, 'lastNObservations')]
  if (days.from !== null && days.from > toIsoDate(now)) throw nothingFound()
  return {
    ...flow.call(key, days, now),
    toBody: (answer) => {
      const observations = flow.toObservations(answer).filter(({ start }) => isWithin(start, days))
      const chosen = chooseEnds(observations, first, last)
      if (chosen.length === 0) throw nothingFound()
      return toMessage({ flow, key, observations: chosen, hasUnits, updatedAt: updateOf(answer) })
    },
  }
}

/** The instant of the newest data. */
function updateOf(answer: unknown): string {
  const { _meta } = answer as { readonly _meta: { readonly last_updated_at: string } } // the answer of our own operation
  return _meta.last_updated_at
}

function nothingFound(): ApiError {
  return notFound('No results found.')
}

/** Throws 400 for a key that does not name one series. */
function parseKey(text: string, dimensions: readonly string[]): readonly string[] {
  const shape = `the key is ${dimensions.map((name) => `{${name}}`).join('.')}`
  // The only dimension of a flow may contain dots.
  const key = dimensions.length === 1 ? [text] : text.split('.')
  if (text === 'all' || key.some((code) => code === '' || code.includes('+')))
    throw syntaxError('key', `must name one series: ${shape}, without wildcards`)
  if (key.length !== dimensions.length)
    throw syntaxError('key', `has ${formatCount(key.length, 'value')}: ${shape}`)
  return key
}

function syntaxError(field: string, message: string): ApiError {
  return malformed({ field, message })
}

/** Throws 400 for what would change the answer and is not served. */
function assertServed(query: URLSearchParams): void {
  parseChoice(query, 'dimensionAtObservation', ['TIME_PERIOD'])
  parseChoice(query, 'includeHistory', ['false'])
  if (query.has('updatedAfter')) throw syntaxError('updatedAfter', 'is not served')
}

/** One of the values; the first one is the default. */
function parseChoice(query: URLSearchParams, name: string, values: readonly string[]): string | undefined {
  const text = query.get(name) ?? values[0]
  if (text === undefined || values.includes(text)) return text
  throw syntaxError(name, `must be ${values.join(' or ')}`)
}

function parseCount(query: URLSearchParams, name: string): number | null {
  const text = query.get(name)
  if (text === null) return null
  if (!/^[1-9]\d{0,5}$/.test(text)) throw syntaxError(name, 'must be a whole number from 1')
  return Number(text)
}

function parseDays(query: URLSearchParams): PeriodDays {
  const [from, to] = [parseBound(query, 'startPeriod'), parseBound(query, 'endPeriod')]
  if (from !== null && to !== null && from.start > to.start)
    throw invalid({ field: 'startPeriod', message: 'must not be after endPeriod' })
  return { from: from?.start ?? null, to: to === null ? null : endOfPeriod(to) }
}

function parseBound(query: URLSearchParams, name: string) {
  const text = query.get(name)
  if (!text) return null
  const period = parsePeriod(text)
  if (period === null)
    throw syntaxError(name, 'must be a year, quarter, month or day: 2020, 2020-Q3, 2020-07 or 2020-07-31')
  return period
}

function isWithin(start: string, { from, to }: PeriodDays): boolean {
  return (from === null || start >= from) && (to === null || start <= to)
}

function chooseEnds(
  observations: readonly SdmxObservation[],
  first: number | null,
  last: number | null,
): readonly SdmxObservation[] {
  const length = observations.length
  return observations.filter(
    (_observation, at) =>
      (first === null && last === null) ||
      (first !== null && at < first) ||
      (last !== null && at >= length - last),
  )
}

type ToMessage = (answer: SdmxAnswer) => ReturnType<typeof toJsonMessage>

const BY_FORMAT: Readonly<Record<string, ToMessage>> = {
  jsondata: toJsonMessage,
  csvdata: toCsvMessage,
  csv: toCsvMessage,
}

const BY_MEDIA_TYPE: Readonly<Record<string, ToMessage>> = {
  'application/vnd.sdmx.data+json': toJsonMessage,
  'application/json': toJsonMessage,
  'application/vnd.sdmx.data+csv': toCsvMessage,
  'text/csv': toCsvMessage,
  '*/*': toJsonMessage,
  '': toJsonMessage,
}

/** The form of the parameter `format`, else the first one of the header Accept. Throws 406 for other forms and versions. */
function messageOf(query: URLSearchParams, accept: string): ToMessage {
  const format = query.get('format')
  const forms =
    format === null
      ? accept.split(',').map((entry) => {
          const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
          const version = parameters.find((parameter) => parameter.startsWith('version='))
          return version === undefined || version === 'version=1.0.0' ? BY_MEDIA_TYPE[type] : undefined
        })
      : [BY_FORMAT[format.toLowerCase()]]
  const form = forms.find((known) => known !== undefined)
  if (form === undefined) throw new ApiError('not_acceptable')
  return form
}
