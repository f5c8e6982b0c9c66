import type { ChangePosition } from '../../../core/change-position.js'
import { instantText } from '../../../core/instant-text.js'
import { CORPORATE_ACTION_CHANGE } from '../../../generated/columns.js'
import type { Asset } from '../../../generated/prisma/client.js'
import { defineChangeFeed } from '../../../platform/changes/change-feed.js'
import { column, only } from '../../../platform/database/statement.js'
import {
  type ActionChangeKind,
  type ActionTerms,
  type ChangedType,
  changedTerms,
  type StoredTerms,
  toActionTerms,
} from './change-model.js'

/** A change of a corporate action, with the asset whose share it is about. */
export interface ActionChange extends ChangePosition {
  readonly changeId: string
  readonly asset: Asset
  readonly actionType: ChangedType
  readonly changeKind: ActionChangeKind
  /** Null if the action was new or withdrawn. */
  readonly before: ActionTerms | null
  /** Null if the action is withdrawn. */
  readonly after: ActionTerms | null
  readonly knownFrom: Date
  readonly provider: string
}

/** The changes of corporate actions, as `GET /v1/corporate-actions/changes` lists them. */
export const ACTION_CHANGES = defineChangeFeed({
  table: 'corporate_action_change',
  columns: {
    ...only(CORPORATE_ACTION_CHANGE, 'changeId', 'actionType', 'changeKind', 'knownFrom'),
    /** Written by recordActionChanges from such terms. */
    before: column<StoredTerms | null>('jsonb?'),
    after: column<StoredTerms | null>('jsonb?'),
  },
  kinds: ['actionType', 'changeKind'],
  isOfOneSource: false,
  toChange: ({ before, after, ...change }): ActionChange => ({
    ...change,
    before: before && toActionTerms(before),
    after: after && toActionTerms(after),
  }),
  toItem: ({ asset, before, after, ...change }) => ({
    change_id: change.changeId,
    asset_id: asset.slug,
    ticker: asset.ticker,
    action_type: change.actionType,
    change_kind: change.changeKind,
    is_withdrawn: after === null,
    before,
    after,
    changed_fields: changedTerms(before, after),
    known_from: instantText(change.knownFrom),
    recorded_at: instantText(change.computedAt),
    source: change.provider,
  }),
})
