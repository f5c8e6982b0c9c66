import type { AsOf } from '../../core/as-of.js'
import type { IsoDate } from '../../core/time.js'
import { ASSET, ETF_REPORT, INSTRUMENT } from '../../generated/columns.js'
import { asOfStatement, type KnownAt } from '../../platform/bi-temporal/as-of-statement.js'
import { ETF_PUBLISHED } from '../../platform/bi-temporal/published-rules.js'
import type { Database, Sql } from '../../platform/database/database.js'
import { only, orNull, type RowOf, selectList } from '../../platform/database/statement.js'

/** Selects reports by their day and by when they were known. */
export interface FundAsOf {
  /** Null selects the newest report. */
  readonly day: IsoDate | null
  /** Null selects what is known now. */
  readonly knownAt: AsOf | null
}

const OF_ASSET = only(ASSET, 'slug', 'name', 'lastUpdated')
const OF_LISTING = only(INSTRUMENT, 'assetId', 'ticker', 'isin', 'figi', 'mic', 'currency', 'source')
const OF_REPORT = {
  ...only(ETF_REPORT, 'reportId', 'asOf', 'publishedAt', 'accession', 'knownFrom'),
  ...only(ETF_REPORT, 'weightSum', 'uninvestedCash', 'holdingsCount'),
} as const
const REPORT = { ...OF_REPORT, reportSource: 'text' } as const

const FUND = {
  ...OF_ASSET,
  ...OF_LISTING,
  ...orNull(REPORT),
  ...orNull(only(ETF_REPORT, 'nav', 'navCurrency', 'isNavComputed', 'netAssetsUsd')),
  navDate: 'date?',
  navSource: 'text?',
  quarantineReason: 'text?',
} as const

type FundRow = RowOf<typeof FUND>

/** A report of a fund, without its holdings. */
export type StoredReport = RowOf<typeof REPORT> & {
  /** Reason for the quarantine of a later import. Null if no later import was quarantined. */
  readonly quarantineReason: string | null
}

/** Net asset value of one share, from the newest report that states one. */
export interface StoredNav {
  readonly value: string
  readonly date: IsoDate
  readonly currency: string
  readonly isComputed: boolean
  readonly source: string
}

/** The listing of an ETF with the figures of its reports. */
export interface StoredFund extends RowOf<typeof OF_ASSET>, RowOf<typeof OF_LISTING> {
  /** The newest report, or null without one. */
  readonly report: StoredReport | null
  readonly nav: StoredNav | null
  readonly netAssetsUsd: string | null
  /** The day and the instant that the figures were requested for. */
  readonly requested: FundAsOf
}

/** Reports of the day $2 and before, or of all days if it is null. In both cases PostgreSQL can use the index. */
export const upToDay =
  (known: KnownAt): KnownAt =>
  (row) =>
    `${known(row)} and ${row}.as_of <= coalesce($2::date, 'infinity')`

/** SQL: the newest good report of the listing `i`, optionally the newest one that states a figure. */
const newestReport = (known: KnownAt, states = '') =>
  `select * from etf_report g where g.asset_id = i.asset_id and g.status = 'good' and ${known('g')} ${states}
   order by g.as_of desc, g.known_from desc, g.report_id desc limit 1`

const SELECTED = `${selectList(OF_ASSET, 'a')}, ${selectList(OF_LISTING, 'i')}, ${selectList(OF_REPORT, 'r')},
  r.source as "reportSource", n.nav, n.as_of as "navDate", n.nav_currency as "navCurrency",
  n.is_nav_computed as "isNavComputed", n.source as "navSource", w.net_assets_usd as "netAssetsUsd",
  q.reason as "quarantineReason"`

const figures = (known: KnownAt) => `
  left join lateral (${newestReport(known)}) r on true
  left join lateral (${newestReport(known, 'and g.nav is not null')}) n on true
  left join lateral (${newestReport(known, 'and g.net_assets_usd is not null')}) w on true
  left join lateral (
    select q.reason from etf_report q where q.asset_id = i.asset_id and q.status = 'quarantined' and ${known('q')}
      and (r.report_id is null or (q.as_of >= r.as_of and q.known_from >= r.known_from))
    order by q.known_from desc limit 1) q on true`

