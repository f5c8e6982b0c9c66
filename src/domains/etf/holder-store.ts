import type { Sql } from '../../platform/database/database.js'
import { type RowOf, statement } from '../../platform/database/statement.js'

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

/** The newest good report of each ETF. */
const NEWEST_REPORTS = `select newest.* from asset f cross join lateral (
    select r.report_id, r.asset_id, r.as_of from etf_report r
    where r.asset_id = f.asset_id and r.status = 'good' and r.known_to is null
    order by r.as_of desc, r.known_from desc, r.report_id desc limit 1
  ) newest where f.asset_class = 'etf'`

const HOLDER = {
  etfId: 'int4',
  asOf: 'date',
  weight: 'numeric',
  shares: 'numeric?',
  marketValueUsd: 'numeric?',
} as const

/** An ETF that holds an asset, with the sum of all its holdings of that asset. */
export type StoredHolder = RowOf<typeof HOLDER>

// Four indexes find the candidates.
const HOLDERS = statement(
  'lacks window function',
  { assetId: 'int4', ...HOLDER },
  `with newest as materialized (${NEWEST_REPORTS}),
   listing as (select * from instrument where asset_id = any($1::int[])),
   candidate as (
     select distinct l.asset_id, h.report_id, h.position
     from listing l join etf_holding h on ${IS_CANDIDATE('h', 'l')}
     where h.report_id in (select report_id from newest) and ${IS_SAME('h', 'l')} and ${ONE_ASSET('h', 'l')}
   ), held as (
     select c.asset_id, n.asset_id as etf_id, n.as_of, sum(h.weight) as weight, sum(h.shares) as shares,
       sum(h.market_value_usd) as market_value_usd
     from candidate c join newest n on n.report_id = c.report_id
     join etf_holding h on h.report_id = c.report_id and h.position = c.position
     group by c.asset_id, n.asset_id, n.as_of
   ), ranked as (
     select *, row_number() over (partition by asset_id order by weight desc, etf_id) as rank from held
   )
   select asset_id as "assetId", etf_id as "etfId", as_of as "asOf", weight, shares,
     market_value_usd as "marketValueUsd"
   from ranked where rank <= $2 order by asset_id, rank`,
)

/** By the key of the asset as text, the ETFs that hold it according to their newest reports, the heaviest first. */
export async function loadHolders(
  sql: Sql,
  assetIds: readonly number[],
  limit: number,
): Promise<ReadonlyMap<string, readonly StoredHolder[]>> {
  const found = new Map<string, StoredHolder[]>(assetIds.map((assetId) => [String(assetId), []]))
  for (const { assetId, ...holder } of await sql.rows(HOLDERS, [assetIds, limit])) {
    found.get(String(assetId))?.push(holder)
  }
  return found
}

/** A holding by its position in its report. */
export interface HoldingKey {
  readonly reportId: number
  readonly position: number
}

const HELD_ASSETS = statement(
  'lacks comparison of columns',
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
