import { DISCLAIMER, DISCLAIMER_FR } from '../../../core/disclaimer.js'
import { freshnessKindOfTier } from '../../../core/freshness.js'
import { publicUrlPort } from '../../../platform/request/public-url.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { holdsScope } from '../../../policy/decide.js'
import { SCOPES } from '../../../policy/scopes.js'
import type { Tier } from '../../../policy/tiers.js'
import { builder } from '../../../schema-kit/builder.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import {
  type Freshness,
  FreshnessType,
  freshness,
  freshnessFields,
  type RefreshedMeta,
} from '../../../schema-kit/envelope.js'
import type { ArgBuilder, Types } from '../../../schema-kit/fields.js'
import type { ModelRow } from '../../../schema-kit/model-rows.js'
import { slugArgument } from '../../../schema-kit/shared-arguments.js'
import { flag, instant, integer, shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { TierType } from '../../access/tier-schema.js'
import { cardEdge } from '../../asset-cards/card-schema.js'
import { byArgument } from '../../assets/by-schema.js'
import {
  type AnalysedSnapshot,
  DEFAULT_ANALYSIS_TYPE,
  METHODOLOGY_PATH,
  type SnapshotHeader,
} from '../model.js'
import { SNAPSHOT_CONTENT_FORM } from './content-form-schema.js'
import { SnapshotContentType } from './content-schema.js'

/** Age of a snapshot in relation to the refresh interval of its asset's tier. */
export function freshnessOfSnapshot(
  { asset, snapshot }: AnalysedSnapshot<SnapshotHeader>,
  context: RequestContext,
): RefreshedMeta {
  const { generatedAt, source } = snapshot
  return freshness(context, { observedAt: generatedAt, source }, freshnessKindOfTier(asset.tier))
}

export const AiAnalysisType = describedEnum('AiAnalysisType', 'Type of an AI analysis.', {
  halal_analysis:
    'AAOIFI ratios of a stock, factual classification of a token; a measurement, never a ruling.',
  market_context: 'Price, volume and breadth of the market.',
  regime: 'Returns, volatility, drawdown and trend.',
})

/** Arguments for one asset and one kind of analysis. */
export const chainArguments = (arg: ArgBuilder) => ({
  asset_id: slugArgument(arg),
  by: byArgument(arg, 'Another identifier of the asset. Give exactly one of `asset_id` and `by`.'),
  analysis_type: arg({
    type: AiAnalysisType,
    defaultValue: DEFAULT_ANALYSIS_TYPE,
    description: 'Type of analysis.',
  }),
})

interface AiMeta {
  readonly tier_required: Tier
  readonly ai_generated: boolean
  readonly disclaimer: string
  readonly disclaimer_fr: string
  readonly methodology_url: string
}

export const AiMetaType = builder.objectRef<AiMeta>('AIHistoryMeta').implement({
  description: 'Metadata of every AI response.',
  fields: (t) =>
    shownFields(t, {
      tier_required: shownAs(TierType)('Lowest tier with access.'),
      ai_generated: flag('Always true.'),
      disclaimer: text('Disclaimer. The English text is binding.'),
      disclaimer_fr: text('The disclaimer in French.'),
      methodology_url: shownAs('URL')('Absolute URL of the description of the method.'),
    }),
})

/** Absolute URL of the description of all methods. */
export function methodologyUrl({ ports }: RequestContext): string {
  return `${ports.get(publicUrlPort)}${METHODOLOGY_PATH}`
}

/** The `meta` member of an AI answer. */
export const AI_META_FIELD = {
  type: AiMetaType,
  description: 'Metadata of the response.',
  resolve: (_parent: unknown, _args: object, context: RequestContext): AiMeta => ({
    tier_required: SCOPES['ai:read'].from,
    ai_generated: true,
    disclaimer: DISCLAIMER,
    disclaimer_fr: DISCLAIMER_FR,
    methodology_url: methodologyUrl(context),
  }),
} as const

/** The columns of every snapshot in a response. */
export const HEADER_COLUMNS = {
  snapshotId: true,
  assetId: true,
  analysisType: true,
  generatedAt: true,
  knownFrom: true,
  supersedes: true,
  sequence: true,
  contentHash: true,
  chainHash: true,
  signature: true,
  signingKeyId: true,
  modelId: true,
  methodologyVersion: true,
  promptVersion: true,
  promptHash: true,
  inputTokens: true,
  outputTokens: true,
  dataWindowFrom: true,
  dataWindowTo: true,
  dataLineage: true,
  source: true,
} as const satisfies Record<Exclude<keyof SnapshotHeader, 'contentText'>, true>

type HeaderRow = Pick<ModelRow<'AnalysisSnapshot'>, keyof typeof HEADER_COLUMNS>

const IMMUTABILITY_TEXT = 'Hash and signature to check that a snapshot is unchanged.'

/** Hash and signature of a snapshot. */
export const ImmutabilityInterface = builder.interfaceRef<HeaderRow>('Immutability').implement({
  description: IMMUTABILITY_TEXT,
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      content_hash: text(
        '`sha256:` and 64 hex digits: SHA-256 of the canonical JSON (RFC 8785) of `content`. Empty for old snapshots without a hash.',
        'contentHash',
      ),
      hash_algorithm: t.string({ description: 'Always sha256.', resolve: () => 'sha256' }),
      signed: t.boolean({
        description: 'Whether the snapshot carries a signature (Ed25519).',
        resolve: ({ signature }) => signature !== null,
      }),
    }),
})

const PROVENANCE_TEXT =
  'How a snapshot was produced. A field is null when it does not apply or needs the scope ai:lineage.'

