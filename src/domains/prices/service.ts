import {
  type AsOfArguments,
  type Given,
  parseAsOfArgument,
  parseDate,
  parseOrder,
} from '../../core/argument-parsers.js'
import type { AsOf } from '../../core/as-of.js'
import { ApiError, invalid } from '../../core/errors.js'
import { parseSeriesPage, type SeriesPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import { addDays, endOfDay, type IsoDate, toIsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Listing } from '../instruments/model.js'
import { getListing, type ListedClass, type ListingQuery, parseListingQuery } from '../instruments/service.js'
import {
  type AdjustingAction,
  type Adjustment,
  adjustDays,
  adjustingActions,
  type DayAdjustment,
  type Fraction,
  ONE,
} from './adjustment-model.js'
import { newestClose, priceActions, pricePage } from './loaders.js'
import type { CloseAsOf, NewestClose } from './newest-close-store.js'
import { MAX_ACTIONS, type PricedKey, type PricePage, type StoredPrice } from './series-store.js'

/** A query without `from` begins this many days before `to`. */
export const DEFAULT_PRICE_DAYS = 30

/** Actions in one response, counted in each row that lists them. More would be an answer of more than 6 MB. */
const MAX_LISTED_ACTIONS = 50_000

/** A part of a series of daily prices. */
export interface PriceSeriesQuery extends SeriesPage {
  readonly from: IsoDate
  readonly to: IsoDate
  readonly adjustment: Adjustment
  /** Null for what is known now. */
  readonly asOf: AsOf | null
}

/** The prices of a listing. */
export interface PricesQuery extends PriceSeriesQuery {
  readonly assetClass: ListedClass
  readonly listing: ListingQuery
}

export interface PriceSeriesArguments extends AsOfArguments {
  readonly from?: Given<string>
  readonly to?: Given<string>
  readonly adjust?: Given<Adjustment>
  readonly page?: Given<number>
  readonly limit?: Given<number>
}

interface PricesArguments extends PriceSeriesArguments {
  readonly ticker: string
  readonly mic?: Given<string>
}

/** Parses range, page and adjustment, and adds a problem for each wrong argument. */
export function parsePriceSeries(
  problems: Problems,
  args: PriceSeriesArguments,
  context: RequestContext,
): PriceSeriesQuery {
  if (args.to == null) context.validity?.endsBy(endOfDay(context.now))
  const to = parseDate(problems, 'to', args.to) ?? toIsoDate(context.now)
  const from = parseDate(problems, 'from', args.from) ?? addDays(to, -DEFAULT_PRICE_DAYS)
  parseOrder(problems, from, to)
  const page = parseSeriesPage(problems, args)
  const asOf = parseAsOfArgument(problems, args, context.now)
  const adjustment = args.adjust ?? 'none'
  if (asOf?.basis === 'published' && adjustment !== 'none')
    problems.add(
      'adjust',
      `must be none with basis published: no rule says when actions were published; got ${adjustment}`,
    )
  return { ...page, from, to, adjustment, asOf }
}

/** Parses the query. The 422 names every wrong argument. */
export function parsePricesQuery(
  assetClass: ListedClass,
  args: PricesArguments,
  context: RequestContext,
): PricesQuery {
  const problems = new Problems()
  const listing = parseListingQuery(problems, args)
  const series = parsePriceSeries(problems, args, context)
  problems.refuse()
  if (listing === null) throw new Error('a listing is null only with a problem')
  return { ...series, assetClass, listing }
}

/** The prices of a day. `factor` is null if no adjustment is requested. */
export interface AdjustedPrice extends StoredPrice, Pick<DayAdjustment, 'actions'> {
  readonly factor: Fraction | null
}

/** A page of prices, oldest first, with the number of rows on all pages and the providers of prices and actions. */
export interface AdjustedPage {
  readonly prices: readonly AdjustedPrice[]
  readonly total: number
  /** Market of the listing. */
  readonly mic: string | null
  readonly sources: { readonly prices: ReadonlySet<string>; readonly actions: ReadonlySet<string> }
}

/**
 * The prices of the requested listing. Throws the 404 and 422 of `getListing`, a 503 if the actions behind an adjustment are
 * not loaded, and a 422 if the rows would list more actions than one answer may have.
 */
export async function listPrices(query: PricesQuery, context: RequestContext): Promise<AdjustedPage> {
  const { assetClass, listing: requested, adjustment } = query
  if (adjustment !== 'none') assertActionsLoaded(adjustment, context)
  return listPricesOfListing(await getListing(assetClass, requested, context), query, context)
}

/** The prices of a listing, with the errors of `listPrices`. */
export async function listPricesOfListing(
  listing: Listing,
  query: PriceSeriesQuery,
  context: RequestContext,
): Promise<AdjustedPage> {
  const { from, to, limit, offset, asOf, adjustment } = query
  if (adjustment !== 'none') assertActionsLoaded(adjustment, context)
  const page = await pricePage(context).load({ ...keyOf(listing), from, to, limit, offset, asOf })
  const { mic } = listing
  if (page === null) return { prices: [], total: 0, mic, sources: { prices: new Set(), actions: new Set() } }
  const { actions, sources } = await loadAdjustingActions(listing, page, query, context)
  assertListable(actions, page, query)
  return {
    prices: adjustment === 'none' ? page.prices.map(unadjusted) : adjustPrices(page.prices, actions),
    total: page.total,
    mic,
    sources: { prices: new Set(page.prices.flatMap((each) => each.sources)), actions: sources },
  }
}

function unadjusted(price: StoredPrice): AdjustedPrice {
  return { ...price, factor: null, actions: [] }
}

function adjustPrices(
  prices: readonly StoredPrice[],
  actions: readonly AdjustingAction[],
): readonly AdjustedPrice[] {
  const adjusted = adjustDays(
    prices.map(({ date }) => date),
    actions,
  )
  return prices.map((price, at) => ({ ...price, ...(adjusted[at] ?? { factor: ONE, actions: [] }) }))
}

function keyOf({ assetId, ticker, mic }: Listing) {
  return { assetId, ticker, mic }
}

/** The newest closing price of a listing up to a day, as known at an instant. Null without one. */
export function getNewestClose(
  { assetId, ticker, mic }: PricedKey,
  asOf: CloseAsOf,
  context: RequestContext,
): Promise<NewestClose | null> {
  return newestClose(context).load({ assetId, ticker, mic, ...asOf })
}

/** The actions after the first day of a page up to the newest price that was known. */
async function loadAdjustingActions(
  listing: Listing,
  { prices, newestDay }: PricePage,
  { adjustment, asOf }: PriceSeriesQuery,
  context: RequestContext,
): Promise<{ readonly actions: readonly AdjustingAction[]; readonly sources: ReadonlySet<string> }> {
  const [first] = prices
  if (adjustment === 'none' || first === undefined || newestDay === null)
    return { actions: [], sources: new Set() }
  const range = { after: first.date, to: newestDay, asOf }
  const stored = (await priceActions(context).load({ ...keyOf(listing), ...range })) ?? []
  if (stored.length > MAX_ACTIONS)
    throw invalid({
      field: 'from',
      message: `must be later, because more than ${MAX_ACTIONS} actions follow ${first.date}`,
    })
  const priors = new Map(stored.flatMap(({ exDate, prior }) => (prior === null ? [] : [[exDate, prior]])))
  const actions = adjustingActions(stored, priors, adjustment)
  return { actions, sources: new Set(actions.map(({ source }) => source)) }
}

function assertListable(
  { length }: readonly AdjustingAction[],
  { prices }: PricePage,
  { adjustment }: PriceSeriesQuery,
): void {
  if (length * prices.length <= MAX_LISTED_ACTIONS) return
  const most = Math.floor(MAX_LISTED_ACTIONS / length)
  throw invalid({
    field: 'limit',
    message: `must be at most ${most} with adjust=${adjustment}, because each of these rows lists up to ${length} actions`,
  })
}

/**
 * A dataset that an adjustment needs and that does not belong to the prices; null if none does not. Real prices must not be
 * adjusted for synthetic actions, nor the reverse, nor for none because none are loaded.
 */
export function findMissingActions(
  adjustment: Adjustment,
  { datasets }: RequestContext,
): 'corporate_actions' | 'dividends' | null {
  const needed =
    adjustment === 'all' ? (['corporate_actions', 'dividends'] as const) : (['corporate_actions'] as const)
  const prices = datasets.get('prices')
  const isMissing = (dataset: (typeof needed)[number]) =>
    prices === undefined || datasets.get(dataset)?.isDevDataset !== prices.isDevDataset
  return needed.find(isMissing) ?? null
}

function assertActionsLoaded(adjustment: Adjustment, context: RequestContext): void {
  const dataset = findMissingActions(adjustment, context)
  if (dataset !== null) {
    throw new ApiError('service_unavailable', {
      message: `The dataset ${dataset} has no data that belong to these prices yet. Use adjust=none, or try again later.`,
    })
  }
}
