import { type Given, parseInstant, parsePastDay } from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import { explainTicker, parseTicker } from '../../core/identifiers.js'
import type { OffsetPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { type FundAsOf, loadFundPage, type StoredFund } from './fund-store.js'
import type { StoredHolding } from './holding-store.js'
import { type FundKey, fundByAsset, fundByTicker, holdingsPage } from './loaders.js'

export interface AsOfArguments {
  readonly as_of?: Given<string>
  readonly known_at?: Given<Date>
}

/** What is asked of one ETF; notes everything that is malformed. */
export function parseFundKeyArgument(
  problems: Problems,
  args: AsOfArguments & { readonly ticker: string },
  { now }: Pick<RequestContext, 'now'>,
): FundKey {
  const ticker = parseTicker(args.ticker)
  if (ticker === null) problems.add('ticker', explainTicker(args.ticker) ?? 'must be a ticker')
  return { ticker: ticker ?? '', ...parseAsOfArguments(problems, args, now) }
}

/** As of which day funds are asked for, and as known when; notes what is malformed. */
export function parseAsOfArguments(problems: Problems, args: AsOfArguments, now: Date): FundAsOf {
  const day = parsePastDay(problems, 'as_of', args.as_of, now)
  const knownAt = parseInstant(problems, 'known_at', args.known_at)
  if (knownAt !== null && knownAt > now)
    problems.add('known_at', `must not be in the future; got ${knownAt.toISOString()}`)
  return { day, knownAt }
}

/** The same; 422 names what is wrong. */
export function parseFundKey(
  args: AsOfArguments & { readonly ticker: string },
  context: RequestContext,
): FundKey {
  const problems = new Problems()
  const key = parseFundKeyArgument(problems, args, context)
  problems.refuse()
  return key
}

/** The ETF of a ticker; 404 where there is none, and where a day or instant is asked for that no report is of. */
export async function getFund(key: FundKey, context: RequestContext): Promise<StoredFund> {
  const fund = await fundByTicker(context).load(key)
  const { ticker, day, knownAt } = key
  if (fund === null)
    throw notFound(
      (name) =>
        `No ETF has the ticker ${ticker}. What it is can be asked of ${name('discover', { ticker })}; all ETFs are listed by ${name('etfs')}.`,
    )
  if (fund.report === null && (day !== null || knownAt !== null)) throw noReport(key)
  return fund
}

function noReport({ ticker, day, knownAt }: FundKey) {
  const of = day === null ? '' : ` of ${day} or before`
  const then = knownAt === null ? '' : ` that was known at ${knownAt.toISOString()}`
  return notFound(`There is no report of the holdings of ${ticker}${of}${then}.`)
}

/** One page of ETFs in the order of their asset keys, and how many there are. */
export function listFunds(
  asOf: FundAsOf,
  page: OffsetPage,
  context: RequestContext,
): Promise<{ readonly funds: readonly StoredFund[]; readonly total: number }> {
  return loadFundPage(context.database, page, asOf)
}

/** A page of what an ETF holds, the heaviest first; empty while there is no report. */
export async function getHoldings(
  { report }: StoredFund,
  { limit, offset }: OffsetPage,
  context: RequestContext,
): Promise<readonly StoredHolding[]> {
  if (report === null) return []
  return (await holdingsPage(context).load({ reportId: report.reportId, limit, offset })) ?? []
}

/** The ETF behind an asset; null for assets of other classes. One statement for all of a level. */
export function fundOfAsset(
  { assetId, assetClass }: { readonly assetId: number; readonly assetClass: string },
  context: RequestContext,
): Promise<StoredFund | null> | null {
  return assetClass === 'etf' ? fundByAsset(context).load(assetId) : null
}
