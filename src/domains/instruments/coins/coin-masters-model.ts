import { formerTickerOf } from '../../../core/consensus/venue-symbols.js'
import { groupBy } from '../../../core/group-by.js'
import type { IsoDate } from '../../../core/time.js'
import { SlugChooser } from '../../assets/slug-model.js'
import { nextListedId } from '../masters/listed-masters-model.js'
import type { RefusedLine, StoredMaster } from '../masters/stored-master-model.js'
import { type InstrumentFacts, NOTHING_STATED, type VenueSymbols } from '../model.js'
import type { ListedCoin } from './coin-listings-model.js'

/** Venues that must trade a coin before it becomes an asset. */
export const MIN_VENUES = 3

/** A pair that is another coin than the asset with its ticker. */
export interface ExcludedPair {
  readonly assetId: number
  readonly venue: string
  readonly symbol: string
}

/** What the lists of the venues change in the masters. */
export interface CoinMastersPlan {
  /** New and changed assets of the lists. */
  readonly written: readonly InstrumentFacts[]
  /** Assets among the written ones with a new ticker. */
  readonly renamed: readonly number[]
  readonly refused: readonly RefusedLine[]
}

interface Input {
  readonly coins: readonly ListedCoin[]
  /** Every stored asset, of every class and source. */
  readonly masters: readonly StoredMaster[]
  readonly excluded: readonly ExcludedPair[]
  /** Codes of ISO 4217: venues trade these currencies like coins. */
  readonly currencies: ReadonlySet<string>
  /** Provider of the lists. Only its own assets are changed. */
  readonly source: string
  readonly day: IsoDate
}

/**
 * Compares the coins of the venues' lists with the stored assets. A coin belongs to the active asset with its ticker. Without one:
 * - an asset that no venue lists any more, with the same name or with the former ticker of the coin, was renamed;
 * - an ended asset with the ticker and the name is listed again;
 * - otherwise the coin becomes a new asset if at least three venues trade it. It is unconfirmed, because venues may list different
 *   coins under one ticker.
 * Assets of the reference and of the operator take precedence and never change.
 */
export function planCoinMasters(input: Input): CoinMastersPlan {
  const { coins, masters, source, day } = input
  const stored = masters.filter(({ assetClass }) => assetClass === 'crypto')
  const own = stored.filter((one) => one.source === source)
  const held = new Set(stored.flatMap((one) => (one.source === source ? [] : one.ticker)))
  const open = coins.filter(({ ticker }) => !held.has(ticker))
  const active = own.filter(({ inactiveSince }) => !inactiveSince)
  const assetOf = new Map<ListedCoin, StoredMaster>()
  const byTicker = new Map(active.map((one) => [one.ticker, one]))
  for (const coin of open) {
    const one = byTicker.get(coin.ticker)
    if (one !== undefined) assetOf.set(coin, one)
  }
  const matched = new Set(assetOf.values())
  const missing = active.filter((one) => !matched.has(one) && !held.has(one.ticker))
  const taken = active.filter((one) => !matched.has(one) && held.has(one.ticker))
  const fresh = open.filter((coin) => !assetOf.has(coin))
  for (const [coin, one] of matchSuccessors(fresh, missing)) assetOf.set(coin, one)
  const followed = new Set(assetOf.values())
  const returned = groupBy(
    own.filter(({ inactiveSince }) => inactiveSince),
    ({ ticker }) => ticker,
  )
  for (const coin of fresh.filter((one) => !assetOf.has(one))) {
    const before = returned.get(coin.ticker)?.find((one) => one.name === nameOf(coin))
    if (before !== undefined && coin.venues.length >= MIN_VENUES) assetOf.set(coin, before)
  }
  const ended = [...missing.filter((one) => !followed.has(one)), ...taken]
  const plan = writeCoins(open, assetOf, { ...input, held })
  return {
    ...plan,
    written: [
      ...ended.map((one) => ({ ...one, inactiveSince: day, symbols: noSymbols(one) })),
      ...plan.written,
    ],
  }
}

const nameOf = ({ name, ticker }: ListedCoin) => name ?? ticker

/** The name without a remark such as "(ex-MATIC)" and without regard to case. */
const plainName = (name: string) =>
  name
    .replace(/\([^()]*\)/g, '')
    .trim()
    .toLowerCase()

