import { type ChangeMessage, changeCursor } from '../../../core/change-position.js'
import { instantText } from '../../../core/instant-text.js'
import type { Sql } from '../../../platform/database/database.js'
import { loadChangesById, type SnapshotChange } from './change-store.js'
import { isMajorShift } from './difference.js'

/** Loads the changes of these ids, as far as they are stored, as `GET /v1/ai-analysis/changes` lists them. */
export async function loadChangeMessages(
  sql: Sql,
  diffIds: readonly number[],
): Promise<readonly ChangeMessage[]> {
  return (await loadChangesById(sql, diffIds)).map(messageOf)
}

function messageOf(change: SnapshotChange): ChangeMessage {
  const { diffId, computedAt, asset, similarity } = change
  return {
    diffId,
    cursor: changeCursor(change),
    computedAt,
    item: {
      asset_id: asset.slug,
      ticker: asset.ticker,
      analysis_type: change.analysisType,
      change_type: change.changeType,
      from_snapshot_id: change.fromSnapshotId,
      to_snapshot_id: change.toSnapshotId,
      changed_at: instantText(change.changedAt),
      cosine_similarity: similarity,
      major_text_shift: isMajorShift(similarity),
    },
  }
}
