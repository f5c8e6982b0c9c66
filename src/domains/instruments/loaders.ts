import { type AsOf, asOfText } from '../../core/as-of.js'
import { groupBy } from '../../core/group-by.js'
import { toIsoDate } from '../../core/time.js'
import type { InstrumentIdentifier } from '../../generated/prisma/client.js'
import {
  defineGroupedLoader,
  defineLoader,
  defineSharedLoader,
} from '../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import {
  asKnown,
  identityInstant,
  identityKey,
  listHoldersOfTickers,
} from '../assets/known-identity-service.js'
import { loadAnswers } from './discovery/identifier-answers-store.js'
import { listIdentifiers } from './identifiers/identifiers-store.js'
import type { FormerListing, Listing } from './model.js'
import { loadFormerListings, loadListingsByTicker, loadPrimaryListings } from './store.js'
import { type FigiPeriod, loadFigiPeriods } from './symbols/figi-symbols-store.js'
import { type ListedPeriod, loadListedPeriods } from './symbols/listed-symbols-store.js'
import { MAX_PERIODS, mergePeriods, type SymbolPeriod } from './symbols/symbol-periods.js'
import { loadMasterPeriods, type MasterPeriod } from './symbols/symbol-store.js'

/** All listings with a ticker, or null. */
export const listingsByTicker = defineSharedLoader({
  load: (tickers: readonly string[], context) => {
    const asOf = identityInstant(context)
    return asOf === null
      ? loadListingsByTicker(context.database, tickers)
      : loadKnownListings(tickers, asOf, context)
  },
  batchKey: (_ticker, context) => identityKey(context),
})

/**
 * The primary listings that had each ticker, as known at an instant. Nothing says since when further listings are known, so they are
 * left out.
 */
async function loadKnownListings(
  tickers: readonly string[],
  asOf: Date,
  context: RequestContext,
): Promise<ReadonlyMap<string, readonly Listing[]>> {
  const holders = await listHoldersOfTickers(tickers, asOf, context)
  const primary = [...(await loadPrimaryListings(context.database, holders)).values()]
  const listings = (await asKnown(primary, context)).map((listing) => listedAt(listing, asOf))
  return groupBy<Listing>(listings, ({ ticker }) => ticker)
}

/** The listing without an end that came later. That of the day itself may have come after the instant. */
function listedAt(listing: Listing, asOf: Date): Listing {
  const { inactiveSince } = listing
  const isEnded = inactiveSince !== null && inactiveSince < toIsoDate(asOf)
  return { ...listing, inactiveSince: isEnded ? inactiveSince : null }
}

/** The stored answer of the identifier service for a ticker, until it is too old. */
export const answerByTicker = defineLoader((tickers: readonly string[], context) =>
  loadAnswers(context.database.prisma, tickers, context.now),
)

/** The primary listing of an asset, by its integer key. All assets of a page share one statement. */
export const instrumentByAssetId = defineLoader(async (assetIds: readonly number[], context) => {
  const listings = await loadPrimaryListings(context.database, assetIds)
  const known = await asKnown([...listings.values()], context)
  return new Map(known.map((listing) => [String(listing.assetId), listing]))
})

/** The current listings of a former ticker, the latest change first, or null. A caller with a clock gets none. */
export const formerListings = defineLoader(async (tickers: readonly string[], context) =>
  context.clock === undefined
    ? loadFormerListings(context.database, tickers)
    : new Map<string, readonly FormerListing[]>(),
)

/** The instrument whose identifiers are requested. `asOf` null selects what is known now. */
export interface IdentifiersKey {
  readonly assetId: number
  readonly asOf: AsOf | null
}

/** The identifiers of an instrument. All instruments with the same instant share one statement. */
export const identifiersOfAsset = defineGroupedLoader<IdentifiersKey, readonly InstrumentIdentifier[]>({
  groupText: ({ asOf }) => asOfText(asOf),
  itemText: ({ assetId }) => String(assetId),
  load: (keys, { database }) =>
    listIdentifiers(
      database.prisma,
      keys.map(({ assetId }) => assetId),
      keys[0].asOf,
    ),
})

/** The periods of a ticker, the latest first, or null. All tickers with the same instant share three statements. */
export const periodsOfTicker = defineGroupedLoader<
  { readonly ticker: string; readonly asOf: AsOf | null },
  readonly SymbolPeriod[]
>({
  groupText: ({ asOf }) => asOfText(asOf),
  itemText: ({ ticker }) => ticker,
  load: async (keys, { database }) => {
    const [{ asOf }] = keys
    const tickers = keys.map(({ ticker }) => ticker)
    const masters = groupBy<MasterPeriod>(
      await loadMasterPeriods(database, tickers, asOf),
      ({ ticker }) => ticker,
    )
    const listed = groupBy<ListedPeriod>(
      await loadListedPeriods(database, tickers, asOf),
      ({ requested }) => requested,
    )
    const figis = groupBy<FigiPeriod>(await loadFigiPeriods(database, tickers, asOf), ({ ticker }) => ticker)
    return tickers.map((ticker) => {
      const periods = mergePeriods({
        masters: masters.get(ticker) ?? [],
        listed: listed.get(ticker) ?? [],
        figis: figis.get(ticker) ?? [],
      })
      return periods.length > 0 ? periods.slice(0, MAX_PERIODS) : null
    })
  },
})
