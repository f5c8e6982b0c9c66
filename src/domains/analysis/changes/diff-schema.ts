import { holdsScope } from '../../../policy/decide.js'
import { builder } from '../../../schema-kit/builder.js'
import { FreshnessType } from '../../../schema-kit/envelope.js'
import { type ArgBuilder, hints, queryEndpoint } from '../../../schema-kit/fields.js'
import { shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { cardEdge } from '../../asset-cards/card-schema.js'
import { analysisGrain } from '../analysis-grains-schema.js'
import type { AnalysedSnapshot } from '../model.js'
import {
  AI_META_FIELD,
  AiAnalysisType,
  chainArguments,
  freshnessOfSnapshot,
  LatestResponseType,
} from '../snapshots/snapshot-schema.js'
import { ChangeTypeType } from './change-schema.js'
import { checkDiff, type Diff, getDiff } from './diff-service.js'
import { type FieldChange, isMajorShift } from './difference.js'

const FieldChangeType = builder.objectRef<FieldChange>('FieldChange').implement({
  description: 'One figure or version that differs between two snapshots.',
  fields: (t) =>
    shownFields(t, {
      field: text(
        'Name of the field: sentiment_score, signals.<name>.value, signals.<name>.threshold, aaoifi.<ratio>, methodology_version, model_id or prompt_version. Never the text.',
      ),
      before: t.field({
        type: 'JSON',
        nullable: true,
        description:
          'Value in the earlier snapshot. Null when it is missing or was not computed; for methodology_version also without the scope ai:lineage.',
        resolve: (change, _args, context) => (maySee(change, context) ? change.before : null) as never,
      }),
      after: t.field({
        type: 'JSON',
        nullable: true,
        description: 'Value in the later snapshot. Null for the same reasons as `before`.',
        resolve: (change, _args, context) => (maySee(change, context) ? change.after : null) as never,
      }),
      change_type: shownAs(ChangeTypeType)('Reason of this difference.'),
    }),
})

function maySee({ field }: FieldChange, context: Parameters<typeof holdsScope>[0]): boolean {
  return field !== 'methodology_version' || holdsScope(context, 'ai:lineage')
}

const DiffSnapshotRefType = builder.objectRef<AnalysedSnapshot>('DiffSnapshotRef').implement({
  description: 'One of two compared snapshots.',
  fields: (t) => ({
    snapshot_id: t.field({
      type: 'UUID',
      description: 'UUID of the snapshot.',
      resolve: ({ snapshot }) => snapshot.snapshotId,
    }),
    generated_at: t.field({
      type: 'DateTime',
      description: 'Time that the analysis is about.',
      resolve: ({ snapshot }) => snapshot.generatedAt,
    }),
    content_hash: t.string({
      description:
        '`sha256:` and the SHA-256 of its content in 64 hex digits. Empty for old snapshots without a hash.',
      resolve: ({ snapshot }) => snapshot.contentHash,
    }),
    model_id: t.string({
      description: 'Model that produced it.',
      resolve: ({ snapshot }) => snapshot.modelId,
    }),
    snapshot: t.field({
      type: LatestResponseType,
      subGraphs: ['Graph'],
      description: 'The snapshot itself, without an extra charge.',
      resolve: (reference) => reference,
    }),
  }),
})

export const DiffType = builder.objectRef<Diff>('AIAnalysisDiffResponse').implement({
  description: 'Differences between two snapshots of one asset and type.',
  fields: (t) =>
    shownFields(t, {
      asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
      ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
      analysis_type: shownAs(AiAnalysisType)('Type of analysis.', 'analysisType'),
      asset: t.field(cardEdge()),
      from_snapshot: t.field({
        type: DiffSnapshotRefType,
        description: 'The earlier snapshot.',
        resolve: ({ asset, from }) => ({ asset, snapshot: from }),
      }),
      to_snapshot: t.field({
        type: DiffSnapshotRefType,
        description: 'The later snapshot.',
        resolve: ({ asset, to }) => ({ asset, snapshot: to }),
      }),
      change_type_summary: t.field({
        type: ChangeTypeType,
        description: 'Dominant reason of the change.',
        resolve: ({ difference }) => difference.changeType,
      }),
      changes: t.field({
        type: [FieldChangeType],
        description: 'Figures and versions that differ. The text is never included.',
        resolve: ({ difference }) => difference.changes,
      }),
      text_changed: t.boolean({
        description: 'Whether the summaries differ.',
        resolve: ({ difference }) => difference.textChanged,
      }),
      cosine_similarity: t.float({
        nullable: true,
        description:
          'Similarity of the two summaries: token-set ratio from 0 to 1. Null when the text is unchanged.',
        resolve: ({ difference }) => difference.similarity,
      }),
      major_text_shift: t.boolean({
        nullable: true,
        description: 'True when the similarity is below 0.7. Null when the text is unchanged.',
        resolve: ({ difference }) => isMajorShift(difference.similarity),
      }),
      meta: t.field(AI_META_FIELD),
      _meta: t.field({
        type: FreshnessType,
        description: 'Freshness of the later snapshot.',
        resolve: ({ asset, to }, _args, context) => freshnessOfSnapshot({ asset, snapshot: to }, context),
      }),
    }),
})

/** Arguments that select the compared snapshots. */
export const pairArguments = (arg: ArgBuilder) => ({
  from_snapshot: arg.string({
    description: 'UUID of the earlier snapshot.',
    ...hints({ maxLength: 36, defaultText: 'the newest snapshot before `to_snapshot`' }),
  }),
  to_snapshot: arg.string({
    description: 'UUID of the later snapshot.',
    ...hints({ maxLength: 36, defaultText: 'the newest other snapshot' }),
  }),
})

queryEndpoint('ai_analysis_diff', {
  isAlwaysRevalidated: true,
  summary: 'Compare two analyses',
  keywords: ['difference between analyses', 'before and after'],
  description:
    'Returns the figures and versions that differ between two snapshots of an asset and type, and the similarity of their texts. Without arguments it compares the two newest snapshots. With only `from_snapshot` it compares that snapshot with the newest other one; with only `to_snapshot`, with the one before it. The order of the two does not matter. Snapshots older than 90 days need history:full.',
  access: 'ai:read',
  partScopes: ['history:full', 'ai:lineage'],
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{asset_id}/ai-analysis/history/diff', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: DiffType,
  args: (arg) => ({
    ...chainArguments(arg),
    ...pairArguments(arg),
  }),
  check: (args, context) => checkDiff(args, context),
  grains: ({ slug }) => [analysisGrain(slug)],
  assetOf: ({ slug }) => slug,
  resolve: (query, context) => getDiff(query, context),
})
