import type { IsoDate } from '../../core/time.js'
import type { AssetClass } from '../assets/model.js'
import { hasSameFirstWord } from './company-model.js'
import { LISTED_EXCHANGES } from './listed-symbols-model.js'
import type { ListedPeriod } from './listed-symbols-store.js'
import type { MasterPeriod } from './symbol-store.js'

/** A security and the days on which it had a ticker. */
export interface SymbolPeriod {
  /** The requested ticker. */
  readonly ticker: string
  /** Null, as slug and class, for a security that is not in the instrument master. */
  readonly assetId: number | null
  readonly slug: string | null
  readonly assetClass: AssetClass | null
  readonly name: string
  readonly figi: string | null
  readonly isin: string | null
  readonly cik: string | null
  readonly mic: string | null
  /** The market as the SEC's list names it. Null if the period comes from the instrument master. */
  readonly exchange: string | null
  /** The markets (ISO 10383) that the security may be listed on. Empty without a market. */
  readonly markets: readonly string[]
  readonly validFrom: IsoDate | null
  readonly validTo: IsoDate | null
  readonly successor: string | null
  /** Whether a day comes from comparing the lists of two days. */
  readonly isObserved: boolean
  readonly source: string
}

/** The most periods of a ticker in a response, the latest first. */
export const MAX_PERIODS = 200

/**
 * The periods of the instrument master and those of the SEC's lists, each security once, the latest first. A security of the
 * master that the lists no longer have was delisted or moved, so its period ends.
 */
export function mergePeriods(
  masters: readonly MasterPeriod[],
  listed: readonly ListedPeriod[],
): readonly SymbolPeriod[] {
  const periods = listed.map(fromList)
  const own = masters.map(fromMaster)
  const merged = own.map((master) =>
    completed(
      master,
      periods.filter((one) => isSameSecurity(master, one)),
    ),
  )
  const others = periods.filter((one) => !own.some((master) => isSameSecurity(master, one)))
  return [...merged, ...others].toSorted(byEnd)
}

/** Whether two periods are of different securities that share a market and a day. */
export function contradicts(one: SymbolPeriod, other: SymbolPeriod): boolean {
  const isSame =
    one.assetId === null ? other.assetId === null && one.cik === other.cik : one.assetId === other.assetId
  return !isSame && sharesMarket(one, other) && sharesDay(one, other)
}

function fromMaster({ occurrence: _, ...period }: MasterPeriod): SymbolPeriod {
  const { mic } = period
  return { ...period, exchange: null, markets: mic === null ? [] : [mic], isObserved: false }
}

function fromList({
  requested,
  name,
  cik,
  validFrom,
  validTo,
  successor,
  source,
  ...one
}: ListedPeriod): SymbolPeriod {
  const known = LISTED_EXCHANGES.find(({ exchange }) => exchange === one.exchange)
  return {
    ...{ ticker: requested, name, cik, validFrom, validTo, successor, source },
    ...{ assetId: null, slug: null, assetClass: null, figi: null, isin: null },
    mic: known?.mic ?? null,
    exchange: one.exchange === '' ? null : one.exchange,
    markets: known?.markets ?? [],
    isObserved: true,
  }
}

/** Without a CIK the names must begin with the same word. A line without an exchange may be of any market. */
function isSameSecurity(master: SymbolPeriod, listed: SymbolPeriod): boolean {
  const isSameHolder =
    master.cik === null ? hasSameFirstWord(master.name, listed.name) : master.cik === listed.cik
  const isSameMarket = listed.exchange === null ? master.mic !== null : sharesMarket(master, listed)
  return isSameHolder && isSameMarket && sharesDay(master, listed)
}

/** The days that the master does not state come from the lists. */
function completed(master: SymbolPeriod, listed: readonly SymbolPeriod[]): SymbolPeriod {
  const [latest] = listed // the latest first
  if (latest === undefined) return master
  const begins = listed.map(({ validFrom }) => validFrom)
  const begin = begins.includes(null) ? null : (begins.toSorted()[0] ?? null)
  const validFrom = master.validFrom ?? begin
  const isEnded = master.validTo === null && latest.validTo !== null
  const isBegun = validFrom !== master.validFrom
  if (!isEnded && !isBegun) return master
  const end = isEnded ? { validTo: latest.validTo, successor: latest.successor } : {}
  return { ...master, validFrom, ...end, cik: latest.cik, isObserved: true, source: latest.source }
}

function sharesMarket(one: SymbolPeriod, other: SymbolPeriod): boolean {
  const isListed = ({ assetId }: SymbolPeriod) => assetId === null
  if (one.markets.length === 0 && other.markets.length === 0)
    return isListed(one) === isListed(other) && one.exchange === other.exchange
  return one.markets.some((market) => other.markets.includes(market))
}

/** A period whose first day is unknown counts as open to the past. */
function sharesDay(one: SymbolPeriod, other: SymbolPeriod): boolean {
  const beginsBeforeEnd = (a: SymbolPeriod, b: SymbolPeriod) =>
    a.validFrom === null || b.validTo === null || a.validFrom < b.validTo
  return beginsBeforeEnd(one, other) && beginsBeforeEnd(other, one)
}

function byEnd({ validTo: a }: SymbolPeriod, { validTo: b }: SymbolPeriod): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a > b ? -1 : 1
}
