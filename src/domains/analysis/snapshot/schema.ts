import { freshnessKindOfTier } from '../../../core/freshness.js'
import { builder } from '../../../graphql/builder.js'
import { type Freshness, FreshnessStatusType, FreshnessType, freshness } from '../../../graphql/envelope.js'
import { type ArgBuilder, hints } from '../../../graphql/fields.js'
import type { RequestContext } from '../../../platform/request-context.js'
import { SCOPES } from '../../../policy/scopes.js'
import { holds } from '../history.js'
import {
  DEFAULT_ANALYSIS_TYPE,
  DISCLAIMER,
  DISCLAIMER_FR,
  type LineageEntry,
  METHODOLOGY_URL,
  type Snapshot,
} from '../model.js'
import type { AnalysedSnapshot } from '../service.js'

/** Age of a snapshot against the refresh interval of its asset's tier. */
export function freshnessOfSnapshot(
  { asset, snapshot }: AnalysedSnapshot,
  context: RequestContext,
): Freshness {
  const { generatedAt, source } = snapshot
  return freshness(context, { observedAt: generatedAt, source }, freshnessKindOfTier(asset.tier))
}

export const AiAnalysisType = builder.enumType('AiAnalysisType', {
  description: 'Kind of an AI analysis.',
  values: {
    halal_analysis: {
      value: 'halal_analysis',
      description:
        'AAOIFI ratios of a stock, factual classification of a token; a measurement, never a ruling.',
    },
    market_context: { value: 'market_context', description: 'Price, volume and breadth of the market.' },
    regime: { value: 'regime', description: 'Returns, volatility, drawdown and trend.' },
  } as const,
})

/** Arguments of what is asked of one asset and one kind of analysis. */
export const chainArguments = (arg: ArgBuilder) => ({
  asset_id: arg.string({
    required: true,
    description: 'Slug of the asset.',
    ...hints({ example: 'bitcoin', maxLength: 64 }),
  }),
  analysis_type: arg({
    type: AiAnalysisType,
    defaultValue: DEFAULT_ANALYSIS_TYPE,
    description: 'Kind of the analysis.',
  }),
})

const META = {
  tier_required: SCOPES['ai:read'].from,
  ai_generated: true,
  disclaimer: DISCLAIMER,
  disclaimer_fr: DISCLAIMER_FR,
  methodology_url: METHODOLOGY_URL,
}

export const AiMetaType = builder.objectRef<typeof META>('AIHistoryMeta').implement({
  description: 'What every AI answer says of itself.',
  fields: (t) => ({
    tier_required: t.exposeString('tier_required', { description: 'Lowest tier that may ask.' }),
    ai_generated: t.exposeBoolean('ai_generated', { description: 'Always true.' }),
    disclaimer: t.exposeString('disclaimer', { description: 'What the analysis is not; this text binds.' }),
    disclaimer_fr: t.exposeString('disclaimer_fr', { description: 'The disclaimer in French.' }),
    methodology_url: t.exposeString('methodology_url', { description: 'Where the method is described.' }),
  }),
})

/** The `meta` member of an AI answer. */
export const AI_META_FIELD = {
  type: AiMetaType,
  description: 'What the answer says of itself.',
  resolve: () => META,
} as const

export const ImmutabilityType = builder.objectRef<Snapshot>('Immutability').implement({
  description: 'What proves that a snapshot is as it was written.',
  fields: (t) => ({
    content_hash: t.exposeString('contentHash', {
      description:
        '`sha256:` and 64 hex digits: SHA-256 of the canonical JSON (RFC 8785) of `content`. Empty for rows older than the hashes.',
    }),
    hash_algorithm: t.string({ description: 'Always sha256.', resolve: () => 'sha256' }),
    signed: t.boolean({
      description: 'Whether the snapshot carries a signature (Ed25519).',
      resolve: ({ signature }) => signature !== null,
    }),
  }),
})

export const ProvenanceType = builder.objectRef<Snapshot>('Provenance').implement({
  description: 'How a snapshot was made. Null: does not apply, or needs the scope ai:lineage.',
  fields: (t) => ({
    data_window_from: t.expose('dataWindowFrom', {
      type: 'DateTime',
      nullable: true,
      description: 'Oldest fact used. Null where none has a time.',
    }),
    data_window_to: t.expose('dataWindowTo', {
      type: 'DateTime',
      nullable: true,
      description: 'Newest fact used. Null where none has a time.',
    }),
    input_tokens: t.exposeInt('inputTokens', {
      nullable: true,
      description: 'Tokens the model read. Null where no language model was asked.',
    }),
    output_tokens: t.exposeInt('outputTokens', {
      nullable: true,
      description: 'Tokens the model wrote. Null where no language model was asked.',
    }),
    model_id: t.exposeString('modelId', {
      nullable: true,
      description: 'Model that made it: rules-1 computes, others are language models.',
    }),
    prompt_version: t.exposeString('promptVersion', {
      nullable: true,
      description: 'Version of the prompt. Null where no language model was asked.',
    }),
    prompt_hash: t.string({
      nullable: true,
      description:
        'SHA-256 of the prompt. Null without the scope ai:lineage, and where no language model was asked.',
      resolve: (snapshot, _args, context) => (holds(context, 'ai:lineage') ? snapshot.promptHash : null),
    }),
    methodology_version: t.string({
      nullable: true,
      description: 'Version of the method. Null without the scope ai:lineage.',
      resolve: methodologyVersion,
    }),
  }),
})

function methodologyVersion(snapshot: Snapshot, _args: object, context: RequestContext): string | null {
  return holds(context, 'ai:lineage') ? snapshot.methodologyVersion : null
}

