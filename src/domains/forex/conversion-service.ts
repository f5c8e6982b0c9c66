import {
  type AsOfArguments,
  type Given,
  parseAsOfArgument,
  parsePastDay,
  shownText,
} from '../../core/argument-parsers.js'
import { type AsOf, knownAtText } from '../../core/as-of.js'
import {
  type Decimal,
  type DecimalText,
  decimal,
  decimalText,
  ratioOfRates,
  roundPlaces,
  toJsonNumber,
} from '../../core/decimal.js'
import { Problems } from '../../core/problems.js'
import { addDays, endOfDay, type IsoDate, toIsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { crossRate, EURO_RATE, type RateMethod, rateMethodOf } from './cross-rate.js'
import {
  assertCurrenciesKnown,
  ENDED_AFTER_DAYS,
  type KnownCurrencies,
  knownCurrencies,
  parseCurrency,
  parseCurrencyList,
} from './currency-service.js'
import { FOREX_BASE } from './model.js'
import { type ExactRate, loadExactRates } from './store.js'

export interface ConversionQuery {
  readonly from: string
  readonly to: readonly string[]
  readonly amount: Decimal
  readonly date: IsoDate
  readonly asOf: AsOf | null
}

export interface Conversion {
  readonly currency: string
  /** Publication day of the rates used. */
  readonly date: IsoDate
  readonly rate: number
  readonly amount: DecimalText
  readonly method: RateMethod
  /** The rate of `from`, then the rate of `to`. EUR has no published rate. */
  readonly legs: readonly ExactRate[]
}

export interface Conversions {
  readonly from: string
  readonly amount: DecimalText
  readonly date: IsoDate
  readonly asOf: Date | null
  readonly conversions: readonly Conversion[]
}

/** A converted amount is rounded half up to the decimal places of a stored rate. */
export const AMOUNT_PLACES = 8

/** Enough for any sum of money: just below a quadrillion. */
const MAX_AMOUNT_DIGITS = 15

/** Checks the arguments. The 422 names every wrong one, and each currency that is not quoted on that day. */
export async function checkConversion(
  args: {
    readonly from: string
    readonly to: readonly string[]
    readonly amount?: Given<string>
    readonly date?: Given<string>
  } & AsOfArguments,
  context: RequestContext,
): Promise<ConversionQuery> {
  const known = await knownCurrencies(context)
  assertCurrenciesKnown(known)
  const problems = new Problems()
  const from = parseCurrency(problems, known, 'from', args.from)
  const to = parseCurrencyList(problems, known, 'to', args.to, { field: 'from', code: from })
  const amount = parseAmount(problems, args.amount ?? '1')
  if (args.date == null) context.validity?.endsBy(endOfDay(context.now))
  const date = parsePastDay(problems, 'date', args.date, context.now) ?? toIsoDate(context.now)
  const asOf = parseAsOfArgument(problems, args, context.now)
  for (const code of new Set(from === null ? to : [from, ...to])) {
    const reason = explainMissingRate(known, code, date)
    if (reason !== null) problems.add('date', reason)
  }
  problems.refuse()
  return { from: from ?? FOREX_BASE, to, amount, date, asOf }
}

function parseAmount(problems: Problems, text: string): Decimal {
  const message = `must be a decimal with at most ${MAX_AMOUNT_DIGITS} digits before the point and ${AMOUNT_PLACES} after it, such as 1250.50; got ${shownText(text)}`
  try {
    const amount = decimal(text)
    if (amount.e < MAX_AMOUNT_DIGITS && amount.decimalPlaces() <= AMOUNT_PLACES) return amount
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  problems.add('amount', message)
  return EURO_RATE
}

/** Why a currency cannot be converted on a day. Null if it was quoted then. */
function explainMissingRate(known: KnownCurrencies, code: string, date: IsoDate): string | null {
  const currency = known.get(code)
  if (currency === undefined) return null // the euro
  const { firstDate, endedOn } = currency
  if (date < firstDate) return `must not be before ${firstDate}, the first rate of ${code}; got ${date}`
  if (endedOn === null || date <= endedOn) return null
  return `must not be after ${endedOn}, the last rate of ${code}, which is no longer quoted; got ${date}`
}

/**
 * Converts with the rates of the newest day up to the requested one on which both currencies have a rate. It is a 422 if the
 * two weeks up to that day have no such day.
 */
export async function convert(query: ConversionQuery, context: RequestContext): Promise<Conversions> {
  const { from, to, amount, date, asOf } = query
  const quotes = [from, ...to].filter((code) => code !== FOREX_BASE)
  const range = { from: addDays(date, -ENDED_AFTER_DAYS), to: date }
  const found = await loadExactRates(context.database, { quotes, ...range, asOf })
  const problems = new Problems()
  const conversions = to.flatMap((currency) => {
    const legs = selectLegs(from, currency, found)
    if (legs !== null) return [toConversion(query, currency, legs)]
    const known = knownAtText(asOf)
    const pair = [from, currency].filter((code) => code !== FOREX_BASE).join(' and ')
    problems.add(
      'date',
      `must have a rate of ${pair}${known} in the ${ENDED_AFTER_DAYS} days up to it; got ${date}`,
    )
    return []
  })
  problems.refuse()
  return { from, amount: decimalText(amount), date, asOf: asOf?.at ?? null, conversions }
}

/** The rates of both currencies on the newest day that has both. Null if no day does. */
function selectLegs(
  from: string,
  to: string,
  found: ReadonlyMap<string, readonly ExactRate[]>,
): readonly ExactRate[] | null {
  const codes = [from, to].filter((code) => code !== FOREX_BASE)
  const [first = [], ...others] = codes.map((code) => found.get(code) ?? [])
  const date = first.findLast((rate) =>
    others.every((rates) => rates.some((other) => other.date === rate.date)),
  )?.date
  if (date === undefined) return null
  return codes.flatMap((code) => found.get(code)?.find((rate) => rate.date === date) ?? [])
}

function toConversion(
  { from, amount }: ConversionQuery,
  currency: string,
  legs: readonly ExactRate[],
): Conversion {
  const rateOf = (code: string) => legs.find(({ quote }) => quote === code)?.rate ?? EURO_RATE
  const [baseRate, quoteRate] = [rateOf(from), rateOf(currency)]
  // Uses the published rates, not the rounded cross rate, whose rounding error would grow with the amount.
  const converted = ratioOfRates(quoteRate, baseRate).times(amount)
  return {
    currency,
    date: (legs[0] as ExactRate).date, // safe: `from` and the target differ, so one of them is not EUR
    rate: toJsonNumber(crossRate(from, baseRate, quoteRate)),
    amount: decimalText(roundPlaces(converted, AMOUNT_PLACES)),
    method: rateMethodOf(from, currency),
    legs,
  }
}
