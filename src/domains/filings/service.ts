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
import { computeFigures, type Figures } from './figures/figures-model.js'
import { annualReports, lastMarketCapInputs, marketCapInputs, periodReports } from './loaders.js'
import { averagedDays, type LastMarketCap, lastMarketCap, type MarketCapInputs } from './market-cap-model.js'
import { type FundamentalsPeriod, PERIOD_LIMITS } from './model.js'
import { readHistory } from './periods/fact-history-model.js'
import { computePeriodFigures } from './periods/period-figures-model.js'
import type { PeriodReport, ReportsKey } from './store.js'

/** A period of the company behind a listing. */
export interface StockFundamentals extends Valuation {
  readonly listing: Listing
  readonly cik: string
  readonly selection: PeriodSelection
  readonly report: PeriodReport
}

/** The kind of periods and the filings that are used. */
export interface PeriodSelection {
  readonly period: FundamentalsPeriod
  /** Only filings up to this day are used. Null uses all filings. */
  readonly filedBy: IsoDate | null
}

export interface FundamentalsQuery extends PeriodSelection {
  readonly listing: ListingQuery
}

interface GivenSelection extends ReportDateArguments {
  readonly period?: Given<FundamentalsPeriod>
}

interface GivenQuery extends GivenSelection {
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
  return { listing, filedBy, period: given.period ?? 'year' }
}

/** The kind of periods and the day up to which filings are used. A malformed or future day is a 422. */
export function checkSelection(given: GivenSelection, context: RequestContext): PeriodSelection {
  const problems = new Problems()
  const filedBy = parseReportDate(problems, given, context.now)
  problems.refuse()
  return { filedBy, period: given.period ?? 'year' }
}

/** The maximum number of earlier periods. A number outside the bounds is a 422. */
export function checkPeriods(given: Given<number>): number {
  const problems = new Problems()
  const limit = parseLimit(problems, given, PERIOD_LIMITS)
  problems.refuse()
  return limit
}

/** The latest period of a stock with a filed report, or a 404. */
export async function getStockFundamentals(
  { listing: requested, ...selection }: FundamentalsQuery,
  context: RequestContext,
): Promise<StockFundamentals> {
  const listing = await listingOfStock(requested, context)
  const found = await getFundamentalsOfAsset(listing, selection, context)
  if (found !== null) return found
  const { ticker, name, cik } = listing
  if (cik === null)
    throw notFound(
      `${name} (${ticker}) has no fundamentals, because no SEC registration (CIK) of the company is known.`,
    )
  const { period, filedBy } = selection
  const until = filedBy === null ? '' : ` that was filed by ${filedBy}`
  const report = period === 'year' ? 'annual' : 'quarterly or annual'
  throw notFound(`${name} (${ticker}, CIK ${cik}) has no ${report} report${until}.`)
}

/** The latest period of a loaded listing, or null. All listings of a request share their statements. */
export async function getFundamentalsOfAsset(
  listing: Listing,
  selection: PeriodSelection,
  context: RequestContext,
): Promise<StockFundamentals | null> {
  const [newest] = await listPeriods(listing, selection, { before: null, limit: 1 }, context)
  return newest ?? null
}

/** The periods of the same kind before a given one, the newest first, with filings up to the same day. */
export function listEarlierPeriods(
  { listing, selection, report }: StockFundamentals,
  limit: number,
  context: RequestContext,
): Promise<readonly StockFundamentals[]> {
  return listPeriods(listing, selection, { before: report.periodEnd, limit }, context)
}

async function listPeriods(
  listing: Listing,
  selection: PeriodSelection,
  range: Pick<ReportsKey, 'before' | 'limit'>,
  context: RequestContext,
): Promise<readonly StockFundamentals[]> {
  const { assetId, cik } = listing
  if (cik === null) return []
  const { period, filedBy } = selection
  const key = { assetId, cik, filedBy, ...range }
  const found = await (period === 'year' ? loadYears(key, context) : loadComputed(period, key, context))
  return Promise.all(
    found.map(async ({ report, figures }) => {
      const inputs = await loadCapInputs(listing, cik, report.periodEnd, filedBy, context)
      return { listing, cik, selection, report, ...computeValuation(figures, report.periodEnd, inputs) }
    }),
  )
}

interface ReportFigures {
  readonly report: PeriodReport
  readonly figures: Figures
}

async function loadYears(key: ReportsKey, context: RequestContext): Promise<readonly ReportFigures[]> {
  const reports = (await annualReports(context).load(key)) ?? []
  return reports.map((report) => ({
    report,
    figures: computeFigures(report.facts, report.periodEnd, report.shareCountsBefore),
  }))
}

async function loadComputed(
  period: Exclude<FundamentalsPeriod, 'year'>,
  key: ReportsKey,
  context: RequestContext,
): Promise<readonly ReportFigures[]> {
  const { reports, amounts } = (await periodReports(context).load(key)) ?? { reports: [], amounts: [] }
  const history = readHistory(amounts)
  return reports.map((report) => ({ report, figures: computePeriodFigures(period, report, history) }))
}

/** The prices and share counts behind an average market capitalisation. Null without matching prices. */
async function loadCapInputs(
  { assetId, ticker, mic }: Listing,
  cik: string,
  periodEnd: IsoDate,
  filedBy: IsoDate | null,
  context: RequestContext,
): Promise<MarketCapInputs | null> {
  if (!arePricesOfReports(context)) return null
  return marketCapInputs(context).load({ assetId, ticker, mic, cik, filedBy, ...averagedDays(periodEnd) })
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
