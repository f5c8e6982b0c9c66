import { ANALYSIS_SNAPSHOT } from '../../../generated/columns.js'
import type { Sql } from '../../../platform/database/database.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import {
  arraysOf,
  column,
  only,
  type RowOf,
  selectList,
  statement,
  statements,
  without,
} from '../../../platform/database/statement.js'
import {
  type AnalysisType,
  type LineageEntry,
  type ListedSnapshot,
  type Snapshot,
  type SnapshotContent,
  storedLineage,
} from '../model.js'

export const OWN_COLUMNS = {
  ...without(ANALYSIS_SNAPSHOT, 'content', 'summary', 'sentimentScore', 'standing'),
  /** Written by appendSnapshots from such entries. */
  dataLineage: column<readonly LineageEntry[]>('jsonb'),
} as const

/** Columns of `analysis_snapshot`, named like the members of Snapshot except the parsed content. */
export const SNAPSHOT_COLUMNS = { ...OWN_COLUMNS, contentText: 'text' } as const

/** SNAPSHOT_COLUMNS from a relation `s`. */
export const SNAPSHOT_LIST = `${selectList(OWN_COLUMNS, 's')}, s.content as "contentText"`

export type SnapshotRow = RowOf<typeof SNAPSHOT_COLUMNS>

/** The columns of a snapshot in an outer join are either all set or all null. */
export function isOfSnapshot<Row extends { readonly snapshotId: string | null }>(
  row: Row,
): row is Row & SnapshotRow {
  return row.snapshotId !== null
}

export function snapshotFromRow(row: SnapshotRow): Snapshot {
  // Written by appendSnapshots from a SnapshotContent, and never changed since.
  // The row itself becomes the snapshot, because copying its many members would cost more than reading them.
  return Object.assign(row, { content: JSON.parse(row.contentText) as SnapshotContent })
}

/**
 * SQL: what was known at the instant in parameter `asOf`, that is, stored and not yet superseded. A snapshot is
 * known no earlier than its time, so the index scan starts at the instant.
 */
export function visibleAt(asOf: string): string {
  const instant = `${asOf}::timestamptz`
  return `s.generated_at <= ${instant} and s.known_from <= ${instant} and not exists (
    select 1 from analysis_snapshot n where n.supersedes = s.snapshot_id and n.known_from <= ${instant})`
}

/** SQL: the snapshots of an asset and type. */
export interface ChainKey {
  readonly assetId: number
  readonly analysisType: AnalysisType
}

/** Selects the served snapshots: those of one source, as known at one instant. */
export interface View {
  readonly source: string
  readonly asOf: Date
}

export interface SnapshotPage {
  /** Newest first. */
  readonly snapshots: readonly ListedSnapshot[]
  /** Number of visible snapshots before the limit. */
  readonly total: number
}

/** Distinguishes chains in maps. */
export function chainText({ assetId, analysisType }: ChainKey): string {
  return `${assetId} ${analysisType}`
}

export const NEWEST_FIRST = 'order by s.generated_at desc, s.sequence desc'

// Plain SQL: Prisma's client takes 0.8 to 2.7 times the CPU for the newest of 20 assets (bench sql), reads whole chains for
// them, and cannot leave out what a later snapshot corrects.
const LATEST = statement(
  'lacks newest per key',
  SNAPSHOT_COLUMNS,
  `select newest.* from unnest($1::int[], $2::analysis_type[]) as chain(asset_id, analysis_type)
   cross join lateral (
     select ${SNAPSHOT_LIST} from analysis_snapshot s
     where s.asset_id = chain.asset_id and s.analysis_type = chain.analysis_type and s.source = $3
       and ${visibleAt('$4')}
     ${NEWEST_FIRST} limit 1
   ) as newest`,
)

/** The newest visible snapshot of each chain, by chain text; a chain without one is not in the map. */
export async function loadLatestSnapshots(
  sql: Sql,
  chains: readonly ChainKey[],
  view: View,
): Promise<ReadonlyMap<string, Snapshot>> {
  const rows = await sql.rows(LATEST, [
    ...arraysOf(chains, 'assetId', 'analysisType'),
    view.source,
    view.asOf,
  ])
  return new Map(rows.map((row) => [chainText(row), snapshotFromRow(row)]))
}

/** The position of a snapshot in the order of its chain. */
export interface SnapshotPosition {
  readonly generatedAt: Date
  readonly sequence: number
}

/** Which part of a chain is read: at most `limit`, before a place; from the newest on when it is null. */
export interface PageRange {
  readonly limit: number
  readonly before: SnapshotPosition | null
}

/** Columns of a history, whose contents are neither sent nor parsed. */
const LISTED_COLUMNS = { ...OWN_COLUMNS, ...only(ANALYSIS_SNAPSHOT, 'summary', 'sentimentScore') } as const

const PAGES = statements(
  'lacks page per key',
  { ...LISTED_COLUMNS, total: 'int4' },
  (beforePlace: string) =>
    `select page.*, counted.total from unnest($1::int[], $2::analysis_type[]) as chain(asset_id, analysis_type)
     cross join lateral (
       select k.standing as total from analysis_snapshot k
       where k.asset_id = chain.asset_id and k.analysis_type = chain.analysis_type and k.source = $3
         and k.known_from <= $4::timestamptz
       order by k.known_from desc, k.sequence desc limit 1
     ) as counted
     cross join lateral (
       select ${selectList(LISTED_COLUMNS, 's')} from analysis_snapshot s
       where s.asset_id = chain.asset_id and s.analysis_type = chain.analysis_type and s.source = $3
         and ${visibleAt('$4')} ${beforePlace}
       ${NEWEST_FIRST} limit $5
     ) as page
     order by page."generatedAt" desc, page.sequence desc`,
  '',
)

