import type { IsoDate } from '../../../core/time.js'
import type { AssetClass } from '../../assets/model.js'
import { hasSameFirstWord } from '../company-model.js'
import type { FigiPeriod } from './figi-symbols-store.js'
import { LISTED_EXCHANGES, type ListedExchange } from './listed-symbols-model.js'
import type { ListedPeriod } from './listed-symbols-store.js'
import type { MasterPeriod } from './symbol-store.js'

/** A security and the days on which it had a ticker. */
export interface SymbolPeriod {
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
  /** The market as the SEC's list names it. Null if no list names it. */
  readonly exchange: string | null
  /** The markets (ISO 10383) that the security may be listed on. Empty without a market. */
  readonly markets: readonly string[]
  readonly validFrom: IsoDate | null
  readonly validTo: IsoDate | null
  readonly successor: string | null
  /** Whether a day comes from comparing the lists, or the answers of OpenFIGI, of two days. */
  readonly isObserved: boolean
  readonly source: string
}

/** The most periods of a ticker in a response, the latest first. */
export const MAX_PERIODS = 200

/** What each source has of a ticker. */
export interface PeriodsOfSources {
  readonly masters: readonly MasterPeriod[]
  readonly listed: readonly ListedPeriod[]
  readonly figis: readonly FigiPeriod[]
}

/**
 * The periods of the instrument master, of OpenFIGI and of the SEC's lists, each security once, the latest first. A security of
 * the master that the lists no longer have was delisted or moved, so its period ends; so does that of a ticker which its FIGI
 * no longer has. The lists come each day and the answers each week, so the lists complete a period first.
 */
export function mergePeriods({ masters, listed, figis }: PeriodsOfSources): readonly SymbolPeriod[] {
  const ofLists = listed.map(fromList).toSorted(byEnd)
  const ofFigis = figis.map(fromFigi).toSorted(byEnd)
  const ofMasters = masters.map(fromMaster)
  const isOfMaster = (one: SymbolPeriod) => ofMasters.some((master) => isSameAsset(master, one))
  const own = [...ofMasters, ...ofFigis.filter((one) => !isOfMaster(one))]
  const merged = own.map((one) => {
    const withLists = completed(
      one,
      ofLists.filter((other) => isSameSecurity(one, other)),
    )
    return completed(
      withLists,
      ofFigis.filter((other) => isSameAsset(one, other)),
    )
  })
  const others = ofLists.filter((one) => !own.some((other) => isSameSecurity(other, one)))
  return [...merged, ...others].toSorted(byEnd)
}

/** Whether two periods are of different securities that share a market and a day. */
export function contradicts(one: SymbolPeriod, other: SymbolPeriod): boolean {
  const isSame =
    one.assetId === null ? other.assetId === null && one.cik === other.cik : one.assetId === other.assetId
  return !isSame && sharesMarket(one, other) && sharesDay(one, other)
}

function fromMaster({ occurrence: _, ...period }: MasterPeriod): SymbolPeriod {
  const { mic, exchange } = period
  const markets = mic === null ? (findExchange(exchange)?.markets ?? []) : [mic]
  return { ...period, markets, isObserved: false }
}

function fromFigi({ occurrence: _, assetName: name, ...period }: FigiPeriod): SymbolPeriod {
  const { mic } = period
  return { ...period, name, exchange: null, markets: mic === null ? [] : [mic], isObserved: true }
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
  const known = findExchange(one.exchange)
  return {
    ...{ ticker: requested, name, cik, validFrom, validTo, successor, source },
    ...{ assetId: null, slug: null, assetClass: null, figi: null, isin: null },
    mic: known?.mic ?? null,
    exchange: one.exchange === '' ? null : one.exchange,
    markets: known?.markets ?? [],
    isObserved: true,
  }
}

function findExchange(name: string | null): ListedExchange | undefined {
  return LISTED_EXCHANGES.find(({ exchange }) => exchange === name)
}

/**
 * Without a CIK the names must begin with the same word. A line without an exchange may be of any market, and so may a ticker
 * that has ended: the master has the market of today.
 */
function isSameSecurity(master: SymbolPeriod, listed: SymbolPeriod): boolean {
  const isSameHolder =
    master.cik === null ? hasSameFirstWord(master.name, listed.name) : master.cik === listed.cik
  const hasMarket = master.mic !== null || master.exchange !== null
  const isOfAnyMarket = master.validTo !== null && master.cik !== null
  const isSameMarket = listed.exchange === null ? hasMarket : isOfAnyMarket || sharesMarket(master, listed)
  return isSameHolder && isSameMarket && sharesDay(master, listed)
}

function isSameAsset(one: SymbolPeriod, other: SymbolPeriod): boolean {
  return one.assetId === other.assetId && sharesDay(one, other)
}

/** The days that a period lacks come from observed ones, which are ordered by their end, the latest first. */
function completed(master: SymbolPeriod, listed: readonly SymbolPeriod[]): SymbolPeriod {
  const [latest] = listed
  if (latest === undefined) return master
  const begins = listed.map(({ validFrom }) => validFrom)
  const begin = begins.includes(null) ? null : (begins.toSorted()[0] ?? null)
  const isLater = master.isObserved && master.validFrom !== null && begin !== null && master.validFrom > begin
  const validFrom = isLater ? begin : (master.validFrom ?? begin)
  const isEnded = master.validTo === null && latest.validTo !== null
  const isBegun = validFrom !== master.validFrom
  const { mic, exchange, markets } = latest
  // The master has the market of today, which need not be that of a ticker of before.
  const isMarketOfToday = latest.validTo === null || exchange === null
  const market = isMarketOfToday ? {} : { mic, exchange, markets }
  if (!isEnded && !isBegun) return { ...master, ...market }
  const end = isEnded ? { validTo: latest.validTo, successor: latest.successor } : {}
  return { ...master, ...market, validFrom, ...end, cik: latest.cik, isObserved: true, source: latest.source }
}

function sharesMarket(one: SymbolPeriod, other: SymbolPeriod): boolean {
  const isListed = ({ assetId }: SymbolPeriod) => assetId === null
  if (one.markets.length === 0 && other.markets.length === 0)
    return one.exchange === other.exchange && (one.exchange !== null || isListed(one) === isListed(other))
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
