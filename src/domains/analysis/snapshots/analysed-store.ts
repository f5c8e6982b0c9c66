import { ASSET } from '../../../generated/columns.js'
import type { Asset } from '../../../generated/prisma/client.js'
import type { Sql } from '../../../platform/database/database.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import {
  arraysOf,
  column,
  orNull,
  type RowOf,
  selectList,
  statement,
} from '../../../platform/database/statement.js'
import type { AnalysedSnapshot, AnalysisType, Snapshot } from '../model.js'
import {
  isOfSnapshot,
  loadSnapshotsById,
  NEWEST_FIRST,
  SNAPSHOT_COLUMNS,
  SNAPSHOT_LIST,
  snapshotFromRow,
  type View,
  visibleAt,
} from './snapshot-store.js'

const { slug, ticker, name, assetClass, tier, lastUpdated } = ASSET
const DISTINCT = { slug, ticker, name, assetClass, tier, lastUpdated }

/** Columns of an asset beside a snapshot, renamed if the snapshot has a column of the same name. */
const OWNER_COLUMNS = { ...DISTINCT, ownerId: ASSET.assetId, assetSource: ASSET.source }
const OWNER_LIST = `${selectList(DISTINCT, 'a')}, a.asset_id as "ownerId", a.source as "assetSource"`

type OwnerRow = RowOf<typeof OWNER_COLUMNS>

function ownerOf(row: OwnerRow): Asset {
  const { ownerId: assetId, slug, ticker, name, assetClass, tier, lastUpdated, assetSource: source } = row
  return { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source }
}

/** Snapshots by UUID with their assets, superseded ones included. */
export async function loadAnalysedSnapshots(
  prisma: PrismaModels,
  snapshotIds: readonly string[],
  source: string,
): Promise<ReadonlyMap<string, AnalysedSnapshot>> {
  const snapshots = await loadSnapshotsById(prisma, snapshotIds, source)
  const assetIds = new Set([...snapshots.values()].map(({ assetId }) => assetId))
  const assets = await prisma.asset.findMany({ where: { assetId: { in: [...assetIds] } } })
  const assetById = new Map(assets.map((asset) => [asset.assetId, asset]))
  return new Map(
    [...snapshots].flatMap(([snapshotId, snapshot]) => {
      const asset = assetById.get(snapshot.assetId)
      return asset === undefined ? [] : [[snapshotId, { asset, snapshot }]]
    }),
  )
}

/** A chain by the slug of its asset. */
export interface NamedChain {
  readonly slug: string
  readonly analysisType: AnalysisType
}

/** Distinguishes named chains in maps. */
export function namedChainText({ slug, analysisType }: NamedChain): string {
  return `${slug} ${analysisType}`
}

/** An asset and its newest visible snapshot; null if the asset has none. */
export interface LatestOfAsset {
  readonly asset: Asset
  readonly snapshot: Snapshot | null
}

const NAMED_COLUMNS = {
  ...orNull(SNAPSHOT_COLUMNS),
  ...OWNER_COLUMNS,
  wantedType: column<AnalysisType>('analysis_type'),
}

type NamedRow = RowOf<typeof NAMED_COLUMNS>

const LATEST_BY_SLUG = statement(
  'lacks newest per key',
  NAMED_COLUMNS,
  `select newest.*, wanted.analysis_type as "wantedType", ${OWNER_LIST}
  from unnest($1::text[], $2::analysis_type[]) as wanted(slug, analysis_type)
  join asset a on a.slug = wanted.slug
  left join lateral (
    select ${SNAPSHOT_LIST} from analysis_snapshot s
    where s.asset_id = a.asset_id and s.analysis_type = wanted.analysis_type and s.source = $3
      and ${visibleAt('$4')}
    ${NEWEST_FIRST} limit 1
  ) as newest on true`,
)

/**
 * Each asset with its newest visible snapshot, by `namedChainText`, in one statement. An unknown slug is not in the
 * map.
 */
export async function loadLatestBySlug(
  sql: Sql,
  chains: readonly NamedChain[],
  view: View,
): Promise<ReadonlyMap<string, LatestOfAsset>> {
  const rows = await sql.rows(LATEST_BY_SLUG, [
    ...arraysOf(chains, 'slug', 'analysisType'),
    view.source,
    view.asOf,
  ])
  return new Map(
    rows.map((row) => [namedChainText({ slug: row.slug, analysisType: row.wantedType }), latestFromRow(row)]),
  )
}

function latestFromRow(row: NamedRow): LatestOfAsset {
  return { asset: ownerOf(row), snapshot: isOfSnapshot(row) ? snapshotFromRow(row) : null }
}

const ANALYSED = statement(
  'lacks join without a relation',
  { assetId: 'int4' },
  `select wanted.asset_id as "assetId" from unnest($1::int[]) as wanted(asset_id)
   where exists (select 1 from analysis_snapshot s where s.asset_id = wanted.asset_id and s.source = $2)`,
)

/** Those of the assets that have a stored snapshot of the source, by their key as text. */
export async function loadAnalysedAssets(
  sql: Sql,
  assetIds: readonly number[],
  source: string,
): Promise<ReadonlyMap<string, true>> {
  const rows = await sql.rows(ANALYSED, [assetIds, source])
  return new Map(rows.map(({ assetId }) => [String(assetId), true]))
}
