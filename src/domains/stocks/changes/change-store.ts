import type { ChangePosition } from '../../../core/change-position.js'
import { ASSET, CORPORATE_ACTION_CHANGE } from '../../../generated/columns.js'
import type { Asset } from '../../../generated/prisma/client.js'
import {
  type ChangeSelection,
  type ChangesBefore,
  readChangesOf,
} from '../../../platform/database/change-table.js'
import type { Sql } from '../../../platform/database/database.js'
import { column, only, type RowOf, selectList } from '../../../platform/database/statement.js'
import {
  type ActionChangeKind,
  type ActionTerms,
  CHANGE_KINDS,
  CHANGED_TYPES,
  type ChangedType,
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

/** Filters of a list of changes; null means no filter. */
export interface ActionChangeFilter {
  /** Only changes that were recorded at or after this instant. */
  readonly since: Date | null
  readonly assetIds: readonly number[] | null
  readonly actionType: ChangedType | null
  readonly changeKind: ActionChangeKind | null
}

const OF_CHANGE = {
  ...only(
    CORPORATE_ACTION_CHANGE,
    'diffId',
    'changeId',
    'computedAt',
    'actionType',
    'changeKind',
    'knownFrom',
  ),
  /** Written by recordActionChanges from such terms. */
  before: column<StoredTerms | null>('jsonb?'),
  after: column<StoredTerms | null>('jsonb?'),
} as const
const CHANGE = { ...OF_CHANGE, ...ASSET, provider: 'text' } as const
const CHANGES = readChangesOf({
  table: 'corporate_action_change',
  columns: CHANGE,
  list: `${selectList(OF_CHANGE, 'c')}, c.source as provider, ${selectList(ASSET, 'a')}`,
  kinds: [
    { name: 'action_type', type: 'corporate_action_change_type', values: CHANGED_TYPES },
    { name: 'change_kind', type: 'corporate_action_change_kind', values: CHANGE_KINDS },
  ],
  toChange: changeFromRow,
})

function selectionOf({ actionType, changeKind, ...others }: ActionChangeFilter): ChangeSelection {
  return { ...others, kinds: [actionType, changeKind] }
}

/** Newest first: the changes before a place, from the newest on when it is null. */
export function loadActionChangesBefore(
  sql: Sql,
  filter: ActionChangeFilter,
  page: ChangesBefore,
): Promise<readonly ActionChange[]> {
  return CHANGES.loadBefore(sql, selectionOf(filter), page)
}

export const loadActionChangesById = CHANGES.loadById

export function countActionChanges(sql: Sql, filter: ActionChangeFilter): Promise<number> {
  return CHANGES.count(sql, selectionOf(filter))
}

function changeFromRow(row: RowOf<typeof CHANGE>): ActionChange {
  const { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source, before, after, ...change } = row
  const asset = { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source }
  return { ...change, asset, before: before && toActionTerms(before), after: after && toActionTerms(after) }
}
