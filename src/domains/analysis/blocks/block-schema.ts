import { DISCLAIMER, DISCLAIMER_FR, DISCLAIMER_META, derivedMeta } from '../../../core/disclaimer.js'
import { freshnessKindOfTier } from '../../../core/freshness.js'
import { holdsScope } from '../../../policy/decide.js'
import { builder } from '../../../schema-kit/builder.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import { defineEnvelope, envelope } from '../../../schema-kit/envelope.js'
import { queryEndpoint } from '../../../schema-kit/fields.js'
import { shownAs, shownFields, text, texts } from '../../../schema-kit/shown-fields.js'
import { assetArguments } from '../../assets/by-schema.js'
import { analysisGrain, analysisStateOf } from '../analysis-grains-schema.js'
import { ANALYSIS_LANGUAGE, METHODOLOGY_VERSIONS, RULES_MODEL } from '../model.js'
import { AiAnalysisType } from '../snapshots/snapshot-schema.js'
import { type Block, getBlock, parseBlock, type Upsell } from './block.js'
import { analysisMethod, METHODOLOGY_CARDS, type MethodologyCard } from './methodology.js'

export const BlockTypeType = describedEnum('AiBlockType', 'Subject of a short AI statement.', {
  token_classification: 'Factual classification of the token, from halal_analysis.',
  token_methodology: 'Method of the classification.',
  fundamental_summary: 'Price, volume and breadth, from market_context.',
  news_summary: 'Summary of news; no news source is connected yet.',
  sentiment_score: 'Score and summary of the analysis regime.',
})

const UpsellType = builder.objectRef<Upsell>('UpsellMarker').implement({
  description: 'Scope that is needed to see more.',
  fields: (t) =>
    shownFields(t, {
      required_scope: text('Scope that is needed.'),
      upgrade_url: shownAs('URL').orNull(
        'Where to get a tier with the scope. Null if the operator names no page.',
      ),
    }),
})

export const AiBlockType = builder.objectRef<Block>('AiAnalysisBlock').implement({
  description:
    'A short AI statement on an asset. Without ai:read every field except `_upsell` is null. Without a stored analysis every field except `analysis_type` is null.',
  fields: (t) =>
    shownFields(t, {
      analysis_type: shownAs(BlockTypeType).orNull(
        'Subject of the statement. Null without ai:read.',
        'blockType',
      ),
      generated_at: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time that the statement is about.',
        resolve: ({ snapshot }) => snapshot?.generatedAt ?? null,
      }),
      model: t.string({
        nullable: true,
        description: 'Model that produced it.',
        resolve: ({ snapshot }) => snapshot?.modelId ?? null,
      }),
      prompt_version: t.string({
        nullable: true,
        description: 'Version of the prompt. Null when no language model was used.',
        resolve: ({ snapshot }) => snapshot?.promptVersion ?? null,
      }),
      sentiment_score: t.float({
        nullable: true,
        description: 'Score from -1 to 1. Null when the analysis has no score.',
        resolve: ({ snapshot }) => snapshot?.content.sentiment_score ?? null,
      }),
      summary: text.orNull('The statement.'),
      _upsell: shownAs(UpsellType).orNull(
        'Scope that is needed to see the statement; null when the key or token holds ai:read.',
        'upsell',
      ),
    }),
})

const BlockResponse = defineEnvelope(AiBlockType)

queryEndpoint('asset_ai', {
  isAlwaysRevalidated: true,
  summary: 'AI statement on an asset',
  keywords: ['short opinion', 'summary', 'sentiment', 'market sentiment', 'fear and greed'],
  description:
    'The newest AI statement of one type on an asset. Without ai:read its fields are null and `_upsell` names the scope that is needed.',
  access: 'caller',
  partScopes: ['ai:read', 'ai:lineage'],
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{id}/ai', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: BlockResponse,
  args: (arg) => ({
    ...assetArguments(arg),
    analysis_type: arg({
      type: BlockTypeType,
      defaultValue: 'fundamental_summary',
      description: 'Subject of the statement.',
    }),
  }),
  check: (args, context) => parseBlock(args, context),
  grains: ({ slug }) => [analysisGrain(slug)],
  assetOf: ({ slug }) => slug,
  resolve: async (query, context) => {
    const block = await getBlock(query, context)
    const { snapshot } = block
    const state = analysisStateOf(query.slug, context)
    const observed = snapshot ? { ...state, observedAt: snapshot.generatedAt } : state
    return envelope(context, observed, freshnessKindOfTier(block.asset.tier), block, {
      ai_generated_at: snapshot?.generatedAt ?? null,
      ai_mode: snapshot && (snapshot.modelId.startsWith('rules-') ? 'rules' : 'llm'),
      ai_model: snapshot?.modelId ?? null,
      data_quality: qualityOfBlock(block),
      locale: snapshot && ANALYSIS_LANGUAGE,
      ...(snapshot === null
        ? DISCLAIMER_META
        : derivedMeta(analysisMethod(snapshot.analysisType), snapshot.knownFrom)),
      methodology_version: snapshot && holdsScope(context, 'ai:lineage') ? snapshot.methodologyVersion : null,
    })
  },
})

/** Empty without a statement; partial for a score that could not be given. */
function qualityOfBlock({ snapshot, blockType }: Block): 'full' | 'partial' | 'empty' {
  if (snapshot === null) return 'empty'
  return blockType === 'sentiment_score' && snapshot.content.sentiment_score === null ? 'partial' : 'full'
}

const CardType = builder.objectRef<MethodologyCard>('AIMethodologyCard').implement({
  description: 'Model card of one type of analysis.',
  fields: (t) =>
    shownFields(t, {
      analysis_type: shownAs(AiAnalysisType)('Type of analysis.', 'analysisType'),
      title: text('Name of the method.'),
      model_id: t.string({ description: 'Model that computes it.', resolve: () => RULES_MODEL }),
      methodology_version: t.string({
        description: 'Version of the method in use now. Each snapshot names the version that produced it.',
        resolve: ({ analysisType }) => METHODOLOGY_VERSIONS[analysisType],
      }),
      method: text('What is computed.'),
      inputs: texts('Input data.'),
      limits: texts('Limits of the method: what it does not say and where it fails.'),
    }),
})

const METHODOLOGY = {
  cards: Object.values(METHODOLOGY_CARDS),
  disclaimer: DISCLAIMER,
  disclaimer_fr: DISCLAIMER_FR,
}

const MethodologyType = builder.objectRef<typeof METHODOLOGY>('AIMethodologyResponse').implement({
  description: 'Model cards of the analyses.',
  fields: (t) =>
    shownFields(t, {
      cards: shownAs([CardType])('One card for each type of analysis.'),
      disclaimer: text('Disclaimer. The English text is binding.'),
      disclaimer_fr: text('The disclaimer in French.'),
    }),
})

queryEndpoint('ai_methodology', {
  summary: 'Methods of the analyses',
  keywords: ['model card', 'how analyses are made'],
  description: 'Model cards of the AI analyses: method, inputs, limits and version of each type.',
  access: 'open',
  cost: 'free',
  rest: { method: 'GET', path: '/v1/ai/methodology', tag: 'ai analysis', table: { rows: 'cards' } },
  type: MethodologyType,
  check: () => null,
  resolve: () => METHODOLOGY,
})
