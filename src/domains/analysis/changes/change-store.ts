import type { ChangePosition } from '../../../core/change-position.js'
import { ANALYSIS_CHANGE, ASSET } from '../../../generated/columns.js'
import type { Asset } from '../../../generated/prisma/client.js'
import { positionBefore } from '../../../platform/database/change-order.js'
import {
  type ChangeSelection,
  type ChangesBefore,
  readChangesOf,
} from '../../../platform/database/change-table.js'
import type { Sql } from '../../../platform/database/database.js'
import {
  asNumbers,
  column,
  only,
  type RowOf,
  selectList,
  statement,
  statements,
} from '../../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../../platform/database/where-given.js'
import { ANALYSIS_TYPES, type AnalysisType, CHANGE_TYPES, type ChangeType } from '../model.js'
import type { Difference, FieldChange } from './difference.js'

/** What changed from a snapshot to the next of its asset and type. */
export interface SnapshotChange {
  readonly diffId: number
  readonly computedAt: Date
  readonly asset: Asset
  readonly analysisType: AnalysisType
  readonly changeType: ChangeType
  readonly fromSnapshotId: string
  readonly toSnapshotId: string
  /** Time of the later snapshot. */
  readonly changedAt: Date
  /** Token-set ratio of the texts, 0 to 1; null when the text is unchanged. */
  readonly similarity: number | null
}

/** Filters of a list of changes; null means no filter. */
export interface ChangeFilter {
  /** Only changes that were computed at or after this instant. */
  readonly since: Date | null
  readonly analysisType: AnalysisType | null
  readonly changeType: ChangeType | null
}

const OF_CHANGE = {
  ...only(ANALYSIS_CHANGE, 'diffId', 'computedAt', 'analysisType', 'changeType', 'changedAt'),
  ...asNumbers(only(ANALYSIS_CHANGE, 'fromSnapshotId', 'toSnapshotId', 'similarity')),
} as const
const CHANGE = { ...OF_CHANGE, ...ASSET } as const
const CHANGE_LIST = `${selectList(OF_CHANGE, 'c')}, ${selectList(ASSET, 'a')}`

const CHANGE_NAMES = Object.keys(CHANGE)
  .map((name) => `"${name}"`)
  .join(', ')

type ChangeRow = RowOf<typeof CHANGE>

const CHANGES = readChangesOf({
  table: 'analysis_change',
  columns: CHANGE,
  list: CHANGE_LIST,
  kinds: [
    { name: 'analysis_type', type: 'analysis_type', values: ANALYSIS_TYPES },
    { name: 'change_type', type: 'change_type', values: CHANGE_TYPES },
  ],
  isBySource: true,
  toChange: changeFromRow,
})

/** Only changes to snapshots of the served source, so that synthetic and live changes never mix. */
function selectionOf(
  source: string,
  { since, analysisType, changeType }: ChangeFilter,
  assetId: number | null = null,
): ChangeSelection {
  return { source, since, kinds: [analysisType, changeType], assetIds: assetId === null ? null : [assetId] }
}

/** Newest first: the changes of one asset or of all (null) before a place, from the newest on when that is null. */
export function loadChangesBefore(
  sql: Sql,
  source: string,
  filter: ChangeFilter,
  page: ChangesBefore,
  assetId: number | null = null,
): Promise<readonly SnapshotChange[]> {
  return CHANGES.loadBefore(sql, selectionOf(source, filter, assetId), page)
}

// Plain SQL: one statement reads the changes of each of several assets.
const CHANGES_OF_ASSETS = statements(
  CHANGE,
  (where: string) =>
    `select ${CHANGE_LIST} from unnest($1::int[]) as wanted(asset_id)
     cross join lateral (
       select c.* from analysis_change c where c.asset_id = wanted.asset_id and ${where}
       order by c.computed_at desc, c.diff_id desc limit $2
     ) as c
     join asset a on a.asset_id = c.asset_id
     order by c.computed_at desc, c.diff_id desc`,
  'true',
)

