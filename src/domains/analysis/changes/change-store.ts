import type { ChangePosition } from '../../../core/change-position.js'
import { instantText } from '../../../core/instant-text.js'
import { ANALYSIS_CHANGE } from '../../../generated/columns.js'
import type { Asset } from '../../../generated/prisma/client.js'
import { defineChangeFeed } from '../../../platform/changes/change-feed.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import { asNumbers, only } from '../../../platform/database/statement.js'
import type { AnalysisType, ChangeType } from '../model.js'
import { type Difference, type FieldChange, isMajorShift } from './difference.js'

/** What changed from a snapshot to the next of its asset and type. */
export interface SnapshotChange extends ChangePosition {
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

/** The changes of analyses, as `GET /v1/ai-analysis/changes` lists them. */
export const ANALYSIS_CHANGES = defineChangeFeed({
  table: 'analysis_change',
  columns: asNumbers(
    only(
      ANALYSIS_CHANGE,
      'analysisType',
      'changeType',
      'fromSnapshotId',
      'toSnapshotId',
      'changedAt',
      'similarity',
    ),
  ),
  kinds: ['analysisType', 'changeType'],
  isOfOneSource: true,
  toChange: (row): SnapshotChange => row,
  toItem: ({ asset, similarity, ...change }) => ({
    asset_id: asset.slug,
    ticker: asset.ticker,
    analysis_type: change.analysisType,
    change_type: change.changeType,
    from_snapshot_id: change.fromSnapshotId,
    to_snapshot_id: change.toSnapshotId,
    changed_at: instantText(change.changedAt),
    cosine_similarity: similarity,
    major_text_shift: isMajorShift(similarity),
  }),
})

/** The differences that were computed when the later snapshot was stored, by its UUID. */
export async function loadDifferences(
  prisma: PrismaModels,
  toSnapshotIds: readonly string[],
): Promise<ReadonlyMap<string, Difference & { readonly fromSnapshotId: string }>> {
  const rows = await prisma.analysisChange.findMany({
    where: { toSnapshotId: { in: [...toSnapshotIds] } },
    select: {
      toSnapshotId: true,
      fromSnapshotId: true,
      changeType: true,
      textChanged: true,
      similarity: true,
      changes: true,
    },
  })
  return new Map(
    rows.map(({ similarity, changes, ...row }) => [
      row.toSnapshotId,
      // appendSnapshots writes such changes.
      { ...row, similarity: similarity?.toNumber() ?? null, changes: changes as unknown as FieldChange[] },
    ]),
  )
}
