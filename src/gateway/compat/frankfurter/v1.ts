import { notFound } from '../../../core/errors.js'
import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import type { CompatRequest, CompatRoute, TranslatedCall } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import {
  CARRIED_DAYS,
  CURRENCIES_CALL,
  callRates,
  type DayRates,
  EURO,
  NAMED_CURRENCIES,
  parseDay,
  refusal,
  splitCodes,
  toDays,
  toQuotedCurrencies,
} from './euro-rates.js'
import { roundRate } from './round-rate.js'

/** Version 1: the rates of the European Central Bank by date, with an amount. */
export const V1_ROUTES: readonly CompatRoute[] = [
  {
    path: '/v1/currencies',
    translate: () => ({
      ...CURRENCIES_CALL,
      toBody: (answer) =>
        jsonBody(
          Object.fromEntries(
            toQuotedCurrencies(answer).flatMap(({ code, name, isQuoted }) =>
              isQuoted ? [[code, name]] : [],
            ),
          ),
        ),
    }),
  },
  { path: '/v1/{days}', translate: translateDays },
]

/** A day, a range or an open range. */
const DAYS = /^(\d{4}-\d{2}-\d{2})(?:(\.\.)(\d{4}-\d{2}-\d{2})?)?$/

interface Conversion {
  readonly amount: number
  readonly base: string
  /** Null for all currencies. */
  readonly symbols: readonly string[] | null
}

function translateDays({ path, query, now }: CompatRequest): TranslatedCall {
  const days = path.days ?? ''
  const [, first, dots, last] = DAYS.exec(days) ?? []
  if (first === undefined && days !== 'latest' && days !== 'current') throw nothingFound()
  const conversion = parseConversion(query)
  if (dots === undefined) return translateDay(conversion, first === undefined ? null : parseDay(first), now)
  const to = last === undefined ? null : parseDay(last)
  return translateRange(conversion, { from: parseDay(first ?? ''), to }, now)
}

function nothingFound() {
  return notFound('not found')
}

/** Parameters that version 1 does not know are ignored. */
function parseConversion(query: URLSearchParams): Conversion {
  const amount = parseAmount(query.get('amount'))
  const base = query.get('from') ?? query.get('base')
  const list = query.get('to') ?? query.get('symbols')
  const symbols = list === null ? null : splitCodes(list)
  if (base !== null && symbols?.length === 1 && symbols[0] === base.toUpperCase())
    throw refusal('bad currency pair')
  return { amount, base: base?.toUpperCase() ?? EURO, symbols }
}

/** The number at the beginning of the text; underscores between digits are allowed. */
function parseAmount(text: string | null): number {
  if (text === null) return 1
  const amount = Number.parseFloat(text.replaceAll(/(?<=\d)_(?=\d)/g, ''))
  if (Number.isFinite(amount) && amount > 0) return amount
  throw refusal('invalid amount')
}

/** The newest publication day up to the day; null for today. */
function translateDay(conversion: Conversion, day: IsoDate | null, now: Date): TranslatedCall {
  const { amount, base } = conversion
  return {
    ...callKnown(conversion, addDays(day ?? toIsoDate(now), -CARRIED_DAYS), day),
    toBody: (answer) => {
      const newest = toDays(answer).at(-1)
      const rates = newest === undefined ? {} : convert(newest, conversion)
      if (newest === undefined || Object.keys(rates).length === 0) throw nothingFound()
      return jsonBody({ amount, base, date: newest.date, rates })
    },
  }
}

/** The publication days of a range. A range that begins on another day begins with the publication before it. */
function translateRange(
  conversion: Conversion,
  { from, to }: { readonly from: IsoDate; readonly to: IsoDate | null },
  now: Date,
): TranslatedCall {
  const { amount, base } = conversion
  const earliest = addDays(from, -CARRIED_DAYS)
  if (from > toIsoDate(now) || (to !== null && earliest > to)) throw nothingFound()
  return {
    ...callKnown(conversion, earliest, to),
    toBody: (answer) => {
      const days = toDays(answer)
      const begin = days.findLast(({ date }) => date <= from)?.date ?? from
      const inRange = days.flatMap((day) => {
        const rates = day.date < begin ? {} : convert(day, conversion)
        return Object.keys(rates).length === 0 ? [] : [[day.date, rates] as const]
      })
      const [first, last] = [inRange[0], inRange.at(-1)]
      if (first === undefined || last === undefined) throw nothingFound()
      const rates = Object.fromEntries(inRange)
      return jsonBody({ amount, base, start_date: first[0], end_date: last[0], rates })
    },
  }
}

/** Currencies that have no rate are left out of the call. Throws 404 if none is left. */
function callKnown({ base, symbols }: Conversion, from: IsoDate, to: IsoDate | null) {
  const quotes = symbols?.filter((code) => code !== base && NAMED_CURRENCIES.has(code)) ?? null
  if (!NAMED_CURRENCIES.has(base) || quotes?.length === 0) throw nothingFound()
  return callRates({ base, quotes, from, to })
}

/**
 * The amount in other currencies, by code. Frankfurter rounds the rates before it divides them by that of the base, and leaves
 * the digits of the European Central Bank for one euro.
 */
function convert(day: DayRates, { amount, base }: Conversion): Readonly<Record<string, number>> {
  if (base === EURO && amount === 1) return Object.fromEntries(day.quotes)
  const scaled = (code: string, rate: number) => (code === EURO ? amount : roundFinite(amount * rate))
  const divisor = base === EURO ? null : scaled(base, day.baseRate)
  return Object.fromEntries(
    day.quotes.map(([code, rate]) => {
      const value = scaled(code, rate)
      const converted = divisor === null ? value : roundFinite((amount * value) / divisor)
      return [code, converted]
    }),
  )
}

/** Throws a 422 for an amount that is too large or too small for the rates. */
function roundFinite(value: number): number {
  if (!Number.isFinite(value)) throw refusal('invalid amount')
  return roundRate(value)
}
