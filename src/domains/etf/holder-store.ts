import { groupBy } from '../../core/group-by.js'
import type { OffsetPage } from '../../core/page.js'
import { ETF_REPORT } from '../../generated/columns.js'
import { asOfStatement, type KnownAt } from '../../platform/bi-temporal/as-of-statement.js'
import { ETF_PUBLISHED } from '../../platform/bi-temporal/published-rules.js'
import type { Sql } from '../../platform/database/database.js'
import { only, type RowOf, statement } from '../../platform/database/statement.js'
import { type FundAsOf, upToDay } from './fund-store.js'

/**
 * SQL: whether a holding is the listing. The first identifier that both have decides: the ISIN, the FIGI, for shares the
 * LEI, then ticker and market. An LEI or ticker counts only if it matches a single asset (`ONE_ASSET`).
 */
const IS_SAME = (holding: string, listing: string) => `case
    when ${holding}.isin is not null and ${listing}.isin is not null then ${holding}.isin = ${listing}.isin
    when ${holding}.figi is not null and ${listing}.figi is not null then ${holding}.figi = ${listing}.figi
    when ${holding}.asset_category = 'equity' and ${holding}.lei is not null and ${listing}.lei is not null
      then ${holding}.lei = ${listing}.lei
    else ${holding}.ticker = ${listing}.ticker and ${holding}.mic = ${listing}.mic end`

/** SQL: any identifier is equal. Indexes find these candidates. */
const IS_CANDIDATE = (holding: string, listing: string) => `(${holding}.isin = ${listing}.isin
    or ${holding}.figi = ${listing}.figi or ${holding}.lei = ${listing}.lei or ${holding}.ticker = ${listing}.ticker)`

/** SQL: no other asset matches the holding. */
const ONE_ASSET = (holding: string, listing: string) => `not exists (
    select 1 from instrument other where ${IS_CANDIDATE(holding, 'other')}
      and other.asset_id <> ${listing}.asset_id and ${IS_SAME(holding, 'other')})`

/** The newest good report of each ETF, of the day $2 or before. */
const newestReports = (known: KnownAt) => `select newest.* from asset f cross join lateral (
    select r.report_id, r.asset_id, r.as_of, r.source, r.published_at from etf_report r
    where r.asset_id = f.asset_id and r.status = 'good' and ${upToDay(known)('r')}
    order by r.as_of desc, r.known_from desc, r.report_id desc limit 1
  ) newest where f.asset_class = 'etf'`

const HOLDER = {
  etfId: 'int4',
  ...only(ETF_REPORT, 'asOf', 'source', 'publishedAt'),
  weight: 'numeric',
  shares: 'numeric?',
  marketValueUsd: 'numeric?',
} as const

/** An ETF that holds an asset, with the sum of all its holdings of that asset. */
export type StoredHolder = RowOf<typeof HOLDER>

// Four indexes find the candidates. The first row of an asset is always read, because it has the total.
const selectHolders = asOfStatement(
  'lacks window function',
  { assetId: 'int4', ...HOLDER, rank: 'int8', total: 'int8' },
  4,
  ETF_PUBLISHED,
  (known) => `with newest as materialized (${newestReports(known)}),
   listing as (select * from instrument where asset_id = any($1::int[])),
   candidate as (
     select distinct l.asset_id, h.report_id, h.position
     from listing l join etf_holding h on ${IS_CANDIDATE('h', 'l')}
     where h.report_id in (select report_id from newest) and ${IS_SAME('h', 'l')} and ${ONE_ASSET('h', 'l')}
   ), held as (
     select c.asset_id, c.report_id, sum(h.weight) as weight, sum(h.shares) as shares,
       sum(h.market_value_usd) as market_value_usd
     from candidate c join etf_holding h on h.report_id = c.report_id and h.position = c.position
     group by c.asset_id, c.report_id
   ), ranked as (
     select held.*, n.asset_id as etf_id, n.as_of, n.source, n.published_at,
       row_number() over (partition by held.asset_id order by held.weight desc, n.asset_id) as rank,
       count(*) over (partition by held.asset_id) as total
     from held join newest n on n.report_id = held.report_id
   )
   select asset_id as "assetId", etf_id as "etfId", as_of as "asOf", source, published_at as "publishedAt",
     weight, shares, market_value_usd as "marketValueUsd", rank, total
   from ranked where rank = 1 or rank between $3::int + 1 and $3::int + $4::int order by asset_id, rank`,
)

/** A page of the ETFs that hold an asset, and the number of all of them. */
export interface HoldersPage {
  readonly holders: readonly StoredHolder[]
  readonly total: number
}

/** By the key of the asset as text, the ETFs that hold it according to their newest reports, the heaviest first. */
export async function loadHolders(
  sql: Sql,
  assetIds: readonly number[],
  { limit, offset, day, knownAt }: OffsetPage & FundAsOf,
): Promise<ReadonlyMap<string, HoldersPage>> {
  const rows = await selectHolders(sql, [assetIds, day, offset, limit], knownAt)
  const byAsset = groupBy(rows, ({ assetId }) => String(assetId))
  return new Map(
    [...byAsset].map(([assetId, [first, ...others]]) => {
      const holders = [first, ...others].filter(({ rank }) => rank > offset && rank <= offset + limit)
      return [assetId, { holders, total: first.total }]
    }),
  )
}

/** A holding by its position in its report. */
export interface HoldingKey {
  readonly reportId: number
  readonly position: number
}

const HELD_ASSETS = statement(
  'lacks join without a relation',
  { number: 'int8', assetId: 'int4' },
  `select distinct on (requested.number) requested.number, i.asset_id as "assetId"
   from unnest($1::int8[], $2::int[]) with ordinality as requested(report_id, position, number)
   join etf_holding h on h.report_id = requested.report_id and h.position = requested.position
   join instrument i on ${IS_CANDIDATE('h', 'i')} and ${IS_SAME('h', 'i')} and ${ONE_ASSET('h', 'i')}
   order by requested.number, i.is_primary desc, i.instrument_id`,
)

/** The asset of the masters that matches each holding, in the order of the list, in one statement. */
export async function loadHeldAssets(
  sql: Sql,
  holdings: readonly HoldingKey[],
): Promise<readonly (number | undefined)[]> {
  const found: (number | undefined)[] = holdings.map(() => undefined)
  const parameters = [holdings.map(({ reportId }) => reportId), holdings.map(({ position }) => position)]
  for (const { number, assetId } of await sql.rows(HELD_ASSETS, parameters)) found[number - 1] = assetId
  return found
}
