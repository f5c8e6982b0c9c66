import type { AsOf } from '../../core/as-of.js'
import { ApiError, type FieldProblem, invalid } from '../../core/errors.js'
import { explainCurrencyCode, parseCurrencyCode } from '../../core/identifiers.js'
import type { Problems } from '../../core/problems.js'
import { suggest } from '../../core/suggest.js'
import { addDays, type IsoDate, parseIsoDate } from '../../core/time.js'
import { memoizeByVersion } from '../../platform/request/loaders/memoize-by-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { FOREX_BASE } from './model.js'
import { type CurrencySpan, loadCurrencies } from './store.js'

/** A currency that has rates. */
export interface KnownCurrency {
  readonly code: string
  readonly firstDate: IsoDate
  readonly lastDate: IsoDate
  /** The last day with a rate if the currency has ended. Null while it is quoted. */
  readonly endedOn: IsoDate | null
}

export type KnownCurrencies = ReadonlyMap<string, KnownCurrency>

/** A currency without a rate for this long has ended. The longest gap of a quoted one is a few holidays. */
export const ENDED_AFTER_DAYS = 14

const currenciesOf = memoizeByVersion<null, KnownCurrencies>({
  datasetsOf: () => ['forex'],
  keyText: () => '',
  max: 1,
  read: async (_all, sql) => addEndDates(await loadCurrencies(sql, null)),
})

/** The currencies in the data, loaded once per version of the dataset. For a caller with a clock, those that were known then. */
export function knownCurrencies(context: RequestContext): Promise<KnownCurrencies> {
  const { clock } = context
  return clock === undefined ? currenciesOf(null, context) : currenciesKnownAt(clock, context)
}

/** The currencies with a rate from the first to the last day or before and after it, and the euro, sorted by code. */
export function currenciesQuotedIn(
  known: KnownCurrencies,
  { from, to }: { readonly from: IsoDate; readonly to: IsoDate },
): readonly string[] {
  const quoted = [...known.values()].filter(({ firstDate, lastDate }) => firstDate <= to && lastDate >= from)
  return [FOREX_BASE, ...quoted.map(({ code }) => code)].sort()
}

/** The currencies known at an instant, or now for null. */
export async function currenciesKnownAt(
  asOf: AsOf | null,
  context: RequestContext,
): Promise<KnownCurrencies> {
  return asOf === null ? knownCurrencies(context) : addEndDates(await loadCurrencies(context.database, asOf))
}

function addEndDates(spans: readonly CurrencySpan[]): KnownCurrencies {
  const newestDay = parseIsoDate(
    spans
      .map((span) => span.lastDate)
      .sort()
      .at(-1) ?? '',
  )
  const liveSince = newestDay ? addDays(newestDay, -ENDED_AFTER_DAYS) : ''
  return new Map(
    spans.map(({ quote, ...span }) => [
      quote,
      { code: quote, ...span, endedOn: span.lastDate < liveSince ? span.lastDate : null },
    ]),
  )
}

/** The currency with this code. A malformed or unquoted code is a 422, an empty dataset a 503. */
export async function findCurrency(
  field: string,
  text: string,
  context: RequestContext,
): Promise<KnownCurrency> {
  const malformed = explainCurrencyCode(text)
  if (malformed !== null) throw invalid({ field, message: malformed })
  const known = await knownCurrencies(context)
  assertCurrenciesKnown(known)
  const found = findKnownCurrency(known, field, text)
  if ('code' in found) return found
  throw invalid(found)
}

/** Throws a 503 while the dataset is empty. */
export function assertCurrenciesKnown(known: KnownCurrencies): void {
  if (known.size > 0) return
  throw new ApiError('service_unavailable', {
    message: 'The dataset forex is empty: nothing was ingested yet.',
  })
}

/** The code of the euro or of a quoted currency. For anything else it adds a problem and returns null. */
export function parseCurrency(
  problems: Problems,
  known: KnownCurrencies,
  field: string,
  text: string,
): string | null {
  if (parseCurrencyCode(text) === FOREX_BASE) return FOREX_BASE
  const found = findKnownCurrency(known, field, text)
  if ('code' in found) return found.code
  problems.add(found.field, found.message)
  return null
}

/** More than exist: the ECB quotes about thirty currencies at a time. */
const MAX_CURRENCIES = 50

/** Reads codes of distinct currencies other than `base`. An element may hold several codes, joined by commas. */
export function parseCurrencyList(
  problems: Problems,
  known: KnownCurrencies,
  field: string,
  given: readonly string[],
  base: { readonly field: string; readonly code: string | null },
): readonly string[] {
  const texts = given.flatMap((text) => text.split(','))
  if (texts.length > MAX_CURRENCIES) {
    problems.add(field, `must have at most ${MAX_CURRENCIES} currencies; got ${texts.length}`)
    return []
  }
  const codes = new Set<string>()
  for (const text of texts) {
    const code = parseCurrency(problems, known, field, text.trim())
    if (code === null) continue
    if (code === base.code) problems.add(field, `must differ from ${base.field}; got ${code} for both`)
    else if (codes.has(code)) problems.add(field, `must name each currency once; got ${code} more than once`)
    codes.add(code)
  }
  if (texts.length === 0) problems.add(field, 'must name at least one currency')
  return [...codes]
}

/** The currency with this code, or the problem with the code. */
function findKnownCurrency(
  known: KnownCurrencies,
  field: string,
  text: string,
): KnownCurrency | FieldProblem {
  const code = parseCurrencyCode(text)
  if (code === null) return { field, message: explainCurrencyCode(text) ?? 'must be a currency code' }
  const found = known.get(code)
  if (found) return found
  const near = suggest(code, [...known.keys()])
  const hint = near ? `; did you mean ${near}?` : ''
  return { field, message: `must be a currency that the European Central Bank quotes; got ${code}${hint}` }
}
