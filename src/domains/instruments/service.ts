import { type Given, parseMicArgument, shownText } from '../../core/argument-parsers.js'
import { ApiError, invalid, notFound } from '../../core/errors.js'
import { explainTicker, type Mic, parseTicker, type Ticker } from '../../core/identifiers.js'
import type { OffsetPage } from '../../core/page.js'
import type { Problems } from '../../core/problems.js'
import { suggest } from '../../core/suggest.js'
import type { InstrumentIdentifier } from '../../generated/prisma/client.js'
import type { Charge } from '../../platform/counters/counters.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import {
  giveBackCharge,
  questionCharge,
  questionsSpent,
  takeCharge,
} from '../access/question-quota-service.js'
import type { AssetClass } from '../assets/model.js'
import {
  answerByTicker,
  formerListings,
  identifiersOfAsset,
  instrumentByAssetId,
  listingsByTicker,
} from './loaders.js'
import {
  FOUND_KEPT_MS,
  type FormerListing,
  GICS_SECTORS,
  type IdentifierAnswer,
  type IdentifierService,
  IdentifierServiceDown,
  identifierService,
  type Listing,
  MAX_ASKS_IN_FLIGHT,
  preferredListing,
  RETRY_AFTER_MS,
  type ResolvedInstrument,
  type StockFilter,
  TICKERS_PER_HOUR,
  UNKNOWN_KEPT_MS,
} from './model.js'
import { loadAnswers, loadStocks, type StockPage, writeAnswer } from './store.js'

/** What a ticker means; null where neither the master nor the service says. */
export interface Discovery {
  readonly ticker: string
  readonly figi: string | null
  readonly name: string
  readonly assetClass: AssetClass | null
  readonly isin: string | null
  readonly mic: string | null
  readonly currency: string | null
  /** Key and slug of the asset; null for what is not in the own master. */
  readonly assetId: number | null
  readonly slug: string | null
  /** Provider of what the own master knows; null when the service answered. */
  readonly masterSource: string | null
  /** The service's answer it was read from; null when the own master knew it. */
  readonly answer: Pick<IdentifierAnswer, 'source' | 'answeredAt'> | null
}

/** The ticker in upper case; 422 when it has not the shape of one. */
export function parseDiscover(text: string): Ticker {
  const ticker = parseTicker(text)
  if (ticker === null) throw invalid({ field: 'ticker', message: explainTicker(text) ?? 'must be a ticker' })
  return ticker
}

/**
 * What a ticker means. The own master is asked first (see `preferredListing`), then the answers kept of the
 * identifier service, then the service itself. 404 when all of them know none, and for a ticker that an own instrument
 * gave up; 503 when the service was needed and did not answer, which is kept nowhere; 429 for an account that has had it
 * asked too often in this hour. Whoever has it asked is charged, whatever it answers.
 */
export async function discover(ticker: Ticker, context: RequestContext): Promise<Discovery> {
  const listing = preferredListing((await listingsByTicker(context).load(ticker)) ?? [])
  if (listing !== null) return fromListing(listing)
  const former = await formerOf(ticker, context)
  if (former !== null) {
    const { ticker: today } = former
    throw notFound(
      (name) =>
        `No instrument has the ticker ${ticker}: ${formerText(former)}; see ${name('discover', { ticker: today })}.`,
    )
  }
  const kept = (await answerByTicker(context).load(ticker)) ?? null
  const answer = kept ?? (await askOnce(ticker, context))
  if (answer.found !== null) return fromAnswer(answer, answer.found)
  throw new ApiError('not_found', {
    message: `No instrument has the ticker ${ticker}: neither the instrument master nor ${answer.source} knows one.`,
    isCharged: kept === null,
  })
}

function fromListing(listing: Listing): Discovery {
  const { ticker, figi, name, assetClass, isin, mic, currency, assetId, slug, source } = listing
  const own = { assetId, slug, masterSource: source, answer: null }
  return { ticker, figi, name, assetClass, isin, mic, currency, ...own }
}

function fromAnswer(answer: IdentifierAnswer, found: ResolvedInstrument): Discovery {
  const { figi, name, assetClass, isin, mic, currency } = found
  const { ticker } = answer
  const foreign = { assetId: null, slug: null, masterSource: null, answer }
  return { ticker, figi, name, assetClass, isin, mic, currency, ...foreign }
}

