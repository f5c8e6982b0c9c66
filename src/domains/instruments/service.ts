import { ApiError, invalid, notFound } from '../../core/errors.js'
import { explainTicker, parseTicker, type Ticker } from '../../core/identifiers.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { AssetClass } from '../assets/model.js'
import { answerByTicker, instrumentByAssetId, listingsByTicker } from './loaders.js'
import {
  FOUND_KEPT_MS,
  type IdentifierAnswer,
  type IdentifierService,
  IdentifierServiceDown,
  identifierService,
  type Listing,
  MAX_ASKS_IN_FLIGHT,
  preferredListing,
  RETRY_AFTER_MS,
  type ResolvedInstrument,
  UNKNOWN_KEPT_MS,
} from './model.js'
import { writeAnswer } from './store.js'

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
 * identifier service, then the service itself. 404 when all of them know none; 503 when the service was needed and
 * did not answer, which is kept nowhere.
 */
export async function discover(ticker: Ticker, context: RequestContext): Promise<Discovery> {
  const listing = preferredListing((await listingsByTicker(context).load(ticker)) ?? [])
  if (listing !== null) return fromListing(listing)
  const answer = (await answerByTicker(context).load(ticker)) ?? (await askOnce(ticker, context))
  if (answer.found !== null) return fromAnswer(answer, answer.found)
  throw notFound(
    `No instrument has the ticker ${ticker}: neither the instrument master nor ${answer.source} knows one.`,
  )
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

const asksByService = new WeakMap<IdentifierService, Map<Ticker, Promise<IdentifierAnswer>>>()

/** A second request for a ticker that is being resolved waits for the first; at most 32 run in a process. */
async function askOnce(ticker: Ticker, context: RequestContext): Promise<IdentifierAnswer> {
  const service = context.ports.get(identifierService)
  const asks = asksByService.get(service) ?? new Map<Ticker, Promise<IdentifierAnswer>>()
  asksByService.set(service, asks)
  const running = asks.get(ticker)
  if (running !== undefined) return running
  if (asks.size >= MAX_ASKS_IN_FLIGHT) throw unavailable(service, ticker, context, null)
  const ask = askAndKeep(service, ticker, context).finally(() => asks.delete(ticker))
  asks.set(ticker, ask)
  return ask
}

async function askAndKeep(
  service: IdentifierService,
  ticker: Ticker,
  context: RequestContext,
): Promise<IdentifierAnswer> {
  const found = await resolve(service, ticker, context)
  const answer: IdentifierAnswer = { ticker, found, answeredAt: context.now, source: service.source }
  const keptMs = found === null ? UNKNOWN_KEPT_MS : FOUND_KEPT_MS
  await writeAnswer(context.database, answer, new Date(context.now.getTime() + keptMs))
  return answer
}

async function resolve(service: IdentifierService, ticker: Ticker, context: RequestContext) {
  try {
    return await service.resolve(ticker)
  } catch (error) {
    if (!(error instanceof IdentifierServiceDown)) throw error
    context.log.warn({ err: error, ticker, source: service.source }, 'the identifier service gave no answer')
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
    ...(cause === null ? {} : { cause }),
  })
}

/** The primary listing of an asset by its integer key, null for none; all assets of a page are one statement. */
export function primaryListingOf(assetId: number, context: RequestContext): Promise<Listing | null> {
  return instrumentByAssetId(context).load(assetId)
}