/**
 * The newest visible snapshots of each chain in the range, by chain text; a chain without one is not in the map. A
 * correction hides one earlier snapshot of its chain, so the number of visible ones is the known ones minus the
 * corrections. The newest known snapshot stores that number, so the length of the chain does not matter.
 */
export async function loadSnapshotPages(
  sql: Sql,
  chains: readonly ChainKey[],
  view: View,
  { limit, before }: PageRange,
): Promise<ReadonlyMap<string, SnapshotPage>> {
  const beforePlace = before === null ? '' : 'and (s.generated_at, s.sequence) < ($6::timestamptz, $7::int)'
  const place = before === null ? [] : [before.generatedAt, before.sequence]
  const rows = await sql.rows(PAGES(beforePlace), [
    ...arraysOf(chains, 'assetId', 'analysisType'),
    view.source,
    view.asOf,
    limit,
    ...place,
  ])
  const pages = new Map<string, { snapshots: ListedSnapshot[]; total: number }>()
  for (const row of rows) {
    const { total } = row
    const page = pages.get(chainText(row))
    if (page === undefined) pages.set(chainText(row), { snapshots: [row], total })
    else page.snapshots.push(row)
  }
  return pages
}

const PREDECESSORS = statement(
  'lacks newest per key',
  { ...SNAPSHOT_COLUMNS, laterId: 'uuid' },
  `select later.snapshot_id as "laterId", earlier.*
   from unnest($1::uuid[], $2::int[], $3::analysis_type[], $4::timestamptz[], $5::int[])
     as later(snapshot_id, asset_id, analysis_type, generated_at, sequence)
   cross join lateral (
     select ${SNAPSHOT_LIST} from analysis_snapshot s
     where s.asset_id = later.asset_id and s.analysis_type = later.analysis_type and s.source = $6
       and ${visibleAt('$7')} and (s.generated_at, s.sequence) < (later.generated_at, later.sequence)
     ${NEWEST_FIRST} limit 1
   ) as earlier`,
)

/**
 * The newest visible snapshot before each of these in its chain, by the UUID of the later one; the first of a chain
 * is not in the map.
 */
export async function loadPredecessors(
  sql: Sql,
  laters: readonly Snapshot[],
  view: View,
): Promise<ReadonlyMap<string, Snapshot>> {
  const rows = await sql.rows(PREDECESSORS, [
    ...arraysOf(laters, 'snapshotId', 'assetId', 'analysisType', 'generatedAt', 'sequence'),
    view.source,
    view.asOf,
  ])
  return new Map(rows.map(({ laterId, ...row }) => [laterId, snapshotFromRow(row)]))
}

/** Snapshots by UUID, superseded ones included; those of every source if it is null. */
export async function loadSnapshotsById(
  prisma: PrismaModels,
  snapshotIds: readonly string[],
  source: string | null,
): Promise<ReadonlyMap<string, Snapshot>> {
  const rows = await prisma.analysisSnapshot.findMany({
    where: { snapshotId: { in: [...snapshotIds] }, ...(source !== null && { source }) },
    omit: { summary: true, sentimentScore: true, standing: true },
  })
  return new Map(
    rows.map(({ content: contentText, dataLineage, ...row }) => [
      row.snapshotId,
      snapshotFromRow({ ...row, contentText, dataLineage: storedLineage(dataLineage) }),
    ]),
  )
}

/** A snapshot that may supersede an earlier one. */
export interface Supersession {
  readonly laterId: string
  readonly earlierId: string
}

/** Distinguishes supersessions in maps. */
export function supersessionText({ laterId, earlierId }: Supersession): string {
  return `${laterId} ${earlierId}`
}

const SUPERSESSIONS = statement(
  'lacks recursion',
  { laterId: 'uuid', earlierId: 'uuid' },
  `with recursive pair as (
     select * from unnest($1::uuid[], $2::uuid[]) as given(later_id, earlier_id)
   ), corrected as (
     select s.snapshot_id as later_id, s.supersedes from analysis_snapshot s
     where s.snapshot_id in (select later_id from pair)
     union
     select c.later_id, s.supersedes from analysis_snapshot s join corrected c on s.snapshot_id = c.supersedes
   )
   select p.later_id as "laterId", p.earlier_id as "earlierId" from pair p
   where exists (select 1 from corrected c where c.later_id = p.later_id and c.supersedes = p.earlier_id)`,
)

/**
 * Those of the pairs whose later snapshot supersedes the earlier one, directly or through others, by
 * `supersessionText`.
 */
export async function loadSupersessions(
  sql: Sql,
  pairs: readonly Supersession[],
): Promise<ReadonlyMap<string, true>> {
  const rows = await sql.rows(SUPERSESSIONS, arraysOf(pairs, 'laterId', 'earlierId'))
  return new Map(rows.map((row) => [supersessionText(row), true]))
}