const TICKERS = { name: 'tickers asked', perHour: TICKERS_PER_HOUR }

const asksByService = new WeakMap<IdentifierService, Map<Ticker, Promise<IdentifierAnswer>>>()

/** A second request for a ticker that is being resolved waits for the first; at most 32 run in a process. */
async function askOnce(ticker: Ticker, context: RequestContext): Promise<IdentifierAnswer> {
  const service = context.ports.get(identifierService)
  const asks = asksByService.get(service) ?? new Map<Ticker, Promise<IdentifierAnswer>>()
  asksByService.set(service, asks)
  const running = asks.get(ticker)
  if (running !== undefined) return running
  const charge = questionCharge(TICKERS, 1, context)
  if (!(await takeCharge(charge, context))) throw questionsSpent(spentText(service), charge)
  // Another request may have asked while this one was charged; its answer may be stored already.
  const begun = asks.get(ticker) ?? (await storedAnswer(ticker, context)) ?? asks.get(ticker)
  if (begun !== undefined || asks.size >= MAX_ASKS_IN_FLIGHT) {
    await giveBackCharge(charge, context)
    if (begun !== undefined) return begun
    throw unavailable(service, ticker, context, null)
  }
  const ask = askAndKeep(service, ticker, charge, context).finally(() => asks.delete(ticker))
  asks.set(ticker, ask)
  return ask
}

/** Read anew: the loader keeps what was stored when the request began. */
async function storedAnswer(
  ticker: Ticker,
  { database, now }: RequestContext,
): Promise<IdentifierAnswer | undefined> {
  return (await loadAnswers(database.prisma, [ticker], now)).get(ticker)
}

function spentText({ source }: IdentifierService): string {
  return `An account may have ${source} asked for ${TICKERS_PER_HOUR} unknown tickers per clock hour; those of the instrument master, and those that were asked for of late, are not counted.`
}

async function askAndKeep(
  service: IdentifierService,
  ticker: Ticker,
  charge: Charge,
  context: RequestContext,
): Promise<IdentifierAnswer> {
  const found = await resolve(service, ticker, charge, context)
  const answer: IdentifierAnswer = { ticker, found, answeredAt: context.now, source: service.source }
  const keptMs = found === null ? UNKNOWN_KEPT_MS : FOUND_KEPT_MS
  await writeAnswer(context.database, answer, new Date(context.now.getTime() + keptMs))
  return answer
}

async function resolve(service: IdentifierService, ticker: Ticker, charge: Charge, context: RequestContext) {
  try {
    return await service.resolve(ticker)
  } catch (error) {
    if (!(error instanceof IdentifierServiceDown)) throw error
    context.log.warn({ err: error, ticker, source: service.source }, 'the identifier service gave no answer')
    if (!error.wasAsked) await giveBackCharge(charge, context)
    throw unavailable(service, ticker, context, error)
  }
}

function unavailable(
  service: IdentifierService,
  ticker: Ticker,
  context: RequestContext,
  cause: IdentifierServiceDown | null,
): ApiError {
  const waitMs = cause?.retryAfterMs ?? RETRY_AFTER_MS
  return new ApiError('service_unavailable', {
    message: `${ticker} is not in the instrument master, and ${service.source} does not answer now; try again later.`,
    retryAfter: Math.ceil((context.now.getTime() + waitMs) / 1000),
    ...(cause === null ? {} : { cause, isCharged: cause.wasAsked }),
  })
}

/** The primary listing of an asset by its integer key, null for none; all assets of a page are one statement. */
export function getPrimaryListing(assetId: number, context: RequestContext): Promise<Listing | null> {
  return instrumentByAssetId(context).load(assetId)
}

/** A listing that is asked for. */
export interface ListingQuery {
  readonly ticker: Ticker
  /** Null: the market is not named. */
  readonly mic: Mic | null
}

/** Ticker and market in upper case; null where `problems` has what is wrong with them. */
export function parseListingQuery(
  problems: Problems,
  given: { readonly ticker: string; readonly mic?: Given<string> },
): ListingQuery | null {
  const ticker = parseTicker(given.ticker)
  if (ticker === null) problems.add('ticker', explainTicker(given.ticker) ?? 'must be a ticker')
  const mic = parseMicArgument(problems, given.mic)
  return ticker === null || (given.mic != null && mic === null) ? null : { ticker, mic }
}

