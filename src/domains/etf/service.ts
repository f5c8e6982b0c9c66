import {
  type Given,
  parseInstant,
  parseReportDate,
  parseTickerArgument,
  type ReportDateArguments,
} from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import type { OffsetPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import { didYouMean } from '../../core/suggest.js'
import type { IsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { findNearestTicker } from '../assets/service.js'
import { type FundAsOf, loadFundPage, type StoredFund } from './fund-store.js'
import type { StoredHolding } from './holding-store.js'
import { type FundKey, fundByAsset, fundByTicker, holdingsPage } from './loaders.js'
import { type ListedReport, loadFundReports } from './report-list-store.js'

export interface ReportArguments extends ReportDateArguments {
  readonly known_at?: Given<Date>
}

/** Reads the arguments for one ETF and adds a problem for each malformed one. */
export function parseFundKeyArgument(
  problems: Problems,
  args: ReportArguments & { readonly ticker: string },
  { now }: Pick<RequestContext, 'now'>,
): FundKey {
  const ticker = parseTickerArgument(problems, args.ticker)
  return { ticker: ticker ?? '', ...parseReportArguments(problems, args, now) }
}

/** Reads `report_date` and `known_at`, and adds a problem for each malformed one. */
export function parseReportArguments(problems: Problems, args: ReportArguments, now: Date): FundAsOf {
  const day = parseReportDate(problems, args, now)
  const knownAt = parseInstant(problems, 'known_at', args.known_at)
  if (knownAt !== null && knownAt > now)
    problems.add('known_at', `must not be in the future; got ${knownAt.toISOString()}`)
  return { day, knownAt }
}

/** Reads the arguments for one ETF. The 422 names every malformed one. */
export function parseFundKey(
  args: ReportArguments & { readonly ticker: string },
  context: RequestContext,
): FundKey {
  const problems = new Problems()
  const key = parseFundKeyArgument(problems, args, context)
  problems.refuse()
  return key
}

/** The ETF of a ticker. Without one it is a 404, as is a requested day or instant without a report. */
export async function getFund(key: FundKey, context: RequestContext): Promise<StoredFund> {
  const fund = await fundByTicker(context).load(key)
  const { ticker, day, knownAt } = key
  if (fund === null) {
    const near = didYouMean(await findNearestTicker(ticker, 'etf', context))
    throw notFound(
      (name) =>
        `No ETF has the ticker ${ticker}${near} Use ${name('discover', { ticker })} to see what it is, or ${name('etfs')} to list all ETFs.`,
    )
  }
  if (fund.report === null && (day !== null || knownAt !== null)) throw reportNotFound(key)
  return fund
}

function reportNotFound({ ticker, day, knownAt }: FundKey) {
  const dated = day === null ? '' : ` of ${day} or earlier`
  const known = knownAt === null ? '' : ` that was known at ${knownAt.toISOString()}`
  return notFound(`The ETF ${ticker} has no report of its holdings${dated}${known}.`)
}

/** One page of ETFs in the order of their asset keys, and the number of all ETFs. */
export function listFunds(
  asOf: FundAsOf,
  page: OffsetPage,
  context: RequestContext,
): Promise<{ readonly funds: readonly StoredFund[]; readonly total: number }> {
  return loadFundPage(context.database, page, asOf)
}

/** A page of the reports of a fund, the newest first, and the number of all of them. */
export function listReports(
  { assetId }: StoredFund,
  page: OffsetPage,
  asOf: FundAsOf,
  context: RequestContext,
): Promise<{ readonly reports: readonly ListedReport[]; readonly total: number }> {
  return loadFundReports(context.database, assetId, page, asOf)
}

/** A holding with the day of its report. */
export interface DatedHolding extends StoredHolding {
  readonly report: { readonly asOf: IsoDate }
}

/** A page of the holdings of an ETF, the heaviest first. Empty without a report. */
export async function getHoldings(
  { report }: StoredFund,
  { limit, offset }: OffsetPage,
  context: RequestContext,
): Promise<readonly DatedHolding[]> {
  if (report === null) return []
  const { reportId, asOf } = report
  const holdings = (await holdingsPage(context).load({ reportId, limit, offset })) ?? []
  return holdings.map((holding) => ({ ...holding, report: { asOf } }))
}

/** The ETF of an asset, or null for other classes. All assets of one level share one statement. */
export function getFundOfAsset(
  { assetId, assetClass }: { readonly assetId: number; readonly assetClass: string },
  context: RequestContext,
): Promise<StoredFund | null> | null {
  return assetClass === 'etf' ? fundByAsset(context).load(assetId) : null
}
