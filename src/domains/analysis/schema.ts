import './block/schema.js'
import './change/schema.js'
import './proof/schema.js'
import './stream/schema.js'
import { freshnessKindOfTier } from '../../core/freshness.js'
import { builder } from '../../graphql/builder.js'
import { FreshnessType, freshness, stateOf } from '../../graphql/envelope.js'
import { edge, hints, queryEndpoint } from '../../graphql/fields.js'
import { AssetCardType } from '../assets/schema.js'
import { BlockType, BlockTypeType } from './block/schema.js'
import { blockOf } from './block.js'
import {
  type AnalysedAsset,
  type AnalysisType,
  type BlockType as BlockTypeName,
  DEFAULT_ANALYSIS_TYPE,
  DEFAULT_BLOCK_TYPE,
  HISTORY_LIMITS,
} from './model.js'
import {
  getHistory,
  getLatest,
  type History,
  historyOf,
  latestOf,
  parseChain,
  parseHistory,
  parseHistoryRange,
} from './service.js'
import {
  AiAnalysisItemType,
  AiAnalysisType,
  chainArguments,
  freshnessOfSnapshot,
  LatestResponseType,
} from './snapshot/schema.js'

const HistoryType = builder.objectRef<History>('AiAnalysisHistoryResponse').implement({
  description: 'Snapshots of an asset and type as they were known at an instant.',
  fields: (t) => ({
    asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
    analysis_type: t.expose('analysisType', { type: AiAnalysisType, description: 'Kind of the analysis.' }),
    total: t.exposeInt('total', { description: 'Snapshots there were, before the limit.' }),
    limit: t.exposeInt('limit', { description: 'The limit that was applied.' }),
    as_of: t.expose('asOf', {
      type: 'DateTime',
      nullable: true,
      description: 'The instant whose knowledge this is; null: now.',
    }),
    items: t.field({
      type: [AiAnalysisItemType],
      description: 'The snapshots, newest first.',
      resolve: ({ asset, snapshots }) => snapshots.map((snapshot) => ({ asset, snapshot })),
    }),
    _meta: t.field({
      type: FreshnessType,
      description: 'How fresh the newest of them is; of all analyses where there is none.',
      resolve: ({ asset, snapshots: [snapshot] }, _args, context) =>
        snapshot
          ? freshnessOfSnapshot({ asset, snapshot }, context)
          : freshness(context, stateOf(context, 'analysis'), freshnessKindOfTier(asset.tier)),
    }),
  }),
})

queryEndpoint('ai_analysis_latest', {
  summary: 'Newest AI analysis of an asset',
  description:
    'The newest snapshot of one kind of analysis of an asset, with what proves it unchanged. Corrections take the place of what they correct.',
  access: 'ai:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{asset_id}/ai-analysis/latest', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: LatestResponseType,
  args: chainArguments,
  parse: (args) => parseChain(args),
  resolve: (query, context) => getLatest(query, context),
})

queryEndpoint('ai_analysis_history', {
  summary: 'AI analyses of an asset over time',
  description:
    'Snapshots of one kind of analysis of an asset, newest first, as they were known at `as_of`: corrections that became known later do not show. Without history:full a question whose answer would hold snapshots of more than 90 days ago is a 403 that says what can be asked; it is never cut.',
  access: 'ai:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{asset_id}/ai-analysis/history', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: HistoryType,
  args: (arg) => ({
    ...chainArguments(arg),
    limit: arg.int({
      defaultValue: HISTORY_LIMITS.default,
      description: 'Snapshots at most.',
      ...hints({ minimum: HISTORY_LIMITS.min, maximum: HISTORY_LIMITS.max }),
    }),
    as_of: arg({
      type: 'DateTime',
      description: 'The instant whose knowledge is asked for; not in the future.',
      ...hints({ example: '2026-11-01T00:00:00Z', defaultText: 'now' }),
    }),
  }),
  parse: (args, context) => parseHistory(args, context),
  resolve: (query, context) => getHistory(query, context),
})

builder.prismaObjectFields(AssetCardType, (t) => ({
  ai: t.field({
    type: BlockType,
    nullable: true,
    description: 'A short AI statement; its content needs ai:read. Charged per 20 parents.',
    args: {
      analysis_type: t.arg({
        type: BlockTypeType,
        defaultValue: DEFAULT_BLOCK_TYPE,
        description: 'What it tells.',
      }),
    },
    ...edge(
      'caller',
      ['analysis'],
      (asset: AnalysedAsset, args: { analysis_type?: BlockTypeName | null | undefined }, context) =>
        blockOf(asset, args.analysis_type ?? DEFAULT_BLOCK_TYPE, context),
    ),
  }),
  ai_analysis_latest: t.field({
    type: LatestResponseType,
    nullable: true,
    description: 'The newest AI analysis; null while there is none. Needs ai:read. Charged per 20 parents.',
    args: {
      analysis_type: t.arg({
        type: AiAnalysisType,
        defaultValue: DEFAULT_ANALYSIS_TYPE,
        description: 'Kind of the analysis.',
      }),
    },
    ...edge(
      'ai:read',
      ['analysis'],
      (asset: AnalysedAsset, args: { analysis_type?: AnalysisType | null | undefined }, context) =>
        latestOf(asset, args.analysis_type ?? DEFAULT_ANALYSIS_TYPE, context),
    ),
  }),
  ai_analysis_history: t.field({
    type: HistoryType,
    nullable: true,
    description:
      'AI analyses over time, as at the root field. Needs ai:read, and history:full beyond 90 days. Charged per 20 parents.',
    args: {
      analysis_type: t.arg({
        type: AiAnalysisType,
        defaultValue: DEFAULT_ANALYSIS_TYPE,
        description: 'Kind of the analysis.',
      }),
      limit: t.arg.int({
        defaultValue: HISTORY_LIMITS.default,
        description: 'Snapshots at most.',
        ...hints({ minimum: HISTORY_LIMITS.min, maximum: HISTORY_LIMITS.max }),
      }),
      as_of: t.arg({ type: 'DateTime', description: 'The instant whose knowledge is asked for.' }),
    },
    ...edge(
      'ai:read',
      ['analysis'],
      (asset: AnalysedAsset, args: Parameters<typeof parseHistoryRange>[0], context) =>
        historyOf(asset, parseHistoryRange(args, context), context),
    ),
  }),
}))
