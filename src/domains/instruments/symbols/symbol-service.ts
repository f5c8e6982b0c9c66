import {
  type AsOfArguments,
  type Given,
  parseAsOfArgument,
  parseDate,
  parseMicArgument,
  parseTickerArgument,
} from '../../../core/argument-parsers.js'
import type { AsOf } from '../../../core/as-of.js'
import { notFound } from '../../../core/errors.js'
import type { Mic, Ticker } from '../../../core/identifiers.js'
import { Problems } from '../../../core/problems.js'
import type { IsoDate } from '../../../core/time.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { periodsOfTicker } from '../loaders.js'
import { contradicts, type SymbolPeriod } from './symbol-periods.js'

/** A ticker, and the day and market that the securities are limited to. */
export interface SymbolQuery {
  readonly ticker: Ticker
  /** Null for every day. */
  readonly on: IsoDate | null
  /** Null for every market. */
  readonly mic: Mic | null
  /** Null for what is known now. */
  readonly asOf: AsOf | null
}

/** A period of a ticker, compared with the others of the response. */
export interface ComparedPeriod extends SymbolPeriod {
  /** Whether another security has the ticker on the same market on a day of this period. */
  readonly isContradicted: boolean
}

/** Parses the arguments; a 422 names every wrong one. */
export function parseSymbolQuery(
  args: {
    readonly ticker: string
    readonly on?: Given<string>
    readonly mic?: Given<string>
  } & AsOfArguments,
  { now }: { readonly now: Date },
): SymbolQuery {
  const problems = new Problems()
  const ticker = parseTickerArgument(problems, args.ticker)
  const on = parseDate(problems, 'on', args.on)
  const mic = parseMicArgument(problems, args.mic)
  const asOf = parseAsOfArgument(problems, args, now)
  problems.refuse()
  if (ticker === null) throw new Error('a ticker is null only with a problem')
  return { ticker, on, mic, asOf }
}

/**
 * Every security that had a ticker, the latest first. A 404 if none is known. Two securities that have the ticker on one market
 * on the same day contradict each other; both are returned.
 */
export async function listSymbolPeriods(
  { ticker, on, mic, asOf }: SymbolQuery,
  context: RequestContext,
): Promise<readonly ComparedPeriod[]> {
  const all = (await periodsOfTicker(context).load({ ticker, asOf })) ?? []
  const compared = all.map((period) => ({
    ...period,
    isContradicted: all.some((other) => contradicts(period, other)),
  }))
  const found = compared.filter(
    (period) => (on === null || includesDay(period, on)) && (mic === null || period.markets.includes(mic)),
  )
  if (found.length > 0) return found
  const where = `${on === null ? '' : ` on ${on}`}${mic === null ? '' : ` on the market ${mic}`}`
  const others =
    all.length === 0
      ? ''
      : ` ${all.length === 1 ? 'One security' : `${all.length} securities`} had it at another time or market.`
  throw notFound(
    (name) =>
      `No known security had the ticker ${ticker}${where}.${others} Use ${all.length === 0 ? name('asset_search', { q: ticker }) : name('symbol', { ticker })} to find it.`,
  )
}

/** A period whose first day is unknown counts as open to the past. */
function includesDay({ validFrom, validTo }: SymbolPeriod, day: IsoDate): boolean {
  return (validFrom === null || validFrom <= day) && (validTo === null || day < validTo)
}