/** Newest first, by asset: the changes of each before a place, from the newest on when it is null. One statement. */
export async function loadChangesOfAssets(
  sql: Sql,
  assetIds: readonly number[],
  source: string,
  filter: ChangeFilter,
  { before, limit }: ChangesBefore,
): Promise<ReadonlyMap<number, readonly SnapshotChange[]>> {
  const { where, parameters } = whereGiven(
    [...CHANGES.conditionsOf(selectionOf(source, filter)), positionBefore(before)],
    2,
  )
  const rows = await sql.rows(CHANGES_OF_ASSETS(where), [assetIds, limit, ...parameters])
  const byAsset = new Map<number, SnapshotChange[]>(assetIds.map((assetId) => [assetId, []]))
  for (const row of rows) byAsset.get(row.assetId)?.push(changeFromRow(row))
  return byAsset
}

/** Approximate size of a change in memory, without the name of its asset. */
const ROW_BYTES = 500

const CHANGES_WITHIN = statements(
  CHANGE,
  (where: string) =>
    `select ${CHANGE_NAMES} from (
       select ${CHANGE_LIST}, row_number() over place as number,
         sum(${ROW_BYTES} + octet_length(a.name)) over place as bytes
       from analysis_change c join asset a on a.asset_id = c.asset_id
       where ${where} window place as (order by c.computed_at, c.diff_id)
       order by c.computed_at, c.diff_id limit $1
     ) as page where number = 1 or bytes <= coalesce($2::int, bytes) order by number`,
  'true',
)

export interface ChangesBatch {
  readonly after: ChangePosition | null
  readonly limit: number
  /** Largest size of a batch; the first change is always returned. Unbounded by default. */
  readonly maxBytes?: number
  /** All assets if null or omitted. */
  readonly assetId?: number | null
}

/** Oldest first: the changes after a place, from the oldest on when it is null. */
export async function loadChangesAfter(
  sql: Sql,
  source: string,
  filter: ChangeFilter,
  { after, limit, maxBytes, assetId = null }: ChangesBatch,
): Promise<readonly SnapshotChange[]> {
  const place: Condition = [
    '(c.computed_at, c.diff_id) > (?::timestamptz, ?::bigint)',
    after?.computedAt ?? null,
    after?.diffId ?? null,
  ]
  const selection = selectionOf(source, filter, assetId)
  const { where, parameters } = whereGiven([...CHANGES.conditionsOf(selection), place], 2)
  const rows = await sql.rows(CHANGES_WITHIN(where), [limit, maxBytes ?? null, ...parameters])
  return rows.map(changeFromRow)
}

export const loadChangesById = CHANGES.loadById

/** Counts the matching changes, of one asset or of all (null). */
export function countChanges(
  sql: Sql,
  source: string,
  filter: ChangeFilter,
  assetId: number | null = null,
): Promise<number> {
  return CHANGES.count(sql, selectionOf(source, filter, assetId))
}

const DIFFERENCE = {
  ...asNumbers(
    only(ANALYSIS_CHANGE, 'toSnapshotId', 'fromSnapshotId', 'changeType', 'textChanged', 'similarity'),
  ),
  /** Written by appendSnapshots from such changes. */
  changes: column<readonly FieldChange[]>('jsonb'),
} as const

const DIFFERENCES = statement(
  DIFFERENCE,
  `select ${selectList(DIFFERENCE, 'c')}
   from analysis_change c where c.to_snapshot_id = any($1::uuid[])`,
)

/** The differences that were computed when the later snapshot was stored, by its UUID. */
export async function loadDifferences(
  sql: Sql,
  toSnapshotIds: readonly string[],
): Promise<ReadonlyMap<string, Difference & { readonly fromSnapshotId: string }>> {
  const rows = await sql.rows(DIFFERENCES, [toSnapshotIds])
  return new Map(rows.map((row) => [row.toSnapshotId, row]))
}

function changeFromRow(row: ChangeRow): SnapshotChange {
  const { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source, ...change } = row
  const asset = { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source }
  return { ...change, asset }
}
