import { type Given, parseAsOfArgument, parseDate, parseOrder } from '../../core/argument-parsers.js'
import { decimal, inverseRate, toJsonNumber } from '../../core/decimal.js'
import { parseCurrencyCode } from '../../core/identifiers.js'
import { Problems } from '../../core/problems.js'
import { addDays, daysBetween, endOfDay, type IsoDate, toIsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { currenciesKnownAt, findCurrency } from './currency-service.js'
import { ratesOf } from './loaders.js'
import { FOREX_BASE } from './model.js'

/** Days before `to` that a query without `from` begins. */
export const DEFAULT_DAYS = 30

export interface ForexQuery {
  readonly quote: string
  readonly from: IsoDate
  readonly to: IsoDate
  readonly inverse: boolean
  readonly asOf: Date | null
}

export interface ForexRates {
  readonly base: string
  readonly quote: string
  readonly data: readonly { readonly date: string; readonly rate: number }[]
  /** Last day with a rate, where the currency has ended; null while it is quoted. */
  readonly endedOn: string | null
}

/**
 * Checks the arguments; 422 names every wrong one. Which currencies there are comes from the data.
 */
export async function checkForexQuery(
  args: {
    readonly base?: Given<string>
    readonly quote: string
    readonly from?: Given<string>
    readonly to?: Given<string>
    readonly inverse?: Given<boolean>
    readonly as_of?: Given<Date>
  },
  context: RequestContext,
): Promise<ForexQuery> {
  const problems = new Problems()
  const base = args.base ?? FOREX_BASE
  if (base.toUpperCase() !== FOREX_BASE) problems.add('base', onlyEuro(base))
  const today = toIsoDate(context.now)
  if (args.to == null) context.validity?.endsBy(endOfDay(context.now))
  const to = parseDate(problems, 'to', args.to) ?? today
  const from = parseDate(problems, 'from', args.from) ?? addDays(to, -DEFAULT_DAYS)
  parseOrder(problems, from, to)
  const asOf = parseAsOfArgument(problems, args.as_of, context.now)
  // With a wrong base the quote is usually EUR itself, and the first message says how to ask.
  problems.refuse()
  const { code } = await findCurrency('quote', args.quote, context)
  return { quote: code, from, to, inverse: args.inverse ?? false, asOf }
}

/** The first day on which the European Central Bank published rates. */
const FIRST_DAY = '1999-01-04'

/** Days of a range on which rates can have been published: no weekend, none before the first, none in the future. */
export function publicationDaysAtMost(from: IsoDate, to: IsoDate, now: Date): number {
  const today = toIsoDate(now)
  const first = from > FIRST_DAY ? from : (FIRST_DAY as IsoDate) // a calendar day as it is written there
  const days = daysBetween(first, to < today ? to : today) + 1
  return Math.max(0, Math.ceil((days * 5) / 7) + 2)
}

function onlyEuro(base: string): string {
  const code = parseCurrencyCode(base)
  const instead = code ? `; for ${code} to EUR ask quote=${code}&inverse=true` : ''
  return `must be EUR: the European Central Bank quotes against the euro only${instead}`
}

/** Rates of the range on publication days, oldest first. */
export async function getForex(query: ForexQuery, context: RequestContext): Promise<ForexRates> {
  const data = (await ratesOf(query, context)) ?? []
  // Of this run's own data, as the rates are: since the check another day may have been published.
  const endedOn = (await currenciesKnownAt(query.asOf, context)).get(query.quote)?.endedOn ?? null
  const rates = { base: FOREX_BASE, quote: query.quote, data, endedOn }
  return query.inverse ? invertRates(rates) : rates
}

/** The same days the other way round: 1/rate to six significant digits, computed here and not published by the source. */
export function invertRates(rates: ForexRates): ForexRates {
  return {
    ...rates,
    base: rates.quote,
    quote: rates.base,
    data: rates.data.map(({ date, rate }) => ({ date, rate: toJsonNumber(inverseRate(decimal(rate))) })),
  }
}
