import { type AsOfArguments, type Given, parseAsOfArgument } from '../../core/argument-parsers.js'
import type { AsOf } from '../../core/as-of.js'
import { type Decimal, toJsonNumber } from '../../core/decimal.js'
import { Problems } from '../../core/problems.js'
import type { IsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { crossRate, EURO_RATE, type RateMethod, rateMethodOf } from './cross-rate.js'
import {
  assertCurrenciesKnown,
  currenciesKnownAt,
  currenciesQuotedIn,
  knownCurrencies,
  parseCurrency,
  parseCurrencyList,
} from './currency-service.js'
import { FOREX_BASE } from './model.js'
import { maxPublicationDays, parseRateDays } from './service.js'
import { type ExactRate, loadExactRates } from './store.js'

export interface CrossQuery {
  readonly base: string
  readonly quotes: readonly string[]
  readonly from: IsoDate
  readonly to: IsoDate
  readonly asOf: AsOf | null
}

/** A rate of one day with the two published rates that it is computed from. */
export interface CrossRate {
  readonly date: IsoDate
  readonly quote: string
  readonly rate: number
  readonly method: RateMethod
  /** Units per EUR; 1 for EUR itself. */
  readonly baseRate: number
  readonly quoteRate: number
}

export interface CrossRates {
  readonly base: string
  readonly currencies: readonly { readonly currency: string; readonly endedOn: string | null }[]
  readonly rates: readonly CrossRate[]
}

/** Enough for all days of one currency, or for a month of all of them. More would block other requests while written. */
const MAX_ROWS = 10_000

/** Checks the arguments. The 422 names every wrong one. */
export async function checkCrossQuery(
  args: {
    readonly base: string
    readonly quote?: Given<readonly string[]>
    readonly from?: Given<string>
    readonly to?: Given<string>
  } & AsOfArguments,
  context: RequestContext,
): Promise<CrossQuery> {
  const known = await knownCurrencies(context)
  assertCurrenciesKnown(known)
  const problems = new Problems()
  const base = parseCurrency(problems, known, 'base', args.base)
  const { from, to } = parseRateDays(problems, args, context)
  const quotes =
    args.quote == null
      ? currenciesQuotedIn(known, { from, to }).filter((code) => code !== base)
      : parseCurrencyList(problems, known, 'quote', args.quote, { field: 'base', code: base })
  const asOf = parseAsOfArgument(problems, args, context.now)
  const query = { base: base ?? FOREX_BASE, quotes, from, to, asOf }
  const rows = maxCrossRows(query, context.now)
  if (rows > MAX_ROWS) {
    const message = `must give at most ${MAX_ROWS} rates; ${quotes.length} currencies over this range give up to ${rows}. Name fewer currencies or a shorter range`
    problems.add('quote', message)
  }
  problems.refuse()
  return query
}

export function maxCrossRows({ quotes, from, to }: CrossQuery, now: Date): number {
  return quotes.length * maxPublicationDays(from, to, now)
}

/** Rates on the days with rates of both currencies, oldest first. The currencies of a day are in the requested order. */
export async function getCrossRates(query: CrossQuery, context: RequestContext): Promise<CrossRates> {
  const { base, quotes, from, to, asOf } = query
  const requested = [base, ...quotes].filter((code) => code !== FOREX_BASE)
  const [found, known] = await Promise.all([
    loadExactRates(context.database, { quotes: requested, from, to, asOf }),
    currenciesKnownAt(asOf, context),
  ])
  const byDay = new Map([...found].map(([code, rates]) => [code, ratesByDay(rates)]))
  const days = [...new Set([...found.values()].flatMap((rates) => rates.map(({ date }) => date)))].sort()
  const rateOf = (code: string, date: IsoDate) =>
    code === FOREX_BASE ? EURO_RATE : byDay.get(code)?.get(date)
  const rates = days.flatMap((date) => {
    const baseRate = rateOf(base, date)
    if (baseRate === undefined) return []
    return quotes.flatMap((quote) => {
      const quoteRate = rateOf(quote, date)
      return quoteRate === undefined ? [] : [toCrossRate({ date, base, quote, baseRate, quoteRate })]
    })
  })
  const currencies = requested.map((currency) => ({
    currency,
    endedOn: known.get(currency)?.endedOn ?? null,
  }))
  return { base, currencies, rates }
}

function ratesByDay(rates: readonly ExactRate[]): ReadonlyMap<IsoDate, Decimal> {
  return new Map(rates.map(({ date, rate }) => [date, rate]))
}

function toCrossRate(pair: {
  readonly date: IsoDate
  readonly base: string
  readonly quote: string
  readonly baseRate: Decimal
  readonly quoteRate: Decimal
}): CrossRate {
  const { date, base, quote, baseRate, quoteRate } = pair
  return {
    date,
    quote,
    rate: toJsonNumber(crossRate(base, baseRate, quoteRate)),
    method: rateMethodOf(base, quote),
    baseRate: toJsonNumber(baseRate),
    quoteRate: toJsonNumber(quoteRate),
  }
}
