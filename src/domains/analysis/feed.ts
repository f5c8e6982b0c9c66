import { decodeCursor, encodeCursor } from '../../core/page.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { Sql } from '../../platform/database.js'
import { type Condition, whereGiven } from '../../platform/where-given.js'
import type { Difference } from './difference.js'
import { ANALYSIS_TYPES, type AnalysisType, CHANGE_TYPES, type ChangeType } from './model.js'

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
function matching(source: string, filter: FeedFilter): readonly Condition[] {
  return [
    ['c.source = ?', source],
    ['c.computed_at >= ?::timestamptz', filter.since],
    ['c.analysis_type = ?::analysis_type', filter.analysisType],
    ['c.change_type = ?::change_type', filter.changeType],
  ]
}

async function readChanges(
  sql: Sql,
  conditions: readonly Condition[],
  { order, limit }: { readonly order: string; readonly limit: number },
): Promise<readonly Change[]> {
  const { where, parameters } = whereGiven(conditions, 1)
  const rows = await sql.rows<ChangeRow>(
    `select ${COLUMNS} from analysis_change c join asset a on a.asset_id = c.asset_id
     where ${where} order by ${order} limit $1`,
    [limit, ...parameters],
  )
  return rows.map(fromRow)
}

/** Newest first: the items before a place, from the newest on when it is null. */
export function readChangesBefore(
  sql: Sql,
  source: string,
  filter: FeedFilter,
  { before, limit }: { readonly before: FeedPlace | null; readonly limit: number },
): Promise<readonly Change[]> {
  const place: Condition = [
    '(c.computed_at, c.diff_id) < (?::timestamptz, ?::bigint)',
    before?.computedAt ?? null,
    before?.diffId ?? null,
  ]
  const order = 'c.computed_at desc, c.diff_id desc'
  return readChanges(sql, [...matching(source, filter), place], { order, limit })
}

/** Oldest first: the items after a place, for whoever follows the feed; from the oldest on when it is null. Of one asset where that is given. */
export function readChangesAfter(
  sql: Sql,
  source: string,
  filter: FeedFilter,
  page: { readonly after: FeedPlace | null; readonly limit: number; readonly assetId?: number | null },
): Promise<readonly Change[]> {
  const { after, limit, assetId = null } = page
  const place: Condition = [
    '(c.computed_at, c.diff_id) > (?::timestamptz, ?::bigint)',
    after?.computedAt ?? null,
    after?.diffId ?? null,
  ]
  const ofAsset: Condition = ['c.asset_id = ?::int', assetId]
  const order = 'c.computed_at, c.diff_id'
  return readChanges(sql, [...matching(source, filter), place, ofAsset], { order, limit })
}

/**
 * From each kind and reason that matches: the place of its newest change less that of its newest before `since`. Two
 * index lookups for each, however many changes there are.
 */
const COUNT = `
  select coalesce(sum(newest.place - coalesce(earlier.place, 0)), 0)::int8 as total
  from unnest($2::analysis_type[]) as kind(analysis_type)
  cross join unnest($3::change_type[]) as reason(change_type)
  cross join lateral (
    select c.place from analysis_change c
    where c.source = $1 and c.analysis_type = kind.analysis_type and c.change_type = reason.change_type
    order by c.computed_at desc, c.diff_id desc limit 1
  ) as newest
  left join lateral (
    select c.place from analysis_change c
    where c.source = $1 and c.analysis_type = kind.analysis_type and c.change_type = reason.change_type
      and c.computed_at < $4::timestamptz
    order by c.computed_at desc, c.diff_id desc limit 1
  ) as earlier on true`

export async function countChanges(sql: Sql, source: string, filter: FeedFilter): Promise<number> {
  const kinds = filter.analysisType === null ? ANALYSIS_TYPES : [filter.analysisType]
  const reasons = filter.changeType === null ? CHANGE_TYPES : [filter.changeType]
  const [row] = await sql.rows<{ total: number }>(COUNT, [source, kinds, reasons, filter.since])
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
