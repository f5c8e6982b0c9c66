import type { Asset } from '../../../generated/prisma/client.js'
import type { Sql } from '../../../platform/database/database.js'
import type { AnalysedSnapshot, AnalysisType, Snapshot } from '../model.js'
import {
  NEWEST_FIRST,
  SNAPSHOT_COLUMNS,
  type SnapshotRow,
  snapshotFromRow,
  type View,
  visibleAt,
} from './snapshot-store.js'

const ASSET_COLUMNS = `a.asset_id as "ownerId", a.slug, a.ticker, a.name, a.asset_class as "assetClass", a.tier,
  a.last_updated as "lastUpdated", a.source as "assetSource"`

/** An asset beside a snapshot: where names are the same, those of the asset are other ones. */
interface OwnerRow extends Omit<Asset, 'assetId' | 'source'> {
  readonly ownerId: number
  readonly assetSource: string
}

function ownerOf(row: OwnerRow): Asset {
  const { ownerId: assetId, slug, ticker, name, assetClass, tier, lastUpdated, assetSource: source } = row
  return { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source }
}

/** Snapshots by UUID with the asset each is about, superseded ones too. */
export async function readAnalysedSnapshots(
  sql: Sql,
  snapshotIds: readonly string[],
  source: string,
): Promise<ReadonlyMap<string, AnalysedSnapshot>> {
  const rows = await sql.rows<SnapshotRow & OwnerRow>(
    `select ${SNAPSHOT_COLUMNS}, ${ASSET_COLUMNS} from analysis_snapshot s join asset a on a.asset_id = s.asset_id
     where s.snapshot_id = any($1::uuid[]) and s.source = $2`,
    [snapshotIds, source],
  )
  return new Map(rows.map((row) => [row.snapshotId, { asset: ownerOf(row), snapshot: snapshotFromRow(row) }]))
}

/** What is asked for by the asset's slug instead of its key. */
export interface NamedChain {
  readonly slug: string
  readonly analysisType: AnalysisType
}

/** Distinguishes named chains in maps. */
export function namedChainText({ slug, analysisType }: NamedChain): string {
  return `${slug} ${analysisType}`
}

/** An asset and its newest visible snapshot; null: there is the asset, but no snapshot. */
export interface LatestOfAsset {
  readonly asset: Asset
  readonly snapshot: Snapshot | null
}

type NamedRow = OwnerRow &
  (SnapshotRow | { readonly snapshotId: null }) & { readonly wantedType: AnalysisType }

const LATEST_BY_SLUG = `
  select newest.*, wanted.analysis_type as "wantedType", ${ASSET_COLUMNS}
  from unnest($1::text[], $2::analysis_type[]) as wanted(slug, analysis_type)
  join asset a on a.slug = wanted.slug
  left join lateral (
    select ${SNAPSHOT_COLUMNS} from analysis_snapshot s
    where s.asset_id = a.asset_id and s.analysis_type = wanted.analysis_type and s.source = $3
      and ${visibleAt('$4')}
    ${NEWEST_FIRST} limit 1
  ) as newest on true`

/** Each asset with its newest visible snapshot, by `namedChainText`; an unknown slug is not in the map. One statement. */
export async function readLatestBySlug(
  sql: Sql,
  chains: readonly NamedChain[],
  view: View,
): Promise<ReadonlyMap<string, LatestOfAsset>> {
  const rows = await sql.rows<NamedRow>(LATEST_BY_SLUG, [
    chains.map(({ slug }) => slug),
    chains.map(({ analysisType }) => analysisType),
    view.source,
    view.asOf,
  ])
  return new Map(
    rows.map((row) => [namedChainText({ slug: row.slug, analysisType: row.wantedType }), latestFromRow(row)]),
  )
}

function latestFromRow(row: NamedRow): LatestOfAsset {
  return { asset: ownerOf(row), snapshot: row.snapshotId === null ? null : snapshotFromRow(row) }
}

/** Those of the assets that a snapshot of the source is stored of, by their key as text. */
export async function readAnalysedAssets(
  sql: Sql,
  assetIds: readonly number[],
  source: string,
): Promise<ReadonlyMap<string, true>> {
  const rows = await sql.rows<{ assetId: number }>(
    `select wanted.asset_id as "assetId" from unnest($1::int[]) as wanted(asset_id)
     where exists (select 1 from analysis_snapshot s where s.asset_id = wanted.asset_id and s.source = $2)`,
    [assetIds, source],
  )
  return new Map(rows.map(({ assetId }) => [String(assetId), true]))
}
