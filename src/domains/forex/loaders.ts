import { type AsOf, asOfText } from '../../core/as-of.js'
import { daysBetween, type IsoDate } from '../../core/time.js'
import {
  defineLoader,
  defineSharedLoader,
  groupedLoad,
} from '../../platform/request/loaders/define-loader.js'
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

const RATES = groupedLoad<RatesKey, readonly DatedRate[]>({
  groupText: rangeText,
  itemText: ({ quote }) => quote,
  load: async (keys, { database }) => {
    const [{ from, to, asOf }] = keys
    const quotes = keys.map(({ quote }) => quote)
    const rates = await loadRates(database, { quotes, from, to, asOf })
    return quotes.map((quote) => rates.get(quote) ?? [])
  },
})

/** A longer range is loaded by a separate statement, so that its rows do not delay other requests. */
const MAX_SHARED_DAYS = 400

const shortRangeRates = defineSharedLoader({ ...RATES, batchKey: rangeText })
const longRangeRates = defineLoader(RATES.load, RATES.keyText)

/** Rates of a currency in a range, ordered by day. Empty without any. */
export function loadCurrencyRates(
  key: RatesKey,
  context: RequestContext,
): Promise<readonly DatedRate[] | null> {
  const isShort = daysBetween(key.from, key.to) <= MAX_SHARED_DAYS
  return (isShort ? shortRangeRates : longRangeRates)(context).load(key)
}

/** The versions of a rate, oldest first. All rates of a response share one statement. A caller with a clock gets those known then. */
export const rateVersionsLoader = defineLoader<RateKey, readonly RateVersion[]>(
  (keys, { database, clock }) => loadRateVersions(database, keys, clock?.at ?? null),
  rateKey,
)
