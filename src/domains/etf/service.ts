import {
  type Given,
  parseInstant,
  parseReportDate,
  parseTickerArgument,
  type ReportDateArguments,
} from '../../core/argument-parsers.js'
import { createAsOf, type KnowledgeBasis, knownAtText } from '../../core/as-of.js'
import { notFound } from '../../core/errors.js'
import type { OffsetPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import { didYouMean } from '../../core/suggest.js'
import type { IsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { findNearestTicker } from '../assets/service.js'
import { type ListingQuery, listingOfStock, parseListingQuery } from '../instruments/service.js'
import { type FundAsOf, loadFundPage, NOW, type StoredFund } from './fund-store.js'
import type { StoredHolder } from './holder-store.js'
import type { StoredHolding } from './holding-store.js'
import { type FundKey, fundByAsset, fundByTicker, holdersOfAsset, holdingsPage } from './loaders.js'
import { countUndatedReports, type ListedReport, loadFundReports } from './report-list-store.js'

export interface ReportArguments extends ReportDateArguments {
  readonly known_at?: Given<Date>
  readonly basis?: Given<KnowledgeBasis>
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

/** Reads `report_date`, `known_at` and `basis`, and adds a problem for each malformed one. */
export function parseReportArguments(problems: Problems, args: ReportArguments, now: Date): FundAsOf {
  const day = parseReportDate(problems, args, now)
  const at = parseInstant(problems, 'known_at', args.known_at)
  if (at !== null && at > now) problems.add('known_at', `must not be in the future; got ${at.toISOString()}`)
  return { day, knownAt: createAsOf(at, args.basis) }
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
  const known = knownAtText(knownAt)
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

/** The number of reports that a published question about some funds, or all (null), leaves out; 0 for another one. */
export async function countLeftOut(
  funds: readonly StoredFund[] | null,
  { day, knownAt }: FundAsOf,
  { database }: RequestContext,
): Promise<number> {
  if (knownAt?.basis !== 'published') return 0
  return countUndatedReports(database.prisma, funds?.map(({ assetId }) => assetId) ?? null, day)
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
  return assetClass === 'etf' ? fundByAsset(context).load({ assetId, ...NOW }) : null
}

/** An ETF that holds an asset. */
export interface Holder extends StoredHolder {
  readonly fund: StoredFund
}

/** A page of the ETFs that hold an asset, the heaviest first, and the number of all of them. */
export async function listHolders(
  assetId: number,
  page: OffsetPage,
  asOf: FundAsOf,
  context: RequestContext,
): Promise<{ readonly holders: readonly Holder[]; readonly total: number }> {
  const { limit, offset } = page
  const { day, knownAt } = asOf
  const found = await holdersOfAsset(context).load({ assetId, limit, offset, day, knownAt })
  if (found === null) return { holders: [], total: 0 }
  const funds = await Promise.all(
    found.holders.map(({ etfId }) => fundByAsset(context).load({ assetId: etfId, day, knownAt })),
  )
  const holders = found.holders.flatMap((holder, at) => {
    const fund = funds[at]
    return fund == null ? [] : [{ ...holder, fund }]
  })
  return { holders, total: found.total }
}

/** A stock, and the reports that say who holds it. */
export interface HeldStock {
  readonly listing: ListingQuery
  readonly asOf: FundAsOf
}

/** Reads the arguments for a stock and for reports, and adds a problem for each malformed one. */
export function parseHeldStock(
  problems: Problems,
  args: ReportArguments & { readonly ticker: string; readonly mic?: Given<string> },
  { now }: Pick<RequestContext, 'now'>,
): HeldStock {
  const listing = parseListingQuery(problems, args)
  const asOf = parseReportArguments(problems, args, now)
  problems.refuse()
  if (listing === null) throw new Error('a listing is null only with a problem')
  return { listing, asOf }
}

/** The ETFs that hold a stock. An unknown ticker is a 404. */
export async function listHoldersOfStock(
  { listing, asOf }: HeldStock,
  page: OffsetPage,
  context: RequestContext,
): Promise<{ readonly holders: readonly Holder[]; readonly total: number }> {
  const { assetId } = await listingOfStock(listing, context)
  return listHolders(assetId, page, asOf, context)
}
