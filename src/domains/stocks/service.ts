import { type AsOfArguments, type Given, parseAsOfArgument } from '../../core/argument-parsers.js'
import type { AsOf } from '../../core/as-of.js'
import { type OffsetPage, parseOffsetPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Listing } from '../instruments/model.js'
import { type ListingQuery, listingOfStock, parseListingQuery } from '../instruments/service.js'
import type { EventPage, EventRange, ShownAction, ShownDividend } from './event-store.js'
import { actionPage, dividendPage } from './loaders.js'

interface ListingArgs {
  readonly ticker: string
  readonly mic?: Given<string>
}

interface RangeArgs extends AsOfArguments {
  readonly limit?: Given<number>
  readonly offset?: Given<number>
}

/** The requested listing. The 422 names every malformed argument. */
export function parseListing(args: ListingArgs): ListingQuery {
  const problems = new Problems()
  const query = parseListingQuery(problems, args)
  problems.refuse()
  if (query === null) throw new Error('a listing is null only with a problem')
  return query
}

/** The requested part of a list. */
export function parseRange(args: RangeArgs, { now }: RequestContext): EventRange {
  const problems = new Problems()
  const range = { ...parseOffsetPage(problems, args), asOf: parseAsOfArgument(problems, args, now) }
  problems.refuse()
  return range
}

/** The stock whose events are requested. `asOf` null selects what is known now. */
export interface EventsFilter {
  readonly listing: ListingQuery
  readonly asOf: AsOf | null
}

/** The requested stock and instant. The 422 names every malformed argument. */
export function parseEventsFilter(
  args: ListingArgs & Pick<RangeArgs, 'as_of'>,
  problems: Problems,
  { now }: RequestContext,
): EventsFilter {
  const asOf = parseAsOfArgument(problems, args, now)
  const listing = parseListingQuery(problems, args)
  problems.refuse()
  if (listing === null) throw new Error('a listing is null only with a problem')
  return { listing, asOf }
}

/** A page of events with their stock. */
export interface StockEvents<Event> extends EventPage<Event> {
  readonly stock: Listing
}

/** The corporate actions of the requested listing. Throws the 404 and 422 of `listingOfStock`. */
export async function listActions(
  { listing, asOf }: EventsFilter,
  page: OffsetPage,
  context: RequestContext,
): Promise<StockEvents<ShownAction>> {
  const stock = await listingOfStock(listing, context)
  return { stock, ...(await getActions(stock, { ...page, asOf }, context)) }
}

/** The dividends of the requested listing. Throws the 404 and 422 of `listingOfStock`. */
export async function listDividends(
  { listing, asOf }: EventsFilter,
  page: OffsetPage,
  context: RequestContext,
): Promise<StockEvents<ShownDividend>> {
  const stock = await listingOfStock(listing, context)
  return { stock, ...(await getDividends(stock, { ...page, asOf }, context)) }
}

const NOTHING = { events: [], total: 0 } as const

/** The corporate actions of a stock, newest first. All stocks of a page share one statement. */
export async function getActions(
  { assetId }: Pick<Listing, 'assetId'>,
  range: EventRange,
  context: RequestContext,
): Promise<EventPage<ShownAction>> {
  return (await actionPage(context).load({ ...range, assetId })) ?? NOTHING
}

/** The dividends of a stock, newest first. All stocks of a page share one statement. */
export async function getDividends(
  { assetId }: Pick<Listing, 'assetId'>,
  range: EventRange,
  context: RequestContext,
): Promise<EventPage<ShownDividend>> {
  return (await dividendPage(context).load({ ...range, assetId })) ?? NOTHING
}
