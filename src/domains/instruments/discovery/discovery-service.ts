import { type Given, parsePastDay, parseTickerArgument } from '../../../core/argument-parsers.js'
import { ApiError, invalid, notFound } from '../../../core/errors.js'
import type { Ticker } from '../../../core/identifiers.js'
import { Problems } from '../../../core/problems.js'
import { didYouMean } from '../../../core/suggest.js'
import type { IsoDate } from '../../../core/time.js'
import type { Charge } from '../../../platform/quota/counters.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import {
  giveBackCharge,
  questionCharge,
  questionsSpent,
  takeCharge,
} from '../../access/question-quota-service.js'
import type { AssetClass } from '../../assets/model.js'
import { findNearestTicker } from '../../assets/service.js'
import { answerByTicker, listingsByTicker } from '../loaders.js'
import { type Listing, preferredListing } from '../model.js'
import { findFormerListing, formerText, getPrimaryListing } from '../service.js'
import type { SymbolPeriod } from '../symbols/symbol-periods.js'
import { listSymbolPeriods } from '../symbols/symbol-service.js'
import { loadAnswers, writeAnswer } from './identifier-answers-store.js'
import {
  type IdentifierAnswer,
  type IdentifierService,
  IdentifierServiceDown,
  identifierService,
  MAX_LOOKUPS_IN_FLIGHT,
  RETRY_AFTER_MS,
  type ResolvedInstrument,
  TICKERS_PER_HOUR,
} from './identifier-service-model.js'

/** The instrument of a ticker. A member is null if neither the master nor the service states it. */
export interface Discovery {
  readonly ticker: string
  readonly figi: string | null
  readonly name: string
  readonly assetClass: AssetClass | null
  readonly isin: string | null
  readonly mic: string | null
  readonly currency: string | null
  /** Key and slug of the asset. Both are null if the instrument is not in the master. */
  readonly assetId: number | null
  readonly slug: string | null
  /** Provider of the listing in the master, or of the list that has the ticker. Null if the service answered. */
  readonly masterSource: string | null
  /** The answer of the service. Null if the master has the ticker. */
  readonly answer: { readonly source: string; readonly answeredAt: Date } | null
}

/** The ticker in upper case, and the day on which an instrument had it; null for today. A 422 names every wrong argument. */
export function parseDiscover(
  args: { readonly ticker: string; readonly on?: Given<string> },
  { now }: { readonly now: Date },
): { readonly ticker: Ticker; readonly on: IsoDate | null } {
  const problems = new Problems()
  const ticker = parseTickerArgument(problems, args.ticker)
  const on = parsePastDay(problems, 'on', args.on, now)
  problems.refuse()
  if (ticker === null) throw new Error('a ticker is null only with a problem')
  return { ticker, on }
}

/**
 * Finds the instrument of a ticker. It searches the master (see `preferredListing`), then the stored answers of the identifier
 * service, then requests it from the service. An unknown ticker is a 404, as is the former ticker of an instrument of the
 * master. If the service was needed and gave no answer, it is a 503, which is not stored. An account that exceeds its hourly
 * limit gets a 429. A 404 is charged if the service was asked.
 */
export async function discover(ticker: Ticker, context: RequestContext): Promise<Discovery> {
  const listing = preferredListing((await listingsByTicker(context).load(ticker)) ?? [])
  if (listing !== null) return fromListing(listing)
  const former = await findFormerListing(ticker, context)
  if (former !== null) {
    const { ticker: today } = former
    throw notFound(
      (name) =>
        `No instrument has the ticker ${ticker}. ${formerText(former)} Use ${name('discover', { ticker: today })} instead.`,
    )
  }
  const kept = (await answerByTicker(context).load(ticker)) ?? null
  const answer = kept ?? (await lookUpOnce(ticker, context))
  const { source } = context.ports.get(identifierService)
  if (answer.found !== null) return fromFound(ticker, answer.found, { source, answeredAt: answer.answeredAt })
  const near = didYouMean(await findNearestTicker(ticker, null, context))
  throw new ApiError('not_found', {
    message: `No instrument has the ticker ${ticker}${near} It is neither in the instrument master nor known to ${source}.`,
    isCharged: kept === null,
  })
}

/**
 * Finds the instrument of the master or of the SEC's lists that had a ticker on a day, with its current identifiers. A 404 if none had it, a 422 if
 * several had it. The identifier service is not asked, because it knows current tickers only.
 */
