import type { Given } from '../../core/argument-parsers.js'
import { Problems } from '../../core/problems.js'
import { toIsoDate } from '../../core/time.js'
import { followRows, liveOf } from '../../platform/request/follow-dataset.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import {
  followedSince,
  parseRevisionCursor,
  type RevisionCursor,
} from '../../platform/request/revision-cursor.js'
import { assertCurrenciesKnown, knownCurrencies, parseCurrencyList } from './currency-service.js'
import { FOREX_BASE, rateKey } from './model.js'
import { type KnownRate, loadKnownRates } from './store.js'

export interface RatesStreamQuery {
  readonly quotes: readonly string[]
  /** The last event that the subscriber has. Null starts with the next new rate. */
  readonly after: RevisionCursor | null
}

export type RateEvent = KnownRate & RevisionCursor

/** Checks the arguments. The 422 names every wrong one. An empty dataset is a 503. */
export async function checkRatesStream(
  args: { readonly quote?: Given<readonly string[]>; readonly cursor?: Given<string> },
  context: RequestContext,
): Promise<RatesStreamQuery> {
  const known = await knownCurrencies(context)
  assertCurrenciesKnown(known)
  const problems = new Problems()
  const after = parseRevisionCursor(problems, context.lastEventId ?? args.cursor, context.now)
  const base = { field: 'base', code: FOREX_BASE }
  const quotes =
    args.quote == null ? [...known.keys()] : parseCurrencyList(problems, known, 'quote', args.quote, base)
  problems.refuse()
  return { quotes, after }
}

/** Sends rates of the last two weeks when they become known: rates of a new day, and revisions. */
export function openRatesStream(
  { quotes, after }: RatesStreamQuery,
  context: RequestContext,
): Promise<AsyncGenerator<RateEvent, void>> {
  return followRows(liveOf(context), 'forex', after, async (now) => {
    const rates = await loadKnownRates(context.database.prisma, quotes, toIsoDate(followedSince(now)))
    return rates.map((rate) => ({ ...rate, key: rateKey({ quote: rate.quote, date: toIsoDate(rate.date) }) }))
  })
}
