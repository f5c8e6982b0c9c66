import { type Given, readDate, readOrder } from '../../core/argument-readers.js'
import { decimal, inverseRate, toJsonNumber } from '../../core/decimal.js'
import { ApiError, invalid } from '../../core/errors.js'
import { explainCurrencyCode, parseCurrencyCode } from '../../core/identifiers.js'
import { Problems } from '../../core/problems.js'
import { suggest } from '../../core/suggest.js'
import { addDays, daysBetween, endOfDay, type IsoDate, isoDateOf, parseIsoDate } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { ratesOf } from './loaders.js'
import { FOREX_BASE } from './model.js'
import { type CurrencySpan, readCurrencies } from './store.js'

/** Days before today that a query without `from` begins. */
const DEFAULT_DAYS = 30

export interface ForexQuery {
  readonly quote: string
  readonly from: IsoDate
  readonly to: IsoDate
  readonly inverse: boolean
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
  },
  context: RequestContext,
): Promise<ForexQuery> {
  const problems = new Problems()
  const base = args.base ?? FOREX_BASE
  if (base.toUpperCase() !== FOREX_BASE) problems.add('base', onlyEuro(base))
  const today = isoDateOf(context.now)
  if (args.to == null) context.validity?.endsBy(endOfDay(context.now))
  const to = readDate(problems, 'to', args.to) ?? today
  const from = readDate(problems, 'from', args.from) ?? addDays(to, -DEFAULT_DAYS)
  readOrder(problems, from, to)
  // With a wrong base the quote is usually EUR itself, and the first message says how to ask.
  problems.refuse()
  const { quote } = await findCurrency(args.quote, context)
  return { quote, from, to, inverse: args.inverse ?? false }
}

/** The first day on which the European Central Bank published rates. */
const FIRST_DAY = '1999-01-04'

/** Days of a range on which rates can have been published: no weekend, none before the first, none in the future. */
export function publicationDaysAtMost(from: IsoDate, to: IsoDate, now: Date): number {
  const today = isoDateOf(now)
  const first = from > FIRST_DAY ? from : (FIRST_DAY as IsoDate) // a calendar day as it is written there
  const days = daysBetween(first, to < today ? to : today) + 1
  return Math.max(0, Math.ceil((days * 5) / 7) + 2)
}

function onlyEuro(base: string): string {
  const code = parseCurrencyCode(base)
  const instead = code ? `; for ${code} to EUR ask quote=${code}&inverse=true` : ''
  return `must be EUR: the European Central Bank quotes against the euro only${instead}`
}

interface KnownCurrency {
  readonly quote: string
  readonly endedOn: string | null
}

async function findCurrency(text: string, context: RequestContext): Promise<KnownCurrency> {
  const code = parseCurrencyCode(text)
  if (code === null) {
    throw invalid({ field: 'quote', message: explainCurrencyCode(text) ?? 'must be a currency code' })
  }
  const known = await knownCurrencies(context)
  if (known.size === 0)
    throw new ApiError('service_unavailable', {
      message: 'The dataset forex is empty: nothing was ingested yet.',
    })
  const found = known.get(code)
  if (found) return found
  const near = suggest(code, [...known.keys()])
  const hint = near ? `; did you mean ${near}?` : ''
  throw invalid({
    field: 'quote',
    message: `must be a currency the European Central Bank quotes; got ${code}${hint}`,
  })
}

/** A currency without a rate for this long has ended: the longest gap of a live one is a few holidays. */
const ENDED_AFTER_DAYS = 14

interface KnownCurrencies {
  readonly version: number
  readonly currencies: Promise<ReadonlyMap<string, KnownCurrency>>
}

const knownByDatabase = new WeakMap<Database['identity'], KnownCurrencies>()

/** Currencies in the data, read once per version of the dataset. */
function knownCurrencies(context: RequestContext): Promise<ReadonlyMap<string, KnownCurrency>> {
  const version = context.datasets.get('forex')?.version ?? 0
  const { identity } = context.database
  const known = knownByDatabase.get(identity)
  if (known?.version === version) return known.currencies
  const currencies = readCurrencies(context.database, null).then(withEnds)
  knownByDatabase.set(identity, { version, currencies })
  currencies.catch(() => knownByDatabase.delete(identity)) // the next request asks again
  return currencies
}

function withEnds(spans: readonly CurrencySpan[]): ReadonlyMap<string, KnownCurrency> {
  const newestDay = parseIsoDate(
    spans
      .map((span) => span.lastDate)
      .sort()
      .at(-1) ?? '',
  )
  const liveSince = newestDay ? addDays(newestDay, -ENDED_AFTER_DAYS) : ''
  return new Map(
    spans.map(({ quote, lastDate }) => [quote, { quote, endedOn: lastDate < liveSince ? lastDate : null }]),
  )
}

/** Rates of the range on publication days, oldest first. */
export async function getForex(query: ForexQuery, context: RequestContext): Promise<ForexRates> {
  const data = (await ratesOf(query, context)) ?? []
  // Of this run's own data, as the rates are: since the check another day may have been published.
  const endedOn = (await knownCurrencies(context)).get(query.quote)?.endedOn ?? null
  const rates = { base: FOREX_BASE, quote: query.quote, data, endedOn }
  return query.inverse ? inverseOf(rates) : rates
}

/** The same days the other way round: 1/rate to six significant digits, computed here and not published by the source. */
export function inverseOf(rates: ForexRates): ForexRates {
  return {
    ...rates,
    base: rates.quote,
    quote: rates.base,
    data: rates.data.map(({ date, rate }) => ({ date, rate: toJsonNumber(inverseRate(decimal(rate))) })),
  }
}
