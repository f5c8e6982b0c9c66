import { builder } from '../../../graphql/builder.js'
import { FreshnessType, freshness, stateOf } from '../../../graphql/envelope.js'
import { edge, hints, queryEndpoint } from '../../../graphql/fields.js'
import { AssetCardType, CARD_READS, cardOf } from '../../assets/schema.js'
import { type FeedPage, parseFeed, snapshotOf } from '../changes.js'
import { type FieldChange, isMajorShift } from '../difference.js'
import type { Change } from '../feed.js'
import { holds } from '../history.js'
import { FEED_LIMITS, MAX_WAIT_SECONDS } from '../model.js'
import { type Diff, getDiff, parseDiff } from '../service.js'
import {
  AI_META_FIELD,
  AiAnalysisType,
  chainArguments,
  freshnessOfSnapshot,
  LatestResponseType,
} from '../snapshot/schema.js'
import { awaitFeed } from '../stream.js'

export const ChangeTypeType = builder.enumType('ChangeType', {
  description: 'Why a snapshot differs from the one before; the first that applies dominates.',
  values: {
    RESTATEMENT: { value: 'RESTATEMENT', description: 'The later one corrects the earlier one.' },
    METHODOLOGY_CHANGE: { value: 'METHODOLOGY_CHANGE', description: 'The version of the method differs.' },
    MODEL_UPGRADE: { value: 'MODEL_UPGRADE', description: 'The model or the version of the prompt differs.' },
    DATA_REFRESH: { value: 'DATA_REFRESH', description: 'Only the data are newer.' },
  } as const,
})

const FieldChangeType = builder.objectRef<FieldChange>('AIFieldChange').implement({
  description: 'One figure or version that differs between two snapshots.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description:
        'sentiment_score, signals.<name>.value, signals.<name>.threshold, aaoifi.<ratio>, methodology_version, model_id or prompt_version. Never the text.',
    }),
    before: t.field({
      type: 'JSONValue',
      nullable: true,
      description:
        'In the earlier snapshot. Null: not there or not computed; for methodology_version also without the scope ai:lineage.',
      resolve: (change, _args, context) => (maySee(change, context) ? change.before : null) as never,
    }),
    after: t.field({
      type: 'JSONValue',
      nullable: true,
      description: 'In the later snapshot, null as before.',
      resolve: (change, _args, context) => (maySee(change, context) ? change.after : null) as never,
    }),
    change_type: t.expose('change_type', { type: ChangeTypeType, description: 'Why it differs.' }),
  }),
})

function maySee({ field }: FieldChange, context: Parameters<typeof holds>[0]): boolean {
  return field !== 'methodology_version' || holds(context, 'ai:lineage')
}

const DiffType = builder.objectRef<Diff>('AIAnalysisDiffResponse').implement({
  description: 'What differs between two snapshots of one asset and type.',
  fields: (t) => ({
    asset_id: t.exposeString('slug', { description: 'Slug of the asset.' }),
    ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
    analysis_type: t.expose('analysisType', { type: AiAnalysisType, description: 'Kind of the analysis.' }),
    from_snapshot: t.string({
      description: 'UUID of the earlier snapshot.',
      resolve: ({ from }) => from.snapshotId,
    }),
    to_snapshot: t.string({
      description: 'UUID of the later snapshot.',
      resolve: ({ to }) => to.snapshotId,
    }),
    change_type_summary: t.field({
      type: ChangeTypeType,
      description: 'The dominant reason.',
      resolve: ({ difference }) => difference.changeType,
    }),
    changes: t.field({
      type: [FieldChangeType],
      description: 'Figures and versions that differ. Never the text.',
      resolve: ({ difference }) => difference.changes,
    }),
    text_changed: t.boolean({
      description: 'Whether the summaries differ.',
      resolve: ({ difference }) => difference.textChanged,
    }),
    cosine_similarity: t.float({
      nullable: true,
      description: 'Token-set ratio of the summaries, 0 to 1. Null when the text is unchanged.',
      resolve: ({ difference }) => difference.similarity,
    }),
    major_text_shift: t.boolean({
      nullable: true,
      description: 'True below a similarity of 0.7. Null when the text is unchanged.',
      resolve: ({ difference }) => isMajorShift(difference.similarity),
    }),
    meta: t.field(AI_META_FIELD),
    _meta: t.field({
      type: FreshnessType,
      description: 'How fresh the later snapshot is.',
      resolve: ({ asset, to }, _args, context) => freshnessOfSnapshot({ asset, snapshot: to }, context),
    }),
  }),
})

