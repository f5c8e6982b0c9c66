import { type Given, parseLimit, parsePastDay } from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import { Problems } from '../../core/problems.js'
import { endOfDay, type IsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Listing } from '../instruments/model.js'
import { type ListingQuery, listingOfStock, parseListingQuery } from '../instruments/service.js'
import { type Valuation, valuationOf } from './aaoifi-model.js'
import { annualReports, lastMarketCapInputs, marketCapInputs } from './loaders.js'
import { averagedDays, type LastMarketCap, lastMarketCap } from './market-cap-model.js'
import { PERIOD_LIMITS } from './model.js'
import type { AnnualReport } from './store.js'

/** A fiscal year of the company behind a listing. */
export interface StockFundamentals extends Valuation {
  readonly listing: Listing
  readonly cik: string
  /** What was filed by that day; null: everything. */
  readonly filedBy: IsoDate | null
  readonly report: AnnualReport
}

export interface FundamentalsQuery {
  readonly listing: ListingQuery
  readonly filedBy: IsoDate | null
}

interface GivenQuery {
  readonly ticker: string
  readonly mic?: Given<string>
  readonly as_of?: Given<string>
}

/** The question; 422 that names everything that is malformed. */
export function parseFundamentalsQuery(given: GivenQuery, context: RequestContext): FundamentalsQuery {
  const problems = new Problems()
  const listing = parseListingQuery(problems, given)
  const filedBy = parsePastDay(problems, 'as_of', given.as_of, context.now)
  problems.refuse()
  if (listing === null) throw new Error('what is wrong with a listing is a problem')
  return { listing, filedBy }
}

/** The day by which reports were filed; 422 for one that is none, or in the future. */
export function checkFiledBy(asOf: Given<string>, context: RequestContext): IsoDate | null {
  const problems = new Problems()
  const filedBy = parsePastDay(problems, 'as_of', asOf, context.now)
  problems.refuse()
  return filedBy
}

/** Earlier fiscal years of an answer at most; 422 beyond the bounds. */
export function checkPeriods(given: Given<number>): number {
  const problems = new Problems()
  const limit = parseLimit(problems, given, PERIOD_LIMITS)
  problems.refuse()
  return limit
}

/** The latest fiscal year of a stock that an annual report was filed for; 404 where there is none. */
export async function getStockFundamentals(
  { listing: asked, filedBy }: FundamentalsQuery,
  context: RequestContext,
): Promise<StockFundamentals> {
  const listing = await listingOfStock(asked, context)
  const found = await getFundamentalsOfAsset(listing, filedBy, context)
  if (found !== null) return found
  const { ticker, name, cik } = listing
  if (cik === null)
    throw notFound(`${name} (${ticker}) has no CIK here: it is not known to file with the SEC.`)
  const until = filedBy === null ? '' : ` filed by ${filedBy}`
  throw notFound(`There is no annual report of ${name} (${ticker}, CIK ${cik})${until}.`)
}

/** The same for a listing that is known; null where there is none. All listings of an operation are two statements. */
export async function getFundamentalsOfAsset(
  listing: Listing,
  filedBy: IsoDate | null,
  context: RequestContext,
): Promise<StockFundamentals | null> {
  const { cik } = listing
  if (cik === null) return null
  const [newest] = (await annualReports(context).load({ cik, filedBy, before: null, limit: 1 })) ?? []
  return newest === undefined ? null : withRatios({ listing, cik, filedBy, report: newest }, context)
}

/** The fiscal years before one, the newest first, by what was filed by the same day. */
export async function earlierPeriods(
  { listing, cik, filedBy, report }: StockFundamentals,
  limit: number,
  context: RequestContext,
): Promise<readonly StockFundamentals[]> {
  const before = report.periodEnd
  const reports = (await annualReports(context).load({ cik, filedBy, before, limit })) ?? []
  return Promise.all(
    reports.map((earlier) => withRatios({ listing, cik, filedBy, report: earlier }, context)),
  )
}

async function withRatios(
  facts: Pick<StockFundamentals, 'listing' | 'cik' | 'filedBy' | 'report'>,
  context: RequestContext,
): Promise<StockFundamentals> {
  const { listing, cik, filedBy, report } = facts
  const { assetId, ticker, mic } = listing
  const days = averagedDays(report.periodEnd)
  const inputs = arePricesOfReports(context)
    ? await marketCapInputs(context).load({ assetId, ticker, mic, cik, filedBy, ...days })
    : null
  return { ...facts, ...valuationOf(report, inputs) }
}

/**
 * The market capitalisation by the newest imported price, null where `lastMarketCap` has none; all listings of an operation
 * are one statement.
 */
export async function getMarketCap(
  { assetId, ticker, mic, cik }: Listing,
  context: RequestContext,
): Promise<LastMarketCap | null> {
  if (cik === null || !arePricesOfReports(context)) return null
  const inputs = await lastMarketCapInputs(context).load({ assetId, ticker, mic, cik })
  if (inputs === null) return null
  context.validity?.endsBy(endOfDay(context.now))
  return lastMarketCap(inputs)
}

/** Synthetic prices say nothing of real reports, nor real ones of synthetic reports. */
function arePricesOfReports({ datasets }: RequestContext): boolean {
  return datasets.get('prices')?.isDevDataset === datasets.get('filings')?.isDevDataset
}