const ProvenanceInterface = builder.interfaceRef<HeaderRow>('Provenance').implement({
  description: PROVENANCE_TEXT,
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      data_window_from: instant.orNull(
        'Time of the oldest fact used. Null when no fact has a time.',
        'dataWindowFrom',
      ),
      data_window_to: instant.orNull(
        'Time of the newest fact used. Null when no fact has a time.',
        'dataWindowTo',
      ),
      input_tokens: integer.orNull(
        'Tokens the model read. Null when no language model was used.',
        'inputTokens',
      ),
      output_tokens: integer.orNull(
        'Tokens the model wrote. Null when no language model was used.',
        'outputTokens',
      ),
      model_id: text(
        'Model that produced it. `rules-1` is a computation; all others are language models.',
        'modelId',
      ),
      prompt_version: text.orNull(
        'Version of the prompt. Null when no language model was used.',
        'promptVersion',
      ),
      prompt_hash: t.string({
        nullable: true,
        description:
          'SHA-256 of the prompt. Null without the scope ai:lineage and when no language model was used.',
        resolve: (snapshot, _args, context) =>
          holdsScope(context, 'ai:lineage') ? snapshot.promptHash : null,
      }),
      methodology_version: t.string({
        nullable: true,
        description: 'Version of the method. Null without the scope ai:lineage.',
        resolve: resolveMethodologyVersion,
      }),
    }),
})

/** The specification has two names for the same members, so each is a type of one interface. */
const partsOf = ({
  provenance,
  immutability,
}: {
  readonly provenance: string
  readonly immutability: string
}) => ({
  provenance: builder.prismaObject('AnalysisSnapshot', {
    variant: provenance,
    select: HEADER_COLUMNS,
    description: PROVENANCE_TEXT,
    interfaces: [ProvenanceInterface],
  }),
  immutability: builder.prismaObject('AnalysisSnapshot', {
    variant: immutability,
    select: HEADER_COLUMNS,
    description: IMMUTABILITY_TEXT,
    interfaces: [ImmutabilityInterface],
  }),
})

/** Provenance and proof of an analysis in a list. */
export const ListedParts = partsOf({
  provenance: 'AIAnalysisProvenanceSchema',
  immutability: 'AIAnalysisImmutabilitySchema',
})

/** Provenance and proof of a single snapshot. */
export const SnapshotParts = partsOf({
  provenance: 'SnapshotProvenance',
  immutability: 'SnapshotImmutability',
})

const SnapshotFreshnessType = builder.objectRef<Freshness>('SnapshotFreshness').implement({
  description: 'Age of a snapshot, compared with the refresh interval of the tier of its asset.',
  fields: freshnessFields,
})

/** Null without ai:lineage. */
export function resolveMethodologyVersion(
  snapshot: Pick<SnapshotHeader, 'methodologyVersion'>,
  _args: object,
  context: RequestContext,
): string | null {
  return holdsScope(context, 'ai:lineage') ? snapshot.methodologyVersion : null
}

/** Fields of every view of a snapshot. */
export const snapshotFields = <Facts extends SnapshotHeader>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, AnalysedSnapshot<Facts>>,
  parts: typeof ListedParts,
) => ({
  snapshot_id: t.field({
    type: 'UUID',
    description: 'UUID of the snapshot.',
    resolve: ({ snapshot }) => snapshot.snapshotId,
  }),
  asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
  analysis_type: t.field({
    type: AiAnalysisType,
    description: 'Type of analysis.',
    resolve: ({ snapshot }) => snapshot.analysisType,
  }),
  provenance: t.field({
    type: parts.provenance,
    description: 'Model, prompt and method that produced the analysis.',
    resolve: ({ snapshot }) => snapshot,
  }),
  immutability: t.field({
    type: parts.immutability,
    description: 'Hash and signature to check that the snapshot is unchanged.',
    resolve: ({ snapshot }) => snapshot,
  }),
})

export const LatestResponseType = builder.objectRef<AnalysedSnapshot>('AIAnalysisLatestResponse').implement({
  description: 'One snapshot of an analysis.',
  fields: (t) => ({
    ...snapshotFields(t, SnapshotParts),
    ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
    generated_at: t.field({
      type: 'DateTime',
      description: 'Time that the analysis is about.',
      resolve: ({ snapshot }) => snapshot.generatedAt,
    }),
    asset: t.field(cardEdge()),
    content: t.field({
      type: 'JSONObject',
      description:
        'Exactly the JSON that content_hash was computed from: `summary` (text), `sentiment_score` (-1 to 1 or null), `signals` (`name`, `value`: number, boolean or null, `unit`, `threshold`) and, for halal_analysis, `aaoifi` (three ratios as fractions, their `inputs`, and `below_thresholds`, null when a ratio is null). It contains no target, verdict or recommendation.',
      extensions: { answerForm: SNAPSHOT_CONTENT_FORM },
      // Parsed from the stored text, so the members are the hashed ones even where their type says less. The spread gives a
      // plain record of the interface.
      resolve: ({ snapshot }) => ({ ...snapshot.content }),
    }),
    snapshot_content: t.field({
      type: SnapshotContentType,
      subGraphs: ['Graph'],
      description: 'The same as `content`, typed.',
      resolve: ({ snapshot }) => snapshot.content,
    }),
    freshness: t.field({
      type: SnapshotFreshnessType,
      description: 'Freshness of the snapshot, the same as `_meta`.',
      resolve: (view, _args, context) => freshnessOfSnapshot(view, context),
    }),
    meta: t.field(AI_META_FIELD),
    _meta: t.field({
      type: FreshnessType,
      description: 'Freshness of the response.',
      resolve: (view, _args, context) => freshnessOfSnapshot(view, context),
    }),
  }),
})