const LineageType = builder.objectRef<LineageEntry>('DataLineage').implement({
  description: 'A dataset that an analysis was made from.',
  fields: (t) => ({
    dataset: t.exposeString('dataset', { description: 'Name of the dataset, e.g. candles.' }),
    version: t.exposeInt('version', { description: 'Version of the dataset that was read.' }),
    source: t.exposeString('source', { description: 'Provider of the dataset; `seed` is synthetic.' }),
  }),
})

const AiMetadataType = builder.objectRef<AnalysedSnapshot>('AiMetadata').implement({
  description: 'What is known of a snapshot in a history.',
  fields: (t) => ({
    disclaimer: t.string({ description: 'What the analysis is not.', resolve: () => DISCLAIMER }),
    disclaimer_fr: t.string({ description: 'The disclaimer in French.', resolve: () => DISCLAIMER_FR }),
    freshness_status: t.field({
      type: FreshnessStatusType,
      description: "Age against the refresh interval of the asset's tier.",
      resolve: (view, _args, context) => freshnessOfSnapshot(view, context).freshness_status,
    }),
    generated_at: t.field({
      type: 'DateTime',
      description: 'The instant the analysis speaks of.',
      resolve: ({ snapshot }) => snapshot.generatedAt,
    }),
    methodology_url: t.string({
      description: 'Where the method is described.',
      resolve: () => METHODOLOGY_URL,
    }),
    methodology_version: t.string({
      nullable: true,
      description: 'Version of the method. Null without the scope ai:lineage.',
      resolve: ({ snapshot }, args, context) => methodologyVersion(snapshot, args, context),
    }),
    model_id: t.string({
      description: 'Model that made it.',
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
      description: 'Version of the prompt. Null where no language model was asked.',
      resolve: ({ snapshot }) => snapshot.promptVersion,
    }),
  }),
})

export const AiAnalysisItemType = builder.objectRef<AnalysedSnapshot>('AiAnalysisItem').implement({
  description: 'One snapshot of a history.',
  fields: (t) => ({
    asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
    analysis_type: t.field({
      type: AiAnalysisType,
      description: 'Kind of the analysis.',
      resolve: ({ snapshot }) => snapshot.analysisType,
    }),
    ai_metadata: t.field({
      type: AiMetadataType,
      description: 'Model, method and age.',
      resolve: (view) => view,
    }),
    provenance: t.field({
      type: ProvenanceType,
      description: 'How it was made.',
      resolve: ({ snapshot }) => snapshot,
    }),
    immutability: t.field({
      type: ImmutabilityType,
      description: 'What proves that it is as it was written.',
      resolve: ({ snapshot }) => snapshot,
    }),
    data_lineage: t.field({
      type: [LineageType],
      nullable: true,
      description: 'Datasets it was made from. Null without the scope ai:lineage.',
      resolve: ({ snapshot }, _args, context) => (holds(context, 'ai:lineage') ? snapshot.dataLineage : null),
    }),
    generated_at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The instant the analysis speaks of.',
      resolve: ({ snapshot }) => snapshot.generatedAt,
    }),
    sentiment_score: t.float({
      nullable: true,
      description: 'From -1 to 1. Null where it was not scored.',
      resolve: ({ snapshot }) => snapshot.content.sentiment_score,
    }),
    summary: t.string({
      nullable: true,
      description: 'The analysis in words: facts, no target, no verdict, no recommendation.',
      resolve: ({ snapshot }) => snapshot.content.summary,
    }),
    snapshot_id: t.string({
      subGraphs: ['Graph'],
      description: 'UUID of the snapshot.',
      resolve: ({ snapshot }) => snapshot.snapshotId,
    }),
  }),
})

export const LatestResponseType = builder.objectRef<AnalysedSnapshot>('AIAnalysisLatestResponse').implement({
  description: 'One snapshot of an analysis.',
  fields: (t) => ({
    snapshot_id: t.string({
      description: 'UUID of the snapshot.',
      resolve: ({ snapshot }) => snapshot.snapshotId,
    }),
    asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
    ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
    analysis_type: t.field({
      type: AiAnalysisType,
      description: 'Kind of the analysis.',
      resolve: ({ snapshot }) => snapshot.analysisType,
    }),
    generated_at: t.field({
      type: 'DateTime',
      description: 'The instant the analysis speaks of.',
      resolve: ({ snapshot }) => snapshot.generatedAt,
    }),
    content: t.field({
      type: 'JSONObject',
      description:
        'Exactly the JSON that content_hash is of: `summary` (text), `sentiment_score` (-1 to 1 or null), `signals` (`name`, `value`: number, truth value or null, `unit`, `threshold`) and, for halal_analysis, `aaoifi` (three ratios as fractions, and their `inputs`). No target, no verdict, no recommendation.',
      // Parsed from the stored text, so the members are the hashed ones whatever their type says. The spread gives a
      // plain record of the interface.
      resolve: ({ snapshot }) => ({ ...snapshot.content }),
    }),
    provenance: t.field({
      type: ProvenanceType,
      description: 'How it was made.',
      resolve: ({ snapshot }) => snapshot,
    }),
    immutability: t.field({
      type: ImmutabilityType,
      description: 'What proves that it is as it was written.',
      resolve: ({ snapshot }) => snapshot,
    }),
    freshness: t.field({
      type: FreshnessType,
      description: 'How old it is; the same as `_meta`.',
      resolve: (view, _args, context) => freshnessOfSnapshot(view, context),
    }),
    meta: t.field(AI_META_FIELD),
    _meta: t.field({
      type: FreshnessType,
      description: 'How fresh the answer is.',
      resolve: (view, _args, context) => freshnessOfSnapshot(view, context),
    }),
  }),
})
