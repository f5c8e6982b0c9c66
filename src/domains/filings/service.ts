import {
  type Given,
  parseLimit,
  parseReportDate,
  type ReportDateArguments,
} from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import { Problems } from '../../core/problems.js'
import { endOfDay, type IsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Listing } from '../instruments/model.js'
import { type ListingQuery, listingOfStock, parseListingQuery } from '../instruments/service.js'
import { computeValuation, type Valuation } from './aaoifi-model.js'
import { annualReports, lastMarketCapInputs, marketCapInputs } from './loaders.js'
import { averagedDays, type LastMarketCap, lastMarketCap } from './market-cap-model.js'
import { PERIOD_LIMITS } from './model.js'
import type { AnnualReport } from './store.js'

/** A fiscal year of the company behind a listing. */
export interface StockFundamentals extends Valuation {
  readonly listing: Listing
  readonly cik: string
  /** Only filings up to this day are used. Null uses all filings. */
  readonly filedBy: IsoDate | null
  readonly report: AnnualReport
}

export interface FundamentalsQuery {
  readonly listing: ListingQuery
  readonly filedBy: IsoDate | null
}

interface GivenQuery extends ReportDateArguments {
  readonly ticker: string
  readonly mic?: Given<string>
}

/** Parses the query. The 422 names every malformed argument. */
export function parseFundamentalsQuery(given: GivenQuery, context: RequestContext): FundamentalsQuery {
  const problems = new Problems()
  const listing = parseListingQuery(problems, given)
  const filedBy = parseReportDate(problems, given, context.now)
  problems.refuse()
  if (listing === null) throw new Error('a listing is null only with a problem')
  return { listing, filedBy }
}

/** The day up to which filings are used. A malformed or future day is a 422. */
export function checkFiledBy(given: ReportDateArguments, context: RequestContext): IsoDate | null {
  const problems = new Problems()
  const filedBy = parseReportDate(problems, given, context.now)
  problems.refuse()
  return filedBy
}

/** The maximum number of earlier fiscal years. A number outside the bounds is a 422. */
export function checkPeriods(given: Given<number>): number {
  const problems = new Problems()
  const limit = parseLimit(problems, given, PERIOD_LIMITS)
  problems.refuse()
  return limit
}

/** The latest fiscal year of a stock with a filed annual report, or a 404. */
export async function getStockFundamentals(
  { listing: requested, filedBy }: FundamentalsQuery,
  context: RequestContext,
): Promise<StockFundamentals> {
  const listing = await listingOfStock(requested, context)
  const found = await getFundamentalsOfAsset(listing, filedBy, context)
  if (found !== null) return found
  const { ticker, name, cik } = listing
  if (cik === null)
    throw notFound(
      `${name} (${ticker}) has no fundamentals, because no SEC registration (CIK) of the company is known.`,
    )
  const until = filedBy === null ? '' : ` that was filed by ${filedBy}`
  throw notFound(`${name} (${ticker}, CIK ${cik}) has no annual report${until}.`)
}

/** The latest fiscal year of a loaded listing, or null. All listings of a request share two statements. */
export async function getFundamentalsOfAsset(
  listing: Listing,
  filedBy: IsoDate | null,
  context: RequestContext,
): Promise<StockFundamentals | null> {
  const { assetId, cik } = listing
  if (cik === null) return null
  const [newest] =
    (await annualReports(context).load({ assetId, cik, filedBy, before: null, limit: 1 })) ?? []
  return newest === undefined ? null : addRatios({ listing, cik, filedBy, report: newest }, context)
}

/** The fiscal years before a given one, the newest first, with filings up to the same day. */
export async function listEarlierPeriods(
  { listing, cik, filedBy, report }: StockFundamentals,
  limit: number,
  context: RequestContext,
): Promise<readonly StockFundamentals[]> {
  const before = report.periodEnd
  const { assetId } = listing
  const reports = (await annualReports(context).load({ assetId, cik, filedBy, before, limit })) ?? []
  return Promise.all(reports.map((earlier) => addRatios({ listing, cik, filedBy, report: earlier }, context)))
}

async function addRatios(
  facts: Pick<StockFundamentals, 'listing' | 'cik' | 'filedBy' | 'report'>,
  context: RequestContext,
): Promise<StockFundamentals> {
  const { listing, cik, filedBy, report } = facts
  const { assetId, ticker, mic } = listing
  const days = averagedDays(report.periodEnd)
  const inputs = arePricesOfReports(context)
    ? await marketCapInputs(context).load({ assetId, ticker, mic, cik, filedBy, ...days })
    : null
  return { ...facts, ...computeValuation(report, inputs) }
}

/** The market capitalisation at the newest imported price. All listings of a request share one statement. */
export async function getMarketCap(
  { assetId, ticker, mic, cik }: Listing,
  context: RequestContext,
): Promise<LastMarketCap> {
  if (cik === null) return { valueUsd: null, reason: 'no filings with the SEC are known' }
  if (!arePricesOfReports(context))
    return { valueUsd: null, reason: 'either the prices or the filings are synthetic; they are not combined' }
  const inputs = await lastMarketCapInputs(context).load({ assetId, ticker, mic, cik })
  if (inputs !== null) context.validity?.endsBy(endOfDay(context.now))
  return lastMarketCap(inputs)
}

/** Synthetic prices must not be combined with real reports, nor real prices with synthetic reports. */
function arePricesOfReports({ datasets }: RequestContext): boolean {
  return datasets.get('prices')?.isDevDataset === datasets.get('filings')?.isDevDataset
}
