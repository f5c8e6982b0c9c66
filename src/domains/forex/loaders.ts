import { type AsOf, asOfText } from '../../core/as-of.js'
import { groupBy } from '../../core/group-by.js'
import { daysBetween, type IsoDate } from '../../core/time.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { type RateKey, rateKey } from './model.js'
import { type DatedRate, loadRates, loadRateVersions, type RateVersion } from './store.js'

/** A currency and a range of days, both ends included. */
export interface RatesKey {
  readonly quote: string
  readonly from: IsoDate
  readonly to: IsoDate
  /** Selects what was known at this instant. Null selects what is known now. */
  readonly asOf: AsOf | null
}

function rangeText({ from, to, asOf }: RatesKey): string {
  return `${from} ${to} ${asOfText(asOf)}`
}

function keyText(key: RatesKey): string {
  return `${key.quote} ${rangeText(key)}`
}

async function load(
  keys: readonly RatesKey[],
  context: RequestContext,
): Promise<ReadonlyMap<string, readonly DatedRate[]>> {
  const found = new Map<string, readonly DatedRate[]>()
  for (const group of groupBy(keys, rangeText).values()) {
    const [{ from, to, asOf }] = group
    const wanted = { quotes: group.map(({ quote }) => quote), from, to, asOf }
    const rates = await loadRates(context.database, wanted)
    for (const key of group) found.set(keyText(key), rates.get(key.quote) ?? [])
  }
  return found
}

/** A longer range is loaded by a separate statement, so that its rows do not delay other requests. */
const MAX_SHARED_DAYS = 400

const shortRangeRates = defineSharedLoader({ load, keyText, batchKey: rangeText })
const longRangeRates = defineLoader(load, keyText)

/** Rates of a currency in a range, ordered by day. Empty without any. */
export function loadCurrencyRates(
  key: RatesKey,
  context: RequestContext,
): Promise<readonly DatedRate[] | null> {
  const isShort = daysBetween(key.from, key.to) <= MAX_SHARED_DAYS
  return (isShort ? shortRangeRates : longRangeRates)(context).load(key)
}

/** The versions of a rate, oldest first. All rates of a response share one statement. A caller with a clock gets those known then. */
export const rateVersionsLoader = defineLoader<RateKey, readonly RateVersion[]>(async (keys, context) => {
  const versions = await loadRateVersions(context.database, keys, context.clock?.at ?? null)
  return new Map(keys.map((key, at) => [rateKey(key), versions[at] ?? []]))
}, rateKey)