export async function discoverOn(ticker: Ticker, on: IsoDate, context: RequestContext): Promise<Discovery> {
  const [period, ...others] = await listSymbolPeriods({ ticker, on, mic: null, asOf: null }, context)
  if (period === undefined) throw new Error('a ticker without a period is not found')
  if (others.length > 0) {
    const names = [period, ...others].map(({ name, slug, cik }) => `${name} (${slug ?? `CIK ${cik}`})`)
    throw invalid({
      field: 'on',
      message: `several securities had the ticker ${ticker} on ${on}: ${names.join(', ')}; use the slug of the one that you mean`,
    })
  }
  const listing = period.assetId === null ? null : await getPrimaryListing(period.assetId, context)
  return listing === null ? fromPeriod(period) : { ...fromListing(listing), ticker }
}

/** A security of the SEC's lists, which do not state its class. */
function fromPeriod({ ticker, name, mic, source }: SymbolPeriod): Discovery {
  const unknown = { figi: null, assetClass: null, isin: null, currency: null, assetId: null, slug: null }
  return { ...unknown, ticker, name, mic, masterSource: source, answer: null }
}

function fromListing(listing: Listing): Discovery {
  const { ticker, figi, name, assetClass, isin, mic, currency, assetId, slug, source } = listing
  const own = { assetId, slug, masterSource: source, answer: null }
  return { ticker, figi, name, assetClass, isin, mic, currency, ...own }
}

function fromFound(ticker: string, found: ResolvedInstrument, answer: Discovery['answer']): Discovery {
  const { figi, name, assetClass, mic, currency } = found
  const unknown = { isin: null, assetId: null, slug: null, masterSource: null }
  return { ticker, figi, name, assetClass, mic, currency, ...unknown, answer }
}

const TICKERS = { name: 'tickers asked', perHour: TICKERS_PER_HOUR } // the name is a key of stored counters

const lookupsByService = new WeakMap<IdentifierService, Map<Ticker, Promise<IdentifierAnswer>>>()

/** A request for a ticker that is being looked up waits for that look-up. At most 32 look-ups run in a process. */
async function lookUpOnce(ticker: Ticker, context: RequestContext): Promise<IdentifierAnswer> {
  const service = context.ports.get(identifierService)
  const lookups = lookupsByService.get(service) ?? new Map<Ticker, Promise<IdentifierAnswer>>()
  lookupsByService.set(service, lookups)
  const running = lookups.get(ticker)
  if (running !== undefined) return running
  const charge = questionCharge(TICKERS, 1, context)
  if (!(await takeCharge(charge, context))) throw questionsSpent(lookupLimitText(service), charge)
  const begun = lookups.get(ticker) // by another request while this one was charged
  if (begun !== undefined || lookups.size >= MAX_LOOKUPS_IN_FLIGHT) {
    await giveBackCharge(charge, context)
    if (begun !== undefined) return begun
    throw unavailable(service, ticker, context, null)
  }
  const lookup = lookUpAndStore(service, ticker, charge, context).finally(() => lookups.delete(ticker))
  lookups.set(ticker, lookup)
  return lookup
}

/** Reads the database again, because the loader caches what was stored when the request began. */
async function loadStoredAnswer(
  ticker: Ticker,
  { database, now }: RequestContext,
): Promise<IdentifierAnswer | undefined> {
  return (await loadAnswers(database.prisma, [ticker], now)).get(ticker)
}

function lookupLimitText({ source }: IdentifierService): string {
  return `An account can look up ${TICKERS_PER_HOUR} unknown tickers per clock hour at ${source}. Tickers of the instrument master and recently looked-up ones do not count.`
}

async function lookUpAndStore(
  service: IdentifierService,
  ticker: Ticker,
  charge: Charge,
  context: RequestContext,
): Promise<IdentifierAnswer> {
  // A look-up that ended before this one began has stored its answer.
  const stored = await loadStoredAnswer(ticker, context)
  if (stored !== undefined) {
    await giveBackCharge(charge, context)
    return stored
  }
  const found = await resolve(service, ticker, charge, context)
  const answer = { ticker, found, answeredAt: context.now }
  await writeAnswer(context.database, answer)
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
    message: `${ticker} is not in the instrument master, and ${service.source} is not answering. Try again later.`,
    retryAfter: Math.ceil((context.now.getTime() + waitMs) / 1000),
    ...(cause === null ? {} : { cause }),
  })
}
