import { ApiError, notFound } from '../../../core/errors.js'
import { type IsoDate, isCalendarDay } from '../../../core/time.js'
import type { TranslatedCall } from '../compat-interface.js'
import CURRENCIES from './currencies.json' with { type: 'json' }

export const EURO = 'EUR'

/** A rate is used for so many days after its publication when the day itself has none. */
export const CARRIED_DAYS = 14

/** A currency as Frankfurter names it. */
export interface NamedCurrency {
  readonly code: string
  /** ISO 4217. */
  readonly numeric: string
  readonly name: string
  readonly symbol: string | null
}

/** The currencies that the European Central Bank quotes or has quoted, and the euro. */
export const NAMED_CURRENCIES: ReadonlyMap<string, NamedCurrency> = new Map(
  CURRENCIES.map((currency) => [currency.code, currency]),
)

/** The rates of one publication day, in units per euro. */
export interface DayRates {
  readonly date: string
  readonly baseRate: number
  readonly quotes: readonly (readonly [code: string, rate: number])[]
}

interface RatesWanted {
  readonly base: string
  /** Null for all currencies. */
  readonly quotes: readonly string[] | null
  readonly from: IsoDate
  /** Null for today. */
  readonly to: IsoDate | null
}

/** The part of the answer of `forex_cross` that is used. */
interface CrossAnswer {
  readonly data: {
    readonly rates: readonly {
      readonly date: string
      readonly quote: string
      readonly base_rate: number
      readonly quote_rate: number
    }[]
  }
}

/** The call that reads published rates. */
export function callRates({
  base,
  quotes,
  from,
  to,
}: RatesWanted): Pick<TranslatedCall, 'operation' | 'args'> {
  const others = quotes?.filter((code) => code !== base) ?? []
  return {
    operation: 'forex_cross',
    args: {
      base,
      from,
      ...(others.length === 0 ? {} : { quote: [...new Set(others)].join(',') }),
      ...(to === null ? {} : { to }),
    },
  }
}

/** The days of the answer, oldest first; the quotes of a day are sorted by code. */
export function toDays(answer: unknown): readonly DayRates[] {
  const { rates } = (answer as CrossAnswer).data // the answer of our own operation
  const days = new Map<string, { baseRate: number; quotes: (readonly [string, number])[] }>()
  for (const { date, quote, base_rate, quote_rate } of rates) {
    const day = days.get(date) ?? { baseRate: base_rate, quotes: [] }
    days.set(date, day)
    day.quotes.push([quote, quote_rate])
  }
  return Array.from(days, ([date, { baseRate, quotes }]) => ({
    date,
    baseRate,
    quotes: quotes.sort(([a], [b]) => (a < b ? -1 : 1)),
  }))
}

/** The part of the answer of `forex_currencies` that is used. */
interface CurrenciesAnswer {
  readonly data: readonly {
    readonly currency: string
    readonly first_date: string
    readonly last_date: string
    readonly ended_on: string | null
  }[]
}

/** A currency with the days of its first and last rate. */
export interface QuotedCurrency extends NamedCurrency {
  readonly firstDate: string
  readonly lastDate: string
  readonly isQuoted: boolean
}

export const CURRENCIES_CALL = { operation: 'forex_currencies', args: {} } as const

/** The currencies of the answer and the euro, sorted by code. The euro has all days. */
export function toQuotedCurrencies(answer: unknown): readonly QuotedCurrency[] {
  const { data } = answer as CurrenciesAnswer // the answer of our own operation
  const quoted = data.map(({ currency, first_date: firstDate, last_date: lastDate, ended_on }) => ({
    ...namedCurrency(currency),
    ...{ firstDate, lastDate, isQuoted: ended_on === null },
  }))
  if (quoted.length === 0) return []
  const euro = {
    ...namedCurrency(EURO),
    firstDate: quoted.map(({ firstDate }) => firstDate).sort()[0] ?? '',
    lastDate:
      quoted
        .map(({ lastDate }) => lastDate)
        .sort()
        .at(-1) ?? '',
    isQuoted: true,
  }
  return [...quoted, euro].sort((a, b) => (a.code < b.code ? -1 : 1))
}

function namedCurrency(code: string): NamedCurrency {
  return NAMED_CURRENCIES.get(code) ?? { code, numeric: '', name: code, symbol: null }
}

/** No rate is older than the first day; days after the last one are as far ahead as days can be. */
const [FIRST_DAY, LAST_DAY] = ['1990-01-01', '2190-01-01'] as [IsoDate, IsoDate] // both are calendar days

/** Parses a day of the calendar; throws a 422 for other texts. A day of another century becomes the nearest one that has no rate. */
export function parseDay(text: string): IsoDate {
  if (!isCalendarDay(text)) throw refusal('invalid date')
  if (text < FIRST_DAY) return FIRST_DAY
  return text > LAST_DAY ? LAST_DAY : (text as IsoDate) // a day of the calendar, as checked
}

/** A 422 in the words of Frankfurter. */
export function refusal(message: string): ApiError {
  return new ApiError('validation_error', { message })
}

/** Splits a list of codes; empty ones are left out. */
export function splitCodes(text: string): readonly string[] {
  return text
    .toUpperCase()
    .split(',')
    .filter((code) => code !== '')
}

/** The provider of all rates, as Frankfurter describes it. */
export const PROVIDER = {
  key: 'ECB',
  name: 'European Central Bank',
  country_code: 'EU',
  rate_type: 'reference rate',
  pivot_currency: EURO,
  data_url:
    'https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html',
  terms_url: 'https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html',
  publish_cadence: 'daily',
} as const

/** Throws a 404 for the key of another provider. Returns whether the European Central Bank is named. */
export function namesProvider(list: string | null): boolean {
  if (list === null) return false
  const keys = splitCodes(list)
  if (keys.some((key) => key !== PROVIDER.key)) throw notFound('not found')
  return keys.length > 0
}
