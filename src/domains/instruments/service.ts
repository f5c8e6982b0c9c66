import { type Given, parseMicArgument, parseTickerArgument } from '../../core/argument-parsers.js'
import type { AsOf } from '../../core/as-of.js'
import { invalid, notFound } from '../../core/errors.js'
import type { Mic, Ticker } from '../../core/identifiers.js'
import type { Problems } from '../../core/problems.js'
import { didYouMean } from '../../core/suggest.js'
import type { InstrumentIdentifier } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { AssetClass } from '../assets/model.js'
import { findNearestTicker } from '../assets/service.js'
import { formerListings, identifiersOfAsset, instrumentByAssetId, listingsByTicker } from './loaders.js'
import type { FormerListing, Listing } from './model.js'
import { listingsOnMarket } from './symbols/listed-symbols-model.js'

/** The primary listing of an asset, or null. All assets of a page share one statement. */
export function getPrimaryListing(assetId: number, context: RequestContext): Promise<Listing | null> {
  return instrumentByAssetId(context).load(assetId)
}

/** A requested listing. */
export interface ListingQuery {
  readonly ticker: Ticker
  /** Null if the request names no market. */
  readonly mic: Mic | null
}

/** Ticker and market in upper case. For a malformed argument it adds a problem and returns null. */
export function parseListingQuery(
  problems: Problems,
  given: { readonly ticker: string; readonly mic?: Given<string> },
): ListingQuery | null {
  const ticker = parseTickerArgument(problems, given.ticker)
  const mic = parseMicArgument(problems, given.mic)
  return ticker === null || (given.mic != null && mic === null) ? null : { ticker, mic }
}

/** The classes with an operation by ticker, which has the name of the class, and their names in messages. */
const LISTED_CLASSES = {
  stock: 'stock',
  etf: 'ETF',
} as const

export type ListedClass = keyof typeof LISTED_CLASSES

/**
 * The stock listing with the ticker: the one on the named market, otherwise the only one, otherwise the only primary one. An
 * unknown ticker is a 404. A ticker that needs a market is a 422. Both name the existing listings. A former ticker is a 404
 * that names the current one.
 */
export function listingOfStock(query: ListingQuery, context: RequestContext): Promise<Listing> {
  return getListing('stock', query, context)
}

/** The listing of a stock or an ETF, by the rules of `listingOfStock`. */
export async function getListing(
  assetClass: ListedClass,
  { ticker, mic }: ListingQuery,
  context: RequestContext,
): Promise<Listing> {
  const all = (await listingsByTicker(context).load(ticker)) ?? []
  const ofClass = all.filter((listing) => listing.assetClass === assetClass)
  const onMarket = mic === null ? ofClass : listingsOnMarket(ofClass, mic)
  const current = onMarket.filter(({ inactiveSince }) => inactiveSince === null)
  // A ticker that is used again belongs to the security that has it now.
  const named = current.length > 0 ? current : onMarket
  const primary = named.filter(({ isPrimary }) => isPrimary)
  const [listing, ...others] = named.length === 1 ? named : primary
  if (listing !== undefined && others.length === 0) return listing
  if (named.length > 0)
    throw invalid({ field: 'mic', message: `is required, because ${ticker} is ${listingsText(ofClass)}` })
  const former = all.length === 0 ? await findFormerListing(ticker, context, assetClass) : null
  const none = `No ${LISTED_CLASSES[assetClass]} has the ticker ${ticker}`
  if (former !== null) {
    const given = { ticker: former.ticker }
    throw notFound((name) => `${none}. ${formerText(former)} Use ${name(assetClass, given)} instead.`)
  }
  if (ofClass.length > 0) throw notFound(`${none} on ${mic}. It is ${listingsText(ofClass)}.`)
  const [other] = all
  if (other !== undefined)
    throw notFound(
      (name) =>
        `${none}. It belongs to ${other.name} (${other.assetClass}). Use ${name('discover', { ticker })} for its data.`,
    )
  const near = didYouMean(await findNearestTicker(ticker, assetClass, context))
  throw notFound((name) => `${none}${near} Use ${name('asset_search', { q: ticker })} to search for it.`)
}

/**
 * All stocks and ETFs with the ticker, on the named market if there is one. None is a 404, which names the current ticker of a
 * former one.
 */
export async function listingsOfTicker(
  { ticker, mic }: ListingQuery,
  context: RequestContext,
): Promise<readonly Listing[]> {
  const all = (await listingsByTicker(context).load(ticker)) ?? []
  const listed = all.filter(({ assetClass }) => Object.hasOwn(LISTED_CLASSES, assetClass))
  const found = mic === null ? listed : listingsOnMarket(listed, mic)
  if (found.length > 0) return found
  const none = `No stock or ETF has the ticker ${ticker}`
  if (listed.length > 0) throw notFound(`${none} on ${mic}. It is ${listingsText(listed)}.`)
  const former = await findFormerListing(ticker, context)
  if (former !== null) throw notFound(`${none}. ${formerText(former)}`)
  throw notFound((name) => `${none}. Use ${name('asset_search', { q: ticker })} to search for it.`)
}

/** The current listing of a former ticker, optionally of one class. Null if no instrument had the ticker. */
export async function findFormerListing(
  ticker: Ticker,
  context: RequestContext,
  assetClass?: AssetClass,
): Promise<FormerListing | null> {
  const found = (await formerListings(context).load(ticker)) ?? []
  return found.find((one) => assetClass === undefined || one.assetClass === assetClass) ?? null
}

/** E.g. `Meta Platforms has had the ticker META since 2022-06-09.` */
export function formerText({ ticker, since, name }: FormerListing): string {
  return `${name} has had the ticker ${ticker} since ${since}.`
}

/** E.g. `listed on XNAS (Apple Inc.), XLON (Apple plc)`. */
function listingsText(listings: readonly Listing[]): string {
  return `listed on ${listings.map(({ mic, name }) => `${mic ?? 'no market'} (${name})`).join(', ')}`
}

/** The current and former identifiers of an instrument. `asOf` null selects what is known now. */
export async function getIdentifiers(
  { assetId }: Pick<Listing, 'assetId'>,
  asOf: AsOf | null,
  context: RequestContext,
): Promise<InstrumentIdentifier[]> {
  return [...((await identifiersOfAsset(context).load({ assetId, asOf })) ?? [])]
}
