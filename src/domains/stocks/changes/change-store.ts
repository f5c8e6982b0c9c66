import type { ChangePosition } from '../../../core/change-position.js'
import { ASSET, CORPORATE_ACTION_CHANGE } from '../../../generated/columns.js'
import type { Asset } from '../../../generated/prisma/client.js'
import { positionBefore } from '../../../platform/database/change-order.js'
import type { Sql } from '../../../platform/database/database.js'
import {
  column,
  only,
  type RowOf,
  selectList,
  statement,
  statements,
} from '../../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../../platform/database/where-given.js'
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
const CHANGE_LIST = `${selectList(OF_CHANGE, 'c')}, c.source as provider, ${selectList(ASSET, 'a')}`
const CHANGES = `select ${CHANGE_LIST} from corporate_action_change c join asset a on a.asset_id = c.asset_id`

function matching({ since, assetIds, actionType, changeKind }: ActionChangeFilter): readonly Condition[] {
  return [
    ['c.computed_at >= ?::timestamptz', since],
    ['c.asset_id = any(?::int[])', assetIds],
    ['c.action_type = ?::corporate_action_change_type', actionType],
    ['c.change_kind = ?::corporate_action_change_kind', changeKind],
  ]
}

// Plain SQL: the position is a comparison of rows, which Prisma does not have.
const CHANGES_BEFORE = statements(
  CHANGE,
  (where: string) => `${CHANGES} where ${where} order by c.computed_at desc, c.diff_id desc limit $1`,
  'true',
)

/** Newest first: the changes before a place, from the newest on when it is null. */
export async function loadActionChangesBefore(
  sql: Sql,
  filter: ActionChangeFilter,
  { before, limit }: { readonly before: ChangePosition | null; readonly limit: number },
): Promise<readonly ActionChange[]> {
  const { where, parameters } = whereGiven([...matching(filter), positionBefore(before)], 1)
  return (await sql.rows(CHANGES_BEFORE(where), [limit, ...parameters])).map(changeFromRow)
}

const CHANGES_BY_ID = statement(CHANGE, `${CHANGES} where c.diff_id = any($1::int8[])`)

export async function loadActionChangesById(
  sql: Sql,
  diffIds: readonly number[],
): Promise<readonly ActionChange[]> {
  return (await sql.rows(CHANGES_BY_ID, [diffIds])).map(changeFromRow)
}

const COUNT_OF_ASSETS = statements(
  { total: 'int8' },
  (where: string) => `select count(*) as total from corporate_action_change c where ${where}`,
  'true',
)

/** Subtracts places, as the count of changes of analyses does: two index look-ups per type and kind for any number. */
const COUNT = statement(
  { total: 'int8' },
  `select coalesce(sum(newest.place - coalesce(earlier.place, 0)), 0)::int8 as total
  from unnest($1::corporate_action_change_type[]) as type(action_type)
  cross join unnest($2::corporate_action_change_kind[]) as kind(change_kind)
  cross join lateral (
    select c.place from corporate_action_change c
    where c.action_type = type.action_type and c.change_kind = kind.change_kind
    order by c.computed_at desc, c.diff_id desc limit 1
  ) as newest
  left join lateral (
    select c.place from corporate_action_change c
    where c.action_type = type.action_type and c.change_kind = kind.change_kind and c.computed_at < $3::timestamptz
    order by c.computed_at desc, c.diff_id desc limit 1
  ) as earlier on true`,
)

/** Counts matching changes. Those of named assets are few, so they are counted one by one. */
export async function countActionChanges(sql: Sql, filter: ActionChangeFilter): Promise<number> {
  if (filter.assetIds !== null) {
    const { where, parameters } = whereGiven(matching(filter))
    return (await sql.rows(COUNT_OF_ASSETS(where), parameters))[0]?.total ?? 0
  }
  const types = filter.actionType === null ? CHANGED_TYPES : [filter.actionType]
  const kinds = filter.changeKind === null ? CHANGE_KINDS : [filter.changeKind]
  return (await sql.rows(COUNT, [types, kinds, filter.since]))[0]?.total ?? 0
}

function changeFromRow(row: RowOf<typeof CHANGE>): ActionChange {
  const { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source, before, after, ...change } = row
  const asset = { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source }
  return { ...change, asset, before: before && toActionTerms(before), after: after && toActionTerms(after) }
}