const ETFS = `instrument i join asset a on a.asset_id = i.asset_id and a.asset_class = 'etf'`

const selectByTicker = asOfStatement(
  'lacks newest per key',
  FUND,
  2,
  ETF_PUBLISHED,
  (known) =>
    `select distinct on (i.ticker) ${SELECTED} from ${ETFS} ${figures(upToDay(known))}
     where i.ticker = any($1::text[]) order by i.ticker, i.inactive_since nulls first, i.is_primary desc, i.asset_id`,
)

const selectByAsset = asOfStatement(
  'lacks newest per key',
  FUND,
  2,
  ETF_PUBLISHED,
  (known) =>
    `select distinct on (i.asset_id) ${SELECTED} from ${ETFS} ${figures(upToDay(known))}
     where i.asset_id = any($1::int[]) and i.is_primary order by i.asset_id, i.instrument_id`,
)

const selectPage = asOfStatement(
  'lacks newest per key',
  FUND,
  3,
  ETF_PUBLISHED,
  (known) => `select ${SELECTED} from (
     select distinct on (i.asset_id) i.* from ${ETFS} where i.is_primary order by i.asset_id, i.instrument_id
     limit $1 offset $3
   ) i join asset a on a.asset_id = i.asset_id ${figures(upToDay(known))} order by i.asset_id`,
)

/** The ETF of each ticker. If several ETFs have the ticker, one that is still listed wins, then a primary listing. */
export async function loadFundsByTicker(
  sql: Sql,
  tickers: readonly string[],
  requested: FundAsOf,
): Promise<ReadonlyMap<string, StoredFund>> {
  const rows = await selectByTicker(sql, [tickers, requested.day], requested.knownAt)
  return new Map(rows.map((row) => [row.ticker, toFund(row, requested)]))
}

/** ETFs by the key of their asset as text. */
export async function loadFundsByAsset(
  sql: Sql,
  assetIds: readonly number[],
  requested: FundAsOf,
): Promise<ReadonlyMap<string, StoredFund>> {
  const rows = await selectByAsset(sql, [assetIds, requested.day], requested.knownAt)
  return new Map(rows.map((row) => [String(row.assetId), toFund(row, requested)]))
}

/** One page of ETFs in the order of their keys, and the number of all ETFs, in two statements. */
export async function loadFundPage(
  database: Database,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  requested: FundAsOf,
): Promise<{ readonly funds: readonly StoredFund[]; readonly total: number }> {
  const [rows, total] = await Promise.all([
    selectPage(database, [limit, requested.day, offset], requested.knownAt),
    database.prisma.asset.count({ where: { assetClass: 'etf', instruments: { some: { isPrimary: true } } } }),
  ])
  return { funds: rows.map((row) => toFund(row, requested)), total }
}

/** The newest reports, as they are known now. */
export const NOW: FundAsOf = { day: null, knownAt: null }

function toFund(row: FundRow, requested: FundAsOf): StoredFund {
  const { assetId, slug, ticker, name, isin, figi, mic, currency, source, lastUpdated, netAssetsUsd } = row
  const listing = { assetId, slug, ticker, name, isin, figi, mic, currency, source, lastUpdated }
  return { ...listing, report: toReport(row), nav: toNav(row), netAssetsUsd, requested }
}

function toReport({
  reportId,
  asOf,
  reportSource,
  weightSum,
  holdingsCount,
  knownFrom,
  ...row
}: FundRow): StoredReport | null {
  if (reportId === null || asOf === null || reportSource === null) return null
  if (weightSum === null || holdingsCount === null || knownFrom === null) return null
  const { publishedAt, accession, uninvestedCash, quarantineReason } = row
  const facts = { publishedAt, accession, uninvestedCash, quarantineReason }
  return { reportId, asOf, reportSource, weightSum, holdingsCount, knownFrom, ...facts }
}

function toNav({ nav, navDate, navCurrency, navSource, isNavComputed }: FundRow): StoredNav | null {
  if (nav === null || navDate === null || navCurrency === null || navSource === null) return null
  return {
    value: nav,
    date: navDate,
    currency: navCurrency,
    source: navSource,
    isComputed: isNavComputed === true,
  }
}
