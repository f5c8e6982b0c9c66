import { decodeCursor, encodeCursor } from '../../core/page.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { Sql } from '../../platform/database.js'
import type { Difference } from './difference.js'
import type { AnalysisType, ChangeType } from './model.js'

/** One item of the feed: what changed from a snapshot to the next of its asset and type. */
export interface Change {
  readonly diffId: number
  readonly computedAt: Date
  readonly asset: Asset
  readonly analysisType: AnalysisType
  readonly changeType: ChangeType
  readonly fromSnapshotId: string
  readonly toSnapshotId: string
  /** Generation of the later snapshot. */
  readonly changedAt: Date
  /** Token-set ratio of the texts, 0 to 1; null when the text is unchanged. */
  readonly similarity: number | null
}

/** A place in the feed: the pair rises with every commit and no two items share it. */
export interface FeedPlace {
  readonly computedAt: Date
  readonly diffId: number
}

/** What the feed is narrowed to; null: not narrowed. */
export interface FeedFilter {
  /** Computed here at or after this instant. */
  readonly since: Date | null
  readonly analysisType: AnalysisType | null
  readonly changeType: ChangeType | null
}

/** The opaque text of a place. */
export function feedCursor({ computedAt, diffId }: FeedPlace): string {
  return encodeCursor([computedAt.toISOString(), diffId])
}

/** The place of a cursor that `feedCursor` wrote, else null. */
export function parseFeedCursor(text: string): FeedPlace | null {
  const [instant = '', id = ''] = decodeCursor(text, 2) ?? []
  const computedAt = new Date(instant)
  const diffId = Number(id)
  if (Number.isNaN(computedAt.getTime()) || !Number.isSafeInteger(diffId) || diffId < 1) return null
  return feedCursor({ computedAt, diffId }) === text ? { computedAt, diffId } : null
}

interface ChangeRow extends Omit<Change, 'asset'>, Omit<Asset, 'source'> {
  readonly assetSource: string
}

const COLUMNS = `c.diff_id as "diffId", c.computed_at as "computedAt", c.analysis_type as "analysisType",
  c.change_type as "changeType", c.from_snapshot_id as "fromSnapshotId", c.to_snapshot_id as "toSnapshotId",
  c.changed_at as "changedAt", c.similarity::float8 as similarity, a.asset_id as "assetId", a.slug, a.ticker, a.name,
  a.asset_class as "assetClass", a.tier, a.last_updated as "lastUpdated", a.source as "assetSource"`

/** Only changes to snapshots of the served source: synthetic and live ones never mix. */
const MATCHING = `from analysis_change c
  join analysis_snapshot s on s.snapshot_id = c.to_snapshot_id and s.source = $1
  join asset a on a.asset_id = c.asset_id
  where ($2::timestamptz is null or c.computed_at >= $2) and ($3::analysis_type is null or c.analysis_type = $3)
    and ($4::change_type is null or c.change_type = $4)`

function parametersOf(source: string, filter: FeedFilter): readonly unknown[] {
  return [source, filter.since, filter.analysisType, filter.changeType]
}

/** Newest first: the items before a place, from the newest on when it is null. */
export async function readChangesBefore(
  sql: Sql,
  source: string,
  filter: FeedFilter,
  page: { readonly before: FeedPlace | null; readonly limit: number },
): Promise<readonly Change[]> {
  const rows = await sql.rows<ChangeRow>(
    `select ${COLUMNS} ${MATCHING}
       and ($5::timestamptz is null or (c.computed_at, c.diff_id) < ($5::timestamptz, $6::bigint))
     order by c.computed_at desc, c.diff_id desc limit $7`,
    [
      ...parametersOf(source, filter),
      page.before?.computedAt ?? null,
      page.before?.diffId ?? null,
      page.limit,
    ],
  )
  return rows.map(fromRow)
}

/** Oldest first: the items after a place, for whoever follows the feed; from the oldest on when it is null. Of one asset where that is given. */
export async function readChangesAfter(
  sql: Sql,
  source: string,
  filter: FeedFilter,
  page: { readonly after: FeedPlace | null; readonly limit: number; readonly assetId?: number | null },
): Promise<readonly Change[]> {
  const rows = await sql.rows<ChangeRow>(
    `select ${COLUMNS} ${MATCHING}
       and ($5::timestamptz is null or (c.computed_at, c.diff_id) > ($5::timestamptz, $6::bigint))
       and ($8::int is null or c.asset_id = $8)
     order by c.computed_at, c.diff_id limit $7`,
    [
      ...parametersOf(source, filter),
      page.after?.computedAt ?? null,
      page.after?.diffId ?? null,
      page.limit,
      page.assetId ?? null,
    ],
  )
  return rows.map(fromRow)
}

export async function countChanges(sql: Sql, source: string, filter: FeedFilter): Promise<number> {
  const [row] = await sql.rows<{ total: number }>(
    `select count(*) as total ${MATCHING}`,
    parametersOf(source, filter),
  )
  return row?.total ?? 0
}

/** The differences that were computed when the later snapshot landed, by its UUID. */
export async function readDifferences(
  sql: Sql,
  toSnapshotIds: readonly string[],
): Promise<ReadonlyMap<string, Difference & { readonly fromSnapshotId: string }>> {
  const rows = await sql.rows<Difference & { fromSnapshotId: string; toSnapshotId: string }>(
    `select c.to_snapshot_id as "toSnapshotId", c.from_snapshot_id as "fromSnapshotId", c.change_type as "changeType",
       c.changes, c.text_changed as "textChanged", c.similarity::float8 as similarity
     from analysis_change c where c.to_snapshot_id = any($1::uuid[])`,
    [toSnapshotIds],
  )
  return new Map(rows.map((row) => [row.toSnapshotId, row]))
}

function fromRow(row: ChangeRow): Change {
  const { assetId, slug, ticker, name, assetClass, tier, lastUpdated, assetSource, ...change } = row
  const asset = { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source: assetSource }
  return { ...change, asset }
}
