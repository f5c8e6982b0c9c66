import type { IsoDate } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { column, orNull, type RowOf, selectList, statement } from '../../platform/database/statement.js'
import { ASSET_COLUMNS } from '../assets/model.js'

/** What is asked of funds: as of which day, and as it was known when. */
export interface AsOf {
  /** Null: the newest. */
  readonly day: IsoDate | null
  /** Null: now. */
  readonly knownAt: Date | null
}

/** Later than any report, and than anything known: the parameters for the newest that is known now. */
const LAST_DAY = '9999-12-31'
const LAST_INSTANT = new Date('9999-12-31T00:00:00Z')

const { slug, name, lastUpdated } = ASSET_COLUMNS
const OF_ASSET = { slug, name, lastUpdated } as const
const OF_LISTING = {
  assetId: 'int4',
  ticker: 'text',
  isin: 'text?',
  figi: 'text?',
  mic: 'text?',
  currency: 'text',
  source: 'text',
} as const
const REPORT = {
  reportId: 'int8',
  asOf: column<IsoDate>('date'),
  publishedAt: 'timestamptz?',
  accession: 'text?',
  reportSource: 'text',
  weightSum: 'numeric',
  uninvestedCash: 'numeric?',
  holdingsCount: 'int4',
  knownFrom: 'timestamptz',
} as const

const FUND = {
  ...OF_ASSET,
  ...OF_LISTING,
  ...orNull(REPORT),
  nav: 'numeric?',
  navDate: column<IsoDate | null>('date?'),
  navCurrency: 'text?',
  isNavComputed: 'bool?',
  navSource: 'text?',
  netAssetsUsd: 'numeric?',
  quarantineReason: 'text?',
} as const

type FundRow = RowOf<typeof FUND>

/** A report of a fund, without its holdings. */
export type StoredReport = RowOf<typeof REPORT> & {
  /** Why a later import was not taken; null: there was none. */
  readonly quarantineReason: string | null
}

/** Net asset value of one share, from the newest report that has one. */
export interface StoredNav {
  readonly value: string
  readonly date: IsoDate
  readonly currency: string
  readonly isComputed: boolean
  readonly source: string
}

/** The listing of an ETF with what its reports say. */
export interface StoredFund extends RowOf<typeof OF_ASSET>, RowOf<typeof OF_LISTING> {
  /** The newest; null: there is none. */
  readonly report: StoredReport | null
  readonly nav: StoredNav | null
  readonly netAssetsUsd: string | null
}

/** SQL: whether a row was current at the instant $3, and is of the day $2 or before. */
const KNOWN = (row: string) =>
  `${row}.as_of <= $2::date and ${row}.known_from <= $3::timestamptz
     and (${row}.known_to is null or ${row}.known_to > $3::timestamptz)`

/** SQL: the good reports of an asset, the newest first. */
const REPORTS_OF = (asset: string) =>
  `etf_report g where g.asset_id = ${asset} and g.status = 'good' and ${KNOWN('g')}`
const NEWEST = 'order by g.as_of desc, g.known_from desc, g.report_id desc limit 1'

const { reportSource: _source, ...SAME_NAMES } = REPORT

const SELECTED = `${selectList(OF_ASSET, 'a')}, ${selectList(OF_LISTING, 'i')}, ${selectList(SAME_NAMES, 'r')},
  r.source as "reportSource", n.nav, n.as_of as "navDate", n.nav_currency as "navCurrency",
  n.is_nav_computed as "isNavComputed", n.source as "navSource", w.net_assets_usd as "netAssetsUsd",
  q.reason as "quarantineReason"`

const FIGURES = `
  left join lateral (select * from ${REPORTS_OF('i.asset_id')} ${NEWEST}) r on true
  left join lateral (select * from ${REPORTS_OF('i.asset_id')} and g.nav is not null ${NEWEST}) n on true
  left join lateral (select * from ${REPORTS_OF('i.asset_id')} and g.net_assets_usd is not null ${NEWEST}) w on true
  left join lateral (
    select q.reason from etf_report q where q.asset_id = i.asset_id and q.status = 'quarantined' and ${KNOWN('q')}
      and (r.report_id is null or (q.as_of >= r.as_of and q.known_from >= r.known_from))
    order by q.known_from desc limit 1) q on true`

const ETFS = `instrument i join asset a on a.asset_id = i.asset_id and a.asset_class = 'etf'`

// Plain SQL here and below: funds with the newest of several kinds of facts of each are one statement, which Prisma's client
// has no words for.
const BY_TICKER = statement(
  FUND,
  `select distinct on (i.ticker) ${SELECTED} from ${ETFS} ${FIGURES} where i.ticker = any($1::text[])
   order by i.ticker, i.is_primary desc, i.asset_id`,
)

const BY_ASSET = statement(
  FUND,
  `select distinct on (i.asset_id) ${SELECTED} from ${ETFS} ${FIGURES} where i.asset_id = any($1::int[]) and i.is_primary
   order by i.asset_id, i.instrument_id`,
)

const PAGE = statement(
  FUND,
  `select ${SELECTED} from (
     select distinct on (i.asset_id) i.* from ${ETFS} where i.is_primary order by i.asset_id, i.instrument_id
     limit $1 offset $4
   ) i join asset a on a.asset_id = i.asset_id ${FIGURES} order by i.asset_id`,
)

const TOTAL = statement(
  { total: 'int8' },
  `select count(distinct i.asset_id) as total from ${ETFS} where i.is_primary`,
)

const timesOf = ({ day, knownAt }: AsOf) => [day ?? LAST_DAY, knownAt ?? LAST_INSTANT]

/** The ETF of each ticker; of several the one with a primary listing of it. */
export async function readFundsByTicker(
  sql: Sql,
  tickers: readonly string[],
  asOf: AsOf,
): Promise<ReadonlyMap<string, StoredFund>> {
  const rows = await sql.rows(BY_TICKER, [tickers, ...timesOf(asOf)])
  return new Map(rows.map((row) => [row.ticker, fundOf(row)]))
}

/** ETFs by the key of their asset as text. */
export async function readFundsByAsset(
  sql: Sql,
  assetIds: readonly number[],
): Promise<ReadonlyMap<string, StoredFund>> {
  const rows = await sql.rows(BY_ASSET, [assetIds, ...timesOf({ day: null, knownAt: null })])
  return new Map(rows.map((row) => [String(row.assetId), fundOf(row)]))
}

/** One page of ETFs in the order of their keys, and how many there are; two statements. */
export async function readFundPage(
  sql: Sql,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly funds: readonly StoredFund[]; readonly total: number }> {
  const times = timesOf({ day: null, knownAt: null })
  const [rows, [counted]] = await Promise.all([sql.rows(PAGE, [limit, ...times, offset]), sql.rows(TOTAL)])
  return { funds: rows.map(fundOf), total: counted?.total ?? 0 }
}

function fundOf(row: FundRow): StoredFund {
  const { assetId, slug, ticker, name, isin, figi, mic, currency, source, lastUpdated, netAssetsUsd } = row
  const listing = { assetId, slug, ticker, name, isin, figi, mic, currency, source, lastUpdated }
  return { ...listing, report: reportOf(row), nav: navOf(row), netAssetsUsd }
}

function reportOf({
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

function navOf({ nav, navDate, navCurrency, navSource, isNavComputed }: FundRow): StoredNav | null {
  if (nav === null || navDate === null || navCurrency === null || navSource === null) return null
  return {
    value: nav,
    date: navDate,
    currency: navCurrency,
    source: navSource,
    isComputed: isNavComputed === true,
  }
}
