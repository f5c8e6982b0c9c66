import { type Given, parseAsOfArgument } from '../../core/argument-parsers.js'
import { type OffsetPage, parseOffsetPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Listing } from '../instruments/model.js'
import { type ListingQuery, listingOfStock, parseListingQuery } from '../instruments/service.js'
import type { EventPage, EventRange } from './event-store.js'
import { actionPage, dividendPage } from './loaders.js'
import type { ShownAction, ShownDividend } from './model.js'

interface ListingArgs {
  readonly ticker: string
  readonly mic?: Given<string>
}

interface RangeArgs {
  readonly limit?: Given<number>
  readonly offset?: Given<number>
  readonly as_of?: Given<Date>
}

/** The listing that is asked for; 422 that names everything that is malformed. */
export function parseListing(args: ListingArgs): ListingQuery {
  const problems = new Problems()
  const query = parseListingQuery(problems, args)
  problems.refuse()
  if (query === null) throw new Error('a problem was noted')
  return query
}

/** The part of a list that is asked for. */
export function parseRange(args: RangeArgs, { now }: RequestContext): EventRange {
  const problems = new Problems()
  const range = { ...parseOffsetPage(problems, args), asOf: parseAsOfArgument(problems, args.as_of, now) }
  problems.refuse()
  return range
}

/** Whose events are asked for, as they were known at an instant; null: now. */
export interface EventsFilter {
  readonly listing: ListingQuery
  readonly asOf: Date | null
}

/** The same with what is wrong noted; without a listing the problems have a reason. */
export function parseEventsFilter(
  args: ListingArgs & Pick<RangeArgs, 'as_of'>,
  problems: Problems,
  { now }: RequestContext,
): EventsFilter {
  const asOf = parseAsOfArgument(problems, args.as_of, now)
  const listing = parseListingQuery(problems, args)
  problems.refuse()
  if (listing === null) throw new Error('a problem was noted')
  return { listing, asOf }
}

/** What happened to a stock, with the stock. */
export interface StockEvents<Event> extends EventPage<Event> {
  readonly stock: Listing
}

/** The corporate actions of the listing that is asked for; 404 and 422 as `listingOfStock`. */
export async function listActions(
  { listing, asOf }: EventsFilter,
  page: OffsetPage,
  context: RequestContext,
): Promise<StockEvents<ShownAction>> {
  const stock = await listingOfStock(listing, context)
  return { stock, ...(await getActions(stock, { ...page, asOf }, context)) }
}

/** The dividends of the listing that is asked for; 404 and 422 as `listingOfStock`. */
export async function listDividends(
  { listing, asOf }: EventsFilter,
  page: OffsetPage,
  context: RequestContext,
): Promise<StockEvents<ShownDividend>> {
  const stock = await listingOfStock(listing, context)
  return { stock, ...(await getDividends(stock, { ...page, asOf }, context)) }
}

const NOTHING = { events: [], total: 0 } as const

/** The corporate actions of a stock, newest first; one statement for all stocks of a page. */
export async function getActions(
  { assetId }: Pick<Listing, 'assetId'>,
  range: EventRange,
  context: RequestContext,
): Promise<EventPage<ShownAction>> {
  return (await actionPage(context).load({ ...range, assetId })) ?? NOTHING
}

/** The dividends of a stock, newest first; one statement for all stocks of a page. */
export async function getDividends(
  { assetId }: Pick<Listing, 'assetId'>,
  range: EventRange,
  context: RequestContext,
): Promise<EventPage<ShownDividend>> {
  return (await dividendPage(context).load({ ...range, assetId })) ?? NOTHING
}