/** The classes whose listings have an operation by ticker, of the same name, and how messages name them. */
const LISTED_CLASSES = {
  stock: 'stock',
  etf: 'ETF',
} as const

export type ListedClass = keyof typeof LISTED_CLASSES

/**
 * The stock listing with that ticker: on the market that is named, else the only one, else the only primary one. 404 for
 * none, 422 where the market decides and is not named; both say which listings there are. A ticker that was given up is a 404
 * that says what it became.
 */
export function listingOfStock(query: ListingQuery, context: RequestContext): Promise<Listing> {
  return getListing('stock', query, context)
}

/** The same for a stock or a fund. */
export async function getListing(
  assetClass: ListedClass,
  { ticker, mic }: ListingQuery,
  context: RequestContext,
): Promise<Listing> {
  const all = (await listingsByTicker(context).load(ticker)) ?? []
  const ofClass = all.filter((listing) => listing.assetClass === assetClass)
  const named = mic === null ? ofClass : ofClass.filter((listing) => listing.mic === mic)
  const primary = named.filter(({ isPrimary }) => isPrimary)
  const [listing, ...others] = named.length === 1 ? named : primary
  if (listing !== undefined && others.length === 0) return listing
  if (named.length > 0)
    throw invalid({ field: 'mic', message: `is needed: ${ticker} is ${listingsText(ofClass)}` })
  const former = all.length === 0 ? await formerOf(ticker, context, assetClass) : null
  const none = `No ${LISTED_CLASSES[assetClass]} has the ticker ${ticker}`
  if (former !== null) {
    const given = { ticker: former.ticker }
    throw notFound((name) => `${none}: ${formerText(former)}; see ${name(assetClass, given)}.`)
  }
  if (ofClass.length > 0) throw notFound(`${none} on ${mic}; it is ${listingsText(ofClass)}.`)
  const [other] = all
  throw notFound(
    other === undefined
      ? `${none}.`
      : (name) =>
          `${none}; it is that of ${other.name} (${other.assetClass}): see ${name('discover', { ticker })}.`,
  )
}

/** What became of a ticker that was given up, of the class if one is named; null where nobody is known to have had it. */
async function formerOf(
  ticker: Ticker,
  context: RequestContext,
  assetClass?: AssetClass,
): Promise<FormerListing | null> {
  const found = (await formerListings(context).load(ticker)) ?? []
  return found.find((one) => assetClass === undefined || one.assetClass === assetClass) ?? null
}

/** E.g. `Meta Platforms is META since 2022-06-09`. */
function formerText({ ticker, since, name }: FormerListing): string {
  return `${name} is ${ticker} since ${since}`
}

/** E.g. `listed on XNAS (Apple Inc.), XLON (Apple plc)`. */
function listingsText(listings: readonly Listing[]): string {
  return `listed on ${listings.map(({ mic, name }) => `${mic ?? 'no market'} (${name})`).join(', ')}`
}

/** A page of the listings of stocks, and how many there are on all pages. */
export function listStocks(
  filter: StockFilter,
  page: OffsetPage,
  { database }: RequestContext,
): Promise<StockPage> {
  return loadStocks(database, filter, page)
}

/** What a list of stocks is narrowed to; notes what is wrong. */
export function parseStockFilter(
  problems: Problems,
  given: { readonly mic?: Given<string>; readonly sector?: Given<string> },
): StockFilter {
  const mic = parseMicArgument(problems, given.mic)
  const sector = GICS_SECTORS.find((name) => name === given.sector) ?? null
  if (given.sector != null && sector === null) {
    const near = suggest(given.sector, GICS_SECTORS)
    const hint = near === null ? `; they are ${GICS_SECTORS.join(', ')}` : `; did you mean ${near}?`
    problems.add('sector', `must be a GICS sector; got ${shownText(given.sector)}${hint}`)
  }
  return { mic, sector }
}

/** By what an instrument is and was named, as it was known at an instant; null: now. */
export async function getIdentifiers(
  { assetId }: Pick<Listing, 'assetId'>,
  asOf: Date | null,
  context: RequestContext,
): Promise<InstrumentIdentifier[]> {
  return [...((await identifiersOfAsset(context).load({ assetId, asOf })) ?? [])]
}
