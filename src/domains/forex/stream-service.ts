import type { Given } from '../../core/argument-readers.js'
import { Problems } from '../../core/problems.js'
import { isoDateOf } from '../../core/time.js'
import { followRows, liveOf } from '../../platform/request/follow-dataset.js'
import { followedSince, type KnownPlace, readKnownCursor } from '../../platform/request/known-place.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { knownCurrencies, readCurrencyList, refuseEmpty } from './currency-service.js'
import { FOREX_BASE } from './model.js'
import { type KnownRate, readKnownRates } from './store.js'

export interface RatesStreamQuery {
  readonly quotes: readonly string[]
  /** The last event that the reader has; null: only what becomes known from now on. */
  readonly after: KnownPlace | null
}

/** A rate that became known. */
export type RateEvent = KnownRate & KnownPlace

/** Checks the arguments; 422 names every wrong one, 503 while there are no rates. */
export async function checkRatesStream(
  args: { readonly quote?: Given<readonly string[]>; readonly cursor?: Given<string> },
  context: RequestContext,
): Promise<RatesStreamQuery> {
  const known = await knownCurrencies(context)
  refuseEmpty(known)
  const problems = new Problems()
  const after = readKnownCursor(problems, args.cursor, context.now)
  const base = { field: 'base', code: FOREX_BASE }
  const quotes =
    args.quote == null ? [...known.keys()] : readCurrencyList(problems, known, 'quote', args.quote, base)
  problems.refuse()
  return { quotes, after }
}

/** Rates of the last two weeks as they become known: those of a new day, and revisions. */
export function openRatesStream(
  { quotes, after }: RatesStreamQuery,
  context: RequestContext,
): Promise<AsyncGenerator<RateEvent, void>> {
  return followRows(liveOf(context), 'forex', after, async (now) => {
    const rates = await readKnownRates(context.database, quotes, isoDateOf(followedSince(now)))
    return rates.map((rate) => ({ ...rate, key: `${rate.date} ${rate.quote}` }))
  })
}
