import { DISCLAIMER, DISCLAIMER_FR } from '../../../core/disclaimer.js'
import { freshnessKindOfTier } from '../../../core/freshness.js'
import { holdsScope } from '../../../policy/decide.js'
import { builder } from '../../../schema-kit/builder.js'
import { FreshnessStatusType, FreshnessType, freshness } from '../../../schema-kit/envelope.js'
import { type ArgBuilder, hints } from '../../../schema-kit/fields.js'
import { seriesEndpoint } from '../../../schema-kit/series-endpoint.js'
import { asOfArguments, cursorArgument } from '../../../schema-kit/shared-arguments.js'
import { instant, integer, shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { analysisGrain, analysisStateOf } from '../analysis-grains-schema.js'
import {
  type AnalysedSnapshot,
  HISTORY_LIMITS,
  type LineageEntry,
  type ListedSnapshot,
  type SnapshotHeader,
  storedLineage,
} from '../model.js'
import { checkHistory, getHistory, type History } from './service.js'
import {
  AiAnalysisType,
  chainArguments,
  freshnessOfSnapshot,
  HEADER_COLUMNS,
  ListedParts,
  methodologyUrl,
  resolveMethodologyVersion,
  snapshotFields,
} from './snapshot-schema.js'

const LineageDatasetType = builder.objectRef<LineageEntry>('DataLineageDataset').implement({
  description: 'A dataset that an analysis was computed from.',
  fields: (t) =>
    shownFields(t, {
      dataset: text('Name of the dataset, e.g. candles.'),
      version: integer('Version of the dataset that was read.'),
      source: text('Provider of the dataset; `seed` means synthetic data.'),
    }),
})

const LineageType = builder.prismaObject('AnalysisSnapshot', {
  variant: 'DataLineage',
  select: HEADER_COLUMNS,
  description: 'Data and method that an analysis was computed with.',
  fields: (t) =>
    shownFields(t, {
      prompt_hash: text.orNull('SHA-256 of the prompt. Null when no language model was used.', 'promptHash'),
      methodology_version: text('Version of the method.', 'methodologyVersion'),
      datasets: t.field({
        type: [LineageDatasetType],
        description: 'Datasets that the analysis was computed from, each with the version that was read.',
        resolve: ({ dataLineage }) => storedLineage(dataLineage),
      }),
    }),
})

export const AiMetadataType = builder.objectRef<AnalysedSnapshot<SnapshotHeader>>('AiMetadata').implement({
  description: 'Model, method and age of a snapshot.',
  fields: (t) => ({
    disclaimer: t.string({ description: 'Disclaimer.', resolve: () => DISCLAIMER }),
    disclaimer_fr: t.string({ description: 'The disclaimer in French.', resolve: () => DISCLAIMER_FR }),
    freshness_status: t.field({
      type: FreshnessStatusType,
      description: "Freshness by the refresh interval of the asset's tier.",
      resolve: (view, _args, context) => freshnessOfSnapshot(view, context).freshness_status,
    }),
    generated_at: t.field({
      type: 'DateTime',
      description: 'Time that the analysis is about.',
      resolve: ({ snapshot }) => snapshot.generatedAt,
    }),
    methodology_url: t.field({
      type: 'URL',
      description: 'Absolute URL of the description of the method.',
      resolve: (_view, _args, context) => methodologyUrl(context),
    }),
    methodology_version: t.string({
      nullable: true,
      description: 'Version of the method. Null without the scope ai:lineage.',
      resolve: ({ snapshot }, args, context) => resolveMethodologyVersion(snapshot, args, context),
    }),
    model_id: t.string({
      description: 'Model that produced it.',
      resolve: ({ snapshot }) => snapshot.modelId,
    }),
    next_refresh_at: t.field({
      type: 'DateTime',
      description:
        "When the next analysis is due: generated_at plus the refresh interval of the asset's tier.",
      resolve: (view, _args, context) => freshnessOfSnapshot(view, context).next_refresh_at,
    }),
    prompt_version: t.string({
      nullable: true,
      description: 'Version of the prompt. Null when no language model was used.',
      resolve: ({ snapshot }) => snapshot.promptVersion,
    }),
  }),
})

export const AiAnalysisItemType = builder
  .objectRef<AnalysedSnapshot<ListedSnapshot>>('AiAnalysisItem')
  .implement({
    description: 'One snapshot of a history.',
    fields: (t) => ({
      ...snapshotFields(t, ListedParts),
      ai_metadata: t.field({
        type: AiMetadataType,
        description: 'Model, method and age.',
        resolve: (view) => view,
      }),
      data_lineage: t.field({
        type: LineageType,
        nullable: true,
        description: 'Data and method that it was computed with. Null without the scope ai:lineage.',
        resolve: ({ snapshot }, _args, context) => (holdsScope(context, 'ai:lineage') ? snapshot : null),
      }),
      generated_at: t.field({
        type: 'DateTime',
        description: 'Time that the analysis is about.',
        resolve: ({ snapshot }) => snapshot.generatedAt,
      }),
      sentiment_score: t.float({
        nullable: true,
        description: 'Score from -1 to 1. Null when the analysis has no score.',
        resolve: ({ snapshot }) => snapshot.sentimentScore,
      }),
      summary: t.string({
        nullable: true,
        description:
          'Text of the analysis: facts without target, verdict or recommendation. Null when the stored content has no text.',
        resolve: ({ snapshot }) => snapshot.summary,
      }),
    }),
  })

export const HistoryType = builder.objectRef<History>('AiAnalysisHistoryResponse').implement({
  description: 'Snapshots of an asset and type, as they were known at a time.',
  fields: (t) =>
    shownFields(t, {
      asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
      analysis_type: shownAs(AiAnalysisType)('Type of analysis.', 'analysisType'),
      total: integer('Number of snapshots before the limit is applied.'),
      limit: integer('The limit that was applied.'),
      older_requires: text.orNull(
        'Scope that is needed for older snapshots, which this response omits because the request set no limit, as_of or cursor. Null when no snapshots are omitted.',
        'olderRequires',
      ),
      as_of: instant.orNull('The snapshots are those known at this time; null for now.', 'asOf'),
      items: t.field({
        type: [AiAnalysisItemType],
        description: 'The snapshots, newest first.',
        resolve: ({ asset, snapshots }) => snapshots.map((snapshot) => ({ asset, snapshot })),
      }),
      next_cursor: text.orNull(
        'Cursor of the next page, with older snapshots. Null on the last page.',
        'nextCursor',
      ),
      _meta: t.field({
        type: FreshnessType,
        description: 'Freshness of the newest snapshot; when the list is empty, of the stored analyses.',
        resolve: ({ asset, snapshots: [snapshot] }, _args, context) =>
          snapshot
            ? freshnessOfSnapshot({ asset, snapshot }, context)
            : freshness(context, analysisStateOf(asset.slug, context), freshnessKindOfTier(asset.tier)),
      }),
    }),
})

/** Arguments that select a part of a history. */
export const rangeArguments = (arg: ArgBuilder) => ({
  // The schema has no default: without a limit the caller gets everything that the tier may see.
  limit: arg.int({
    description: 'Maximum number of snapshots.',
    ...hints({
      minimum: HISTORY_LIMITS.min,
      maximum: HISTORY_LIMITS.max,
      defaultText: `${HISTORY_LIMITS.default}, or as many as the tier may see`,
    }),
  }),
  ...asOfArguments(arg),
  cursor: cursorArgument(
    arg,
    '`next_cursor` of the previous page: returns the snapshots older than that page.',
  ),
})

seriesEndpoint('ai_analysis_history', {
  isAlwaysRevalidated: true,
  summary: 'AI analyses of an asset over time',
  keywords: ['past analyses', 'earlier opinions'],
  description:
    'Snapshots of one type of analysis of an asset, newest first, as they were known at `as_of`: later corrections are not included. Snapshots older than 90 days need history:full. Without that scope, a request without `limit` and `as_of` returns only newer snapshots and sets `older_requires` when older ones exist. Any other request that would include older snapshots is a 403, which says what you can request.',
  access: 'ai:read',
  partScopes: ['history:full', 'ai:lineage'],
  path: '/v1/assets/{asset_id}/ai-analysis/history',
  tag: 'ai analysis',
  table: { rows: 'items', total: 'total' },
  nextCursor: 'next_cursor',
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: HistoryType,
  args: (arg) => ({
    ...chainArguments(arg),
    ...rangeArguments(arg),
  }),
  check: (args, context) => checkHistory(args, context),
  grains: ({ slug }) => [analysisGrain(slug)],
  assetOf: ({ slug }) => slug,
  resolve: (query, context) => getHistory(query, context),
})
