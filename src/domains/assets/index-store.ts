import type { Sql } from '../../platform/database/database.js'
import { type RowOf, statements } from '../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../platform/database/where-given.js'
import { ASSET_COLUMNS, type AssetClass } from './model.js'

const { assetId, slug, ticker, name, assetClass, tier } = ASSET_COLUMNS

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
} as const

/** An asset with the market of its primary listing. */
export type IndexedAsset = RowOf<typeof INDEX_COLUMNS>

/** A source that confirms its other assets but not this one for so many days no longer lists it. */
export const INACTIVE_AFTER_DAYS = 30

/** Plain SQL: Prisma's client takes two statements, and cannot compare each asset with the newest one of its source. */
const INDEX = statements(
  INDEX_COLUMNS,
  (where: string) => `
  select a.asset_id, a.slug, a.ticker, a.name, a.asset_class, a.tier, i.mic,
    a.last_updated >= a.newest - make_interval(days => $1::int) as is_active
  from (select *, max(last_updated) over (partition by source) as newest from asset) as a
  left join (
    select distinct on (asset_id) asset_id, mic from instrument where is_primary order by asset_id, instrument_id
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
