import { type ChangeMessage, changeCursor } from '../../../core/change-position.js'
import { instantText } from '../../../core/instant-text.js'
import type { Sql } from '../../../platform/database/database.js'
import { changedTerms } from './change-model.js'
import { type ActionChange, loadActionChangesById } from './change-store.js'

/** Loads the changes of these ids, as far as they are stored, as `GET /v1/corporate-actions/changes` lists them. */
export async function loadActionChangeMessages(
  sql: Sql,
  diffIds: readonly number[],
): Promise<readonly ChangeMessage[]> {
  return (await loadActionChangesById(sql, diffIds)).map(messageOf)
}

function messageOf(change: ActionChange): ChangeMessage {
  const { diffId, changeId, computedAt, changeKind, asset, before, after } = change
  return {
    diffId,
    cursor: changeCursor(change),
    computedAt,
    item: {
      change_id: changeId,
      asset_id: asset.slug,
      ticker: asset.ticker,
      action_type: change.actionType,
      change_kind: changeKind,
      is_withdrawn: after === null,
      before,
      after,
      changed_fields: changedTerms(before, after),
      known_from: instantText(change.knownFrom),
      recorded_at: instantText(computedAt),
      source: change.provider,
    },
  }
}
