import {
  type AsOfArguments,
  type Given,
  parseAsOfArgument,
  parseDate,
  parseOrder,
} from '../../core/argument-parsers.js'
import type { AsOf } from '../../core/as-of.js'
import { decimal, inverseRate, toJsonNumber } from '../../core/decimal.js'
import { parseCurrencyCode } from '../../core/identifiers.js'
import { Problems } from '../../core/problems.js'
import { addDays, daysBetween, endOfDay, type IsoDate, toIsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { currenciesKnownAt, findCurrency } from './currency-service.js'
import { loadCurrencyRates, rateVersionsLoader } from './loaders.js'
import { FOREX_BASE } from './model.js'
import type { DatedRate, RateVersion } from './store.js'

/** A query without `from` begins this many days before today. */
const DEFAULT_DAYS = 30

export interface ForexQuery {
  readonly quote: string
  readonly from: IsoDate
  readonly to: IsoDate
  readonly inverse: boolean
  readonly asOf: AsOf | null
}

export interface ForexRates {
  readonly base: string
  readonly quote: string
  readonly data: readonly DatedRate[]
  /** Last day with a rate if the currency has ended. Null while it is quoted. */
  readonly endedOn: string | null
}

/** Checks the arguments. The 422 names every wrong one. The quoted currencies come from the data. */
export async function checkForexQuery(
  args: {
    readonly base?: Given<string>
    readonly quote: string
    readonly from?: Given<string>
    readonly to?: Given<string>
    readonly inverse?: Given<boolean>
  } & AsOfArguments,
  context: RequestContext,
): Promise<ForexQuery> {
  const problems = new Problems()
  const base = args.base ?? FOREX_BASE
  if (base.toUpperCase() !== FOREX_BASE) problems.add('base', explainBase(base))
  const { from, to } = parseRateDays(problems, args, context)
  const asOf = parseAsOfArgument(problems, args, context.now)
  // With a wrong base the quote is usually EUR: the message about the base says what to request, so the quote is not checked.
  problems.refuse()
  const { code } = await findCurrency('quote', args.quote, context)
  return { quote: code, from, to, inverse: args.inverse ?? false, asOf }
}

/** The range of days of a query: by default the last 30 days. The answer is valid until midnight if a day depends on today. */
export function parseRateDays(
  problems: Problems,
  args: { readonly from?: Given<string>; readonly to?: Given<string> },
  { now, validity }: RequestContext,
): { readonly from: IsoDate; readonly to: IsoDate } {
  if (args.from == null || args.to == null) validity?.endsBy(endOfDay(now))
  const today = toIsoDate(now)
  const to = parseDate(problems, 'to', args.to) ?? today
  const given = parseDate(problems, 'from', args.from)
  const from = given ?? addDays(today, -DEFAULT_DAYS)
  if (args.from == null && from > to)
    problems.add(
      'from',
      `is needed because to is before its default ${from}, 30 days before today; got to ${to}`,
    )
  if (given !== null) parseOrder(problems, given, to)
  return { from, to }
}

/** The first day on which the European Central Bank published rates. */
const FIRST_DAY = '1999-01-04'

/** Upper bound of the publication days in a range: no weekends, no day before the first publication or in the future. */
export function maxPublicationDays(from: IsoDate, to: IsoDate, now: Date): number {
  const today = toIsoDate(now)
  const first = from > FIRST_DAY ? from : (FIRST_DAY as IsoDate) // safe: the constant is a calendar day
  const days = daysBetween(first, to < today ? to : today) + 1
  return Math.max(0, Math.ceil((days * 5) / 7) + 2)
}

function explainBase(base: string): string {
  const code = parseCurrencyCode(base)
  const instead = code ? `. For ${code} to EUR, set quote to ${code} and inverse to true` : ''
  return `must be EUR because the European Central Bank quotes only against the euro${instead}`
}

/** Rates on the publication days of the range, oldest first. */
export async function getForex(query: ForexQuery, context: RequestContext): Promise<ForexRates> {
  const data = (await loadCurrencyRates(query, context)) ?? []
  // Read again: since the check another day may have been published, and the rates above include it.
  const endedOn = (await currenciesKnownAt(query.asOf, context)).get(query.quote)?.endedOn ?? null
  const rates = { base: FOREX_BASE, quote: query.quote, data, endedOn }
  return query.inverse ? invertRates(rates) : rates
}

/** The inverse rates of the same days: 1/rate to six significant digits. The source does not publish them. */
export function invertRates(rates: ForexRates): ForexRates {
  return {
    ...rates,
    base: rates.quote,
    quote: rates.base,
    data: rates.data.map(({ date, rate }) => ({ date, rate: toJsonNumber(inverseRate(decimal(rate))) })),
  }
}

/** The versions of the newest of the rates, oldest first; inverse ones for inverse rates. */
export async function listRateVersions(
  { base, quote, data }: ForexRates,
  context: RequestContext,
): Promise<RateVersion[]> {
  const newest = data.at(-1)
  if (newest === undefined) return []
  const isInverse = base !== FOREX_BASE
  const key = { quote: isInverse ? base : quote, date: newest.date }
  const versions = (await rateVersionsLoader(context).load(key)) ?? []
  if (!isInverse) return [...versions]
  return versions.map((version) => ({ ...version, rate: toJsonNumber(inverseRate(decimal(version.rate))) }))
}
