import { ASSET } from '../../generated/columns.js'
import type { Sql } from '../../platform/database/database.js'
import { type RowOf, statements } from '../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../platform/database/where-given.js'
import type { AssetClass } from './model.js'

const { assetId, slug, ticker, name, assetClass, tier } = ASSET

/** Named like the response fields: the executor then needs no resolver. */
const INDEX_COLUMNS = {
  asset_id: assetId,
  slug,
  ticker,
  name,
  asset_class: assetClass,
  tier,
  mic: 'text?',
  is_active: 'bool',
  is_confirmed: 'bool',
} as const

/** An asset with the market of its primary listing. */
export type IndexedAsset = RowOf<typeof INDEX_COLUMNS>

/**
 * A source that confirms its other assets but not this one for so many days no longer lists it. Where a complete list shows
 * the end of an asset, it counts from the first list without it.
 */
export const INACTIVE_AFTER_DAYS = 30

/**
 * Compares each asset with the newest one of its source. Funds of the SEC's list of funds are left out of the comparison,
 * because their list may fail while another one of the source is read.
 */
const INDEX = statements(
  'lacks window function',
  INDEX_COLUMNS,
  (where: string) => `
  select a.asset_id, a.slug, a.ticker, a.name, a.asset_class, a.tier, i.mic,
    i.inactive_since is null and (a.is_listed_fund
      or coalesce(a.last_updated >= a.newest - make_interval(days => $1::int), true)) as is_active,
    coalesce(i.is_confirmed, true) as is_confirmed
  from (
    select asset.*, f.asset_id is not null and f.unlisted_on is null as is_listed_fund,
      max(asset.last_updated) filter (where f.asset_id is null) over (partition by asset.source) as newest
    from asset left join fund_class as f on f.asset_id = asset.asset_id
  ) as a
  left join (
    select distinct on (asset_id) asset_id, mic, inactive_since, is_confirmed from instrument where is_primary order by asset_id, instrument_id
  ) as i on i.asset_id = a.asset_id
  where ${where} order by a.asset_id`,
  'true',
)

/** All assets of a class, or of all classes if it is null, in the order of asset_id, in one statement. */
export function loadAssetIndex(
  sql: Sql,
  wanted: { readonly assetClass: AssetClass | null },
): Promise<readonly IndexedAsset[]> {
  const conditions: readonly Condition[] = [['a.asset_class = ?::asset_class', wanted.assetClass]]
  const { where, parameters } = whereGiven(conditions, 1)
  return sql.rows(INDEX(where), [INACTIVE_AFTER_DAYS, ...parameters])
}
