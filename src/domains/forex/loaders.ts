import { groupBy } from '../../core/group-by.js'
import { daysBetween, type IsoDate } from '../../core/time.js'
import { defineLoader, defineSharedLoader } from '../../platform/request/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { type DatedRate, loadRates } from './store.js'

/** The rates of a currency from one day to another, both included. */
export interface RatesKey {
  readonly quote: string
  readonly from: IsoDate
  readonly to: IsoDate
  /** Gives what was known at that instant; null: what is known now. */
  readonly asOf: Date | null
}

function rangeText({ from, to, asOf }: RatesKey): string {
  return `${from} ${to} ${asOf?.getTime()}`
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

/** A range of more days has a statement of its own, so that its rows hold up no other. */
const MAX_SHARED_DAYS = 400

const ofShortRange = defineSharedLoader({ load, keyText, batchKey: rangeText })
const ofLongRange = defineLoader(load, keyText)

/** Rates of a currency and range, ordered by day; an empty list where there are none. */
export function ratesOf(key: RatesKey, context: RequestContext): Promise<readonly DatedRate[] | null> {
  const isShort = daysBetween(key.from, key.to) <= MAX_SHARED_DAYS
  return (isShort ? ofShortRange : ofLongRange)(context).load(key)
}
