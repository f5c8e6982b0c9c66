import type { Sql } from '../../platform/database.js'
import type { AnalysisType, Snapshot, SnapshotContent } from './model.js'

/** Columns of `analysis_snapshot s`, named as in Snapshot but for the parsed content. */
export const SNAPSHOT_COLUMNS = `s.snapshot_id as "snapshotId", s.asset_id as "assetId", s.analysis_type as "analysisType",
  s.generated_at as "generatedAt", s.known_from as "knownFrom", s.supersedes, s.sequence, s.content as "contentText",
  s.content_hash as "contentHash", s.chain_hash as "chainHash", s.signature, s.signing_key_id as "signingKeyId",
  s.model_id as "modelId", s.methodology_version as "methodologyVersion", s.prompt_version as "promptVersion",
  s.prompt_hash as "promptHash", s.input_tokens as "inputTokens", s.output_tokens as "outputTokens",
  s.data_window_from as "dataWindowFrom", s.data_window_to as "dataWindowTo", s.data_lineage as "dataLineage", s.source`

export type SnapshotRow = Omit<Snapshot, 'content'>

export function fromRow(row: SnapshotRow): Snapshot {
  // Written by appendSnapshots from a SnapshotContent, and never changed since.
  // The row becomes the snapshot: a copy of its many members would cost more than reading them.
  return Object.assign(row, { content: JSON.parse(row.contentText) as SnapshotContent })
}

/**
 * What was known at the instant in parameter `asOf`: there already, and not yet superseded. Nothing is known before it
 * is generated, so the index is entered at the instant.
 */
export function visibleAt(asOf: string): string {
  const instant = `${asOf}::timestamptz`
  return `s.generated_at <= ${instant} and s.known_from <= ${instant} and not exists (
    select 1 from analysis_snapshot n where n.supersedes = s.snapshot_id and n.known_from <= ${instant})`
}

/** The snapshots of an asset and type. */
export interface ChainKey {
  readonly assetId: number
  readonly analysisType: AnalysisType
}

/** Which of the stored snapshots are served: those of one source, as they were known at one instant. */
export interface View {
  readonly source: string
  readonly asOf: Date
}

export interface SnapshotPage {
  /** Newest first. */
  readonly snapshots: readonly Snapshot[]
  /** Visible snapshots before the limit. */
  readonly total: number
}

/** Distinguishes chains in maps. */
export function chainText({ assetId, analysisType }: ChainKey): string {
  return `${assetId} ${analysisType}`
}

const NEWEST_FIRST = 'order by s.generated_at desc, s.sequence desc'

/** The newest visible snapshot of each chain, by chain text; one that has none is not in the map. */
export async function readLatest(
  sql: Sql,
  chains: readonly ChainKey[],
  view: View,
): Promise<ReadonlyMap<string, Snapshot>> {
  const rows = await sql.rows<SnapshotRow>(
    `select newest.* from unnest($1::int[], $2::analysis_type[]) as chain(asset_id, analysis_type)
     cross join lateral (
       select ${SNAPSHOT_COLUMNS} from analysis_snapshot s
       where s.asset_id = chain.asset_id and s.analysis_type = chain.analysis_type and s.source = $3
         and ${visibleAt('$4')}
       ${NEWEST_FIRST} limit 1
     ) as newest`,
    [
      chains.map(({ assetId }) => assetId),
      chains.map(({ analysisType }) => analysisType),
      view.source,
      view.asOf,
    ],
  )
  return new Map(rows.map((row) => [chainText(row), fromRow(row)]))
}

/**
 * The newest visible snapshots of each chain, at most `limit`, by chain text; one that has none is not in the map.
 * A correction known at an instant hides one snapshot of its chain that was known before it, so the visible ones are
 * those known less the corrections among them: the newest known has the number, however long the chain is.
 */
export async function readPages(
  sql: Sql,
  chains: readonly ChainKey[],
  view: View,
  limit: number,
): Promise<ReadonlyMap<string, SnapshotPage>> {
  const rows = await sql.rows<SnapshotRow & { total: number }>(
    `select page.*, counted.total from unnest($1::int[], $2::analysis_type[]) as chain(asset_id, analysis_type)
     cross join lateral (
       select k.standing as total from analysis_snapshot k
       where k.asset_id = chain.asset_id and k.analysis_type = chain.analysis_type and k.source = $3
         and k.known_from <= $4::timestamptz
       order by k.known_from desc, k.sequence desc limit 1
     ) as counted
     cross join lateral (
       select ${SNAPSHOT_COLUMNS} from analysis_snapshot s
       where s.asset_id = chain.asset_id and s.analysis_type = chain.analysis_type and s.source = $3
         and ${visibleAt('$4')}
       ${NEWEST_FIRST} limit $5
     ) as page
     order by page."generatedAt" desc, page.sequence desc`,
    [
      chains.map(({ assetId }) => assetId),
      chains.map(({ analysisType }) => analysisType),
      view.source,
      view.asOf,
      limit,
    ],
  )
  const pages = new Map<string, { snapshots: Snapshot[]; total: number }>()
  for (const row of rows) {
    const { total } = row
    const page = pages.get(chainText(row))
    if (page === undefined) pages.set(chainText(row), { snapshots: [fromRow(row)], total })
    else page.snapshots.push(fromRow(row))
  }
  return pages
}

/** The newest visible snapshot that comes before another one of its chain; null for the first. */
export async function readPredecessor(sql: Sql, later: Snapshot, view: View): Promise<Snapshot | null> {
  const [row] = await sql.rows<SnapshotRow>(
    `select ${SNAPSHOT_COLUMNS} from analysis_snapshot s
     where s.asset_id = $1 and s.analysis_type = $2::analysis_type and s.source = $3 and ${visibleAt('$4')}
       and (s.generated_at, s.sequence) < ($5::timestamptz, $6::int)
     ${NEWEST_FIRST} limit 1`,
    [later.assetId, later.analysisType, view.source, view.asOf, later.generatedAt, later.sequence],
  )
  return row ? fromRow(row) : null
}

/** Snapshots by UUID, superseded ones too. */
export async function readSnapshots(
  sql: Sql,
  snapshotIds: readonly string[],
  source: string,
): Promise<ReadonlyMap<string, Snapshot>> {
  const rows = await sql.rows<SnapshotRow>(
    `select ${SNAPSHOT_COLUMNS} from analysis_snapshot s where s.snapshot_id = any($1::uuid[]) and s.source = $2`,
    [snapshotIds, source],
  )
  return new Map(rows.map((row) => [row.snapshotId, fromRow(row)]))
}

/** Whether a snapshot supersedes another one, directly or through others. */
export async function readSupersedes(sql: Sql, laterId: string, earlierId: string): Promise<boolean> {
  const [row] = await sql.rows<{ found: boolean }>(
    `with recursive corrected as (
       select supersedes from analysis_snapshot where snapshot_id = $1
       union
       select s.supersedes from analysis_snapshot s join corrected c on s.snapshot_id = c.supersedes
     )
     select exists (select 1 from corrected where supersedes = $2) as found`,
    [laterId, earlierId],
  )
  return row?.found ?? false
}
