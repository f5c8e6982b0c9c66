import { ASSET } from '../../generated/columns.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { Sql } from '../../platform/database/database.js'
import { type RowOf, selectList, statement, statements } from '../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../platform/database/where-given.js'
import type { AssetFilter } from '../assets/model.js'
import {
  LATEST_COLUMNS,
  type LatestFigures,
  latestBounds,
  NEWEST_OF,
  toLatestFigures,
} from '../market/latest-model.js'

/** An asset with its newest consensus and its supply. */
export interface AssetFigures {
  readonly asset: Asset
  readonly latest: LatestFigures
}

const CARD = { ...ASSET, ...LATEST_COLUMNS }
const ASSET_LIST = selectList(ASSET, 'a')

function toConditions({ tier, assetClass, mic }: AssetFilter): readonly Condition[] {
  return [
    ['a.tier = ?::int', tier],
    ['a.asset_class = ?::asset_class', assetClass],
    ['exists (select 1 from instrument i where i.asset_id = a.asset_id and i.mic = ?)', mic],
  ]
}

type CardRow = RowOf<typeof CARD>

/** A page in the order of asset_id. */
export interface CardPage {
  readonly limit: number
  readonly offset: number
  /** The offset counts from this asset. Null counts from the first asset. */
  readonly from: number | null
}

const PAGE = statements(
  'hot 6.4',
  CARD,
  (where: string) => `select ${ASSET_LIST}, newest.*
    from (select * from asset a where ${where} order by a.asset_id limit $4 offset $5) a
    ${NEWEST_OF('a')}
    order by a.asset_id`,
  'true',
)

/** One page in the order of asset_id with prices and supplies, in one statement. Empty beyond the last page. */
export async function loadCardPage(
  sql: Sql,
  filter: AssetFilter,
  { limit, offset, from }: CardPage,
  now: Date,
): Promise<readonly AssetFigures[]> {
  const known = [...latestBounds(now), limit, offset]
  const conditions: readonly Condition[] = [...toConditions(filter), ['a.asset_id >= ?::int', from]]
  const { where, parameters } = whereGiven(conditions, known.length)
  const rows = await sql.rows(PAGE(where), [...known, ...parameters])
  return rows.map(toAssetFigures)
}

/** The number of matching assets, and anchors from which a page is found without reading all rows before it. */
export interface CardIndex {
  readonly total: number
  /** Keys of the first matching asset and of every `ANCHOR_DISTANCE`-th one after it. */
  readonly anchors: readonly number[]
}

/** Assets from one anchor to the next: the most rows that a page reads without returning them. */
export const ANCHOR_DISTANCE = 100

const CARD_INDEX = statements(
  'lacks window function',
  { assetId: 'int4', total: 'int8' },
  (where: string) => `select asset_id as "assetId", total from (
      select a.asset_id, row_number() over (order by a.asset_id) as position, count(*) over () as total
      from asset a where ${where}
    ) as counted where position % $1::int = 1 order by position`,
  'true',
)

/** The index of all matching cards. Its one statement reads every match. */
export async function loadCardIndex(sql: Sql, filter: AssetFilter): Promise<CardIndex> {
  const { where, parameters } = whereGiven(toConditions(filter), 1)
  const rows = await sql.rows(CARD_INDEX(where), [ANCHOR_DISTANCE, ...parameters])
  return { total: rows[0]?.total ?? 0, anchors: rows.map(({ assetId }) => assetId) }
}

const BY_SLUG = statement(
  'lacks newest per key',
  CARD,
  `select ${ASSET_LIST}, newest.* from asset a ${NEWEST_OF('a')} where a.slug = any($4::text[])`,
)

/** Assets with prices and supplies, by slug, in one statement. */
export async function loadCardsBySlug(
  sql: Sql,
  slugs: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, AssetFigures>> {
  const rows = await sql.rows(BY_SLUG, [...latestBounds(now), slugs])
  return new Map(rows.map((row) => [row.slug, toAssetFigures(row)]))
}

function toAssetFigures(row: CardRow): AssetFigures {
  const { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source } = row
  const asset = { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source }
  return { asset, latest: toLatestFigures(row) }
}