/** The assets that no venue lists under their ticker and that a coin with another ticker continues. */
function matchSuccessors(
  coins: readonly ListedCoin[],
  missing: readonly StoredMaster[],
): ReadonlyMap<ListedCoin, StoredMaster> {
  const found = new Map<ListedCoin, StoredMaster>()
  const byTicker = new Map(missing.map((one) => [one.ticker, one]))
  const byName = groupBy(missing, ({ name }) => plainName(name))
  const coinsByName = groupBy(coins, (coin) => plainName(nameOf(coin)))
  for (const coin of coins) {
    const former = formerTickerOf(coin.ticker)
    const same = coin.name === null ? undefined : byName.get(plainName(coin.name))
    const isOnly = same?.length === 1 && coinsByName.get(plainName(nameOf(coin)))?.length === 1
    const before = (former === null ? undefined : byTicker.get(former)) ?? (isOnly ? same[0] : undefined)
    if (before !== undefined) found.set(coin, before)
  }
  return found
}

function writeCoins(
  coins: readonly ListedCoin[],
  assetOf: ReadonlyMap<ListedCoin, StoredMaster>,
  { masters, excluded, currencies, day, held }: Input & { readonly held: ReadonlySet<string> },
): CoinMastersPlan {
  const slugs = new SlugChooser(masters.map(({ slug }) => slug))
  const excludedOf = groupBy(excluded, ({ assetId }) => String(assetId))
  let nextId = nextListedId(masters)
  const written: InstrumentFacts[] = []
  const renamed: number[] = []
  const refused: RefusedLine[] = []
  const refuse = (ticker: string, reason: string) => void refused.push({ position: ticker, reason })
  for (const coin of coins) {
    const before = assetOf.get(coin)
    if (before === undefined) {
      if (coin.venues.length < MIN_VENUES) continue
      if (currencies.has(coin.ticker)) {
        refuse(coin.ticker, 'is a currency of ISO 4217, not a coin')
        continue
      }
      const present = presentHolder(coin.ticker, held)
      if (present !== null) {
        refuse(coin.ticker, `is the former ticker of ${present}`)
        continue
      }
    }
    const assetId = before?.assetId ?? nextId
    if (before === undefined) nextId += 1
    const isRenamed = before !== undefined && before.ticker !== coin.ticker
    const facts: InstrumentFacts = {
      ...(before ?? newCoin(assetId, slugs.choose(nameOf(coin), coin.ticker), coin)),
      ticker: coin.ticker,
      symbols: withoutExcluded(coin.symbols, excludedOf.get(String(assetId)) ?? []),
      inactiveSince: null,
      ...(isRenamed ? { formerTickers: [{ ticker: before.ticker, to: day }] } : {}),
    }
    if (before !== undefined && isSameCoin(before, facts)) continue
    written.push(facts)
    if (isRenamed) renamed.push(assetId)
  }
  return { written, renamed, refused }
}

/** The present ticker of an asset of the reference or the operator whose former ticker this is. */
function presentHolder(ticker: string, held: ReadonlySet<string>): string | null {
  return [...held].find((present) => formerTickerOf(present) === ticker) ?? null
}

function newCoin(
  assetId: number,
  slug: string,
  coin: ListedCoin,
): Omit<InstrumentFacts, 'ticker' | 'symbols'> {
  return {
    ...NOTHING_STATED,
    ...{ assetId, slug, name: nameOf(coin), assetClass: 'crypto', tier: 3, isConfirmed: false },
  }
}

function withoutExcluded(symbols: VenueSymbols, excluded: readonly ExcludedPair[]): VenueSymbols {
  const isExcluded = (venue: string, symbol: string | null) =>
    excluded.some((pair) => pair.venue === venue && pair.symbol === symbol)
  return Object.fromEntries(
    Object.entries(symbols).map(([venue, symbol]) => [venue, isExcluded(venue, symbol) ? null : symbol]),
  )
}

function noSymbols({ symbols }: StoredMaster): VenueSymbols {
  return Object.fromEntries(Object.keys(symbols).map((venue) => [venue, null]))
}

function isSameCoin(before: StoredMaster, facts: InstrumentFacts): boolean {
  const venues = [...new Set([...Object.keys(before.symbols), ...Object.keys(facts.symbols)])]
  return (
    !before.inactiveSince &&
    before.ticker === facts.ticker &&
    venues.every((venue) => (before.symbols[venue] ?? null) === (facts.symbols[venue] ?? null))
  )
}
