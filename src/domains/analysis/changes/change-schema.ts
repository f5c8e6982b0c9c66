import { builder } from '../../../schema-kit/builder.js'
import { CHANGE_LIST, changeListArguments, NEXT_CHANGES } from '../../../schema-kit/change-list.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import { datasetStateOf, FreshnessType, freshness } from '../../../schema-kit/envelope.js'
import { type ArgBuilder, edge, hints } from '../../../schema-kit/fields.js'
import { seriesEndpoint } from '../../../schema-kit/series-endpoint.js'
import { limitArgument, slugFilterArgument } from '../../../schema-kit/shared-arguments.js'
import { instant, integer, number, shownAs, shownFields, uuid } from '../../../schema-kit/shown-fields.js'
import { withComputed } from '../../../schema-kit/with-computed.js'
import { cardEdge } from '../../asset-cards/card-schema.js'
import { byArgument } from '../../assets/by-schema.js'
import { CHANGES_LIMITS, WAIT_SECONDS } from '../model.js'
import { AI_META_FIELD, AiAnalysisType, LatestResponseType } from '../snapshots/snapshot-schema.js'
import { awaitChanges, type ChangesPage, changedSnapshot, checkChanges } from './change-service.js'
import type { SnapshotChange } from './change-store.js'
import { isMajorShift } from './difference.js'

export const ChangeTypeType = describedEnum(
  'ChangeType',
  'Why a snapshot differs from the previous one. If several reasons apply, the first of this list is the dominant one.',
  {
    RESTATEMENT: 'The later snapshot corrects the earlier one.',
    METHODOLOGY_CHANGE: 'The version of the method has changed.',
    MODEL_UPGRADE: 'The model or the version of the prompt has changed.',
    DATA_REFRESH: 'Only the data are newer.',
  },
)

export const ChangeItemType = withComputed<SnapshotChange, 'AnalysisChange'>(
  builder.prismaObject('AnalysisChange', {
    variant: 'AssetChangeSummary',
    description:
      'One change: the difference between a new snapshot and the previous one of the same asset and type.',
  }),
)

builder.objectFields(ChangeItemType, (t) =>
  shownFields(t, {
    asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
    ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
    analysis_type: shownAs(AiAnalysisType)('Type of analysis.', 'analysisType'),
    change_type: shownAs(ChangeTypeType)('Dominant reason of the change.', 'changeType'),
    from_snapshot_id: uuid('UUID of the earlier snapshot.', 'fromSnapshotId'),
    to_snapshot_id: uuid('UUID of the later snapshot.', 'toSnapshotId'),
    changed_at: instant('When the later snapshot was generated.', 'changedAt'),
    cosine_similarity: number.orNull(
      'Similarity of the two summaries: token-set ratio from 0 to 1. Null when the text is unchanged.',
      'similarity',
    ),
    major_text_shift: t.boolean({
      nullable: true,
      description: 'True when the similarity is below 0.7. Null when the text is unchanged.',
      resolve: ({ similarity }) => isMajorShift(similarity),
    }),
    asset: t.field({ ...cardEdge(), nullable: true }),
    from_snapshot: t.field({
      type: LatestResponseType,
      nullable: true,
      description:
        'The earlier snapshot. A snapshot older than 90 days needs history:full. Charged per 20 parents.',
      ...edge('ai:read', ['analysis'], (change: SnapshotChange, _args: object, context) =>
        changedSnapshot(change, change.fromSnapshotId, context),
      ),
    }),
    to_snapshot: t.field({
      type: LatestResponseType,
      nullable: true,
      description:
        'The later snapshot. A snapshot older than 90 days needs history:full. Charged per 20 parents.',
      ...edge('ai:read', ['analysis'], (change: SnapshotChange, _args: object, context) =>
        changedSnapshot(change, change.toSnapshotId, context),
      ),
    }),
  }),
)

export const ChangesResponseType = builder.objectRef<ChangesPage>('AIAnalysisChangesResponse').implement({
  description: 'A page of changes, newest first.',
  fields: (t) =>
    shownFields(t, {
      meta: t.field(AI_META_FIELD),
      items: shownAs([ChangeItemType])('The changes, newest first.'),
      ...NEXT_CHANGES,
      total_count: integer.orNull(
        'Number of matching items. Null on pages requested with a cursor.',
        'totalCount',
      ),
      _meta: t.field({
        type: FreshnessType,
        description: 'Freshness of the analyses, by the refresh interval of tier 1.',
        resolve: ({ datasets }, _args, context) =>
          freshness(context, datasetStateOf({ ...context, datasets }, 'analysis'), 'tier_1'),
      }),
    }),
})

/** Arguments of a list of changes. */
export const changesArguments = (arg: ArgBuilder) => ({
  ...changeListArguments(arg),
  analysis_type: arg({ type: AiAnalysisType, description: 'Only this type of analysis.' }),
  change_type: arg({ type: ChangeTypeType, description: 'Only changes with this dominant reason.' }),
  limit: limitArgument(arg, 'Items per page.', CHANGES_LIMITS),
})

seriesEndpoint('ai_analysis_changes', {
  ...CHANGE_LIST,
  summary: 'Changes of analyses',
  keywords: ['news feed', 'what changed', 'updates', 'alerts'],
  description:
    'Changes from each snapshot to the next one of the same asset and type, newest first in the order of arrival. Paging with `next_cursor` returns each item exactly once, even while new items are added.',
  access: 'ai:read',
  path: '/v1/ai-analysis/changes',
  tag: 'ai analysis',
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: ChangesResponseType,
  args: (arg) => ({
    ...changesArguments(arg),
    asset_id: slugFilterArgument(arg, 'Slug of an asset: only its changes.'),
    by: byArgument(arg, 'Another identifier of an asset, instead of `asset_id`.'),
    wait_seconds: arg.int({
      defaultValue: WAIT_SECONDS.default,
      description:
        'Long poll: when no item matches, wait up to this many seconds for the first one. Can be combined with `since`, but not with `cursor`.',
      ...hints({ minimum: WAIT_SECONDS.min, maximum: WAIT_SECONDS.max }),
    }),
  }),
  check: (args, context) => checkChanges(args, context),
  waits: (query) => query.waitMs > 0,
  resolve: (query, context) => awaitChanges(query, context),
})