export const ChangeItemType = builder.objectRef<Change>('AIAnalysisChangeItem').implement({
  description: 'One item of the change feed: a snapshot landed that has one before it.',
  fields: (t) => ({
    asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
    ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
    analysis_type: t.expose('analysisType', { type: AiAnalysisType, description: 'Kind of the analysis.' }),
    change_type: t.expose('changeType', { type: ChangeTypeType, description: 'The dominant reason.' }),
    from_snapshot_id: t.exposeString('fromSnapshotId', { description: 'UUID of the earlier snapshot.' }),
    to_snapshot_id: t.exposeString('toSnapshotId', { description: 'UUID of the later snapshot.' }),
    changed_at: t.expose('changedAt', { type: 'DateTime', description: 'Generation of the later snapshot.' }),
    cosine_similarity: t.exposeFloat('similarity', {
      nullable: true,
      description: 'Token-set ratio of the summaries, 0 to 1. Null when the text is unchanged.',
    }),
    major_text_shift: t.boolean({
      nullable: true,
      description: 'True below a similarity of 0.7. Null when the text is unchanged.',
      resolve: ({ similarity }) => isMajorShift(similarity),
    }),
    asset: t.field({
      type: AssetCardType,
      description: 'The asset; charged per 20 parents.',
      ...edge('caller', CARD_READS, (change: Change, _args: object, context) =>
        cardOf(change.asset, context),
      ),
    }),
    from_snapshot: t.field({
      type: LatestResponseType,
      nullable: true,
      description: 'The earlier snapshot. Older than 90 days it needs history:full. Charged per 20 parents.',
      ...edge('ai:read', ['analysis'], (change: Change, _args: object, context) =>
        snapshotOf(change, change.fromSnapshotId, context),
      ),
    }),
    to_snapshot: t.field({
      type: LatestResponseType,
      nullable: true,
      description: 'The later snapshot. Older than 90 days it needs history:full. Charged per 20 parents.',
      ...edge('ai:read', ['analysis'], (change: Change, _args: object, context) =>
        snapshotOf(change, change.toSnapshotId, context),
      ),
    }),
  }),
})

const FeedPageType = builder.objectRef<FeedPage>('AIAnalysisChangesResponse').implement({
  description: 'A page of the change feed, newest first.',
  fields: (t) => ({
    meta: t.field(AI_META_FIELD),
    items: t.expose('items', { type: [ChangeItemType], description: 'The changes, newest first.' }),
    has_more: t.exposeBoolean('hasMore', { description: 'Whether older items match.' }),
    next_cursor: t.exposeString('nextCursor', {
      nullable: true,
      description: 'Give it as `cursor` for the items before the last one here. Null when there are none.',
    }),
    total_count: t.exposeInt('totalCount', {
      nullable: true,
      description: 'Matching items. Null on pages reached by a cursor.',
    }),
    _meta: t.field({
      type: FreshnessType,
      description: 'How fresh the analyses are, against the interval of tier 1.',
      resolve: ({ datasets }, _args, context) =>
        freshness(context, stateOf({ ...context, datasets }, 'analysis'), 'tier_1'),
    }),
  }),
})

queryEndpoint('ai_analysis_diff', {
  summary: 'What differs between two analyses',
  description:
    'Figures and versions that differ between two snapshots of an asset and type, and how alike their texts are. Without snapshots the two newest; with one only, that one and the newest, or the one before it. Given the wrong way round they are put in order. Snapshots more than 90 days old need history:full.',
  access: 'ai:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{asset_id}/ai-analysis/history/diff', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: DiffType,
  args: (arg) => ({
    ...chainArguments(arg),
    from_snapshot: arg.string({
      description: 'UUID of the earlier snapshot.',
      ...hints({ maxLength: 36, defaultText: 'the newest before `to_snapshot`' }),
    }),
    to_snapshot: arg.string({
      description: 'UUID of the later snapshot.',
      ...hints({ maxLength: 36, defaultText: 'the newest' }),
    }),
  }),
  parse: (args, context) => parseDiff(args, context),
  resolve: (query, context) => getDiff(query, context),
})

queryEndpoint('ai_analysis_changes', {
  summary: 'Feed of changed analyses',
  description:
    'What changed from each snapshot to the next of its asset and type, newest first in the order of arrival. A reader who follows next_cursor meets every item once, whatever is added meanwhile.',
  access: 'ai:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/ai-analysis/changes', tag: 'ai analysis' },
  errors: ['service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: FeedPageType,
  args: (arg) => ({
    since: arg({
      type: 'DateTime',
      description: 'Only what became known here at or after this instant.',
      ...hints({ example: '2026-11-01T00:00:00Z' }),
    }),
    analysis_type: arg({ type: AiAnalysisType, description: 'Only this kind of analysis.' }),
    change_type: arg({ type: ChangeTypeType, description: 'Only changes of this dominant reason.' }),
    limit: arg.int({
      defaultValue: FEED_LIMITS.default,
      description: 'Items per page.',
      ...hints({ minimum: FEED_LIMITS.min, maximum: FEED_LIMITS.max }),
    }),
    cursor: arg.string({
      description: 'next_cursor of the page before.',
      ...hints({ maxLength: 512 }),
    }),
    wait_seconds: arg.int({
      defaultValue: 0,
      description:
        'While nothing matches, wait up to this many seconds for the first item (long poll). Goes with `since`, not with `cursor`.',
      ...hints({ minimum: 0, maximum: MAX_WAIT_SECONDS }),
    }),
  }),
  parse: (args) => parseFeed(args),
  resolve: (query, context) => awaitFeed(query, context),
})
