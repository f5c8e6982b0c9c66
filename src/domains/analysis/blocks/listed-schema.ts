import type { Given } from '../../../core/argument-parsers.js'
import { derivedMeta } from '../../../core/disclaimer.js'
import { freshnessKindOfTier } from '../../../core/freshness.js'
import { Problems } from '../../../core/problems.js'
import type { Asset } from '../../../generated/prisma/client.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { holdsScope } from '../../../policy/decide.js'
import { builder } from '../../../schema-kit/builder.js'
import { datasetStateOf, defineEnvelope, envelope } from '../../../schema-kit/envelope.js'
import { type ArgBuilder, edge, hints, queryEndpoint } from '../../../schema-kit/fields.js'
import { MIC_HINTS } from '../../../schema-kit/shared-arguments.js'
import { InstrumentEtfType } from '../../etf/fund-schema.js'
import type { Listing } from '../../instruments/model.js'
import { InstrumentStockType } from '../../instruments/schema.js'
import {
  getListing,
  type ListedClass,
  type ListingQuery,
  parseListingQuery,
} from '../../instruments/service.js'
import {
  ANALYSIS_LANGUAGE,
  type AnalysedSnapshot,
  type AnalysisType,
  DEFAULT_ANALYSIS_TYPE,
} from '../model.js'
import { AaoifiRatiosType, SignalType } from '../snapshots/content-schema.js'
import { AiMetadataType } from '../snapshots/history-schema.js'
import { getLatestSnapshot, nothingAnalysed } from '../snapshots/service.js'
import { AiAnalysisType, ListedParts } from '../snapshots/snapshot-schema.js'
import { analysisMethod } from './methodology.js'

const ListedAnalysis = builder.interfaceRef<AnalysedSnapshot>('ListedAnalysis').implement({
  description: 'The newest analysis of a listing: a stock or an exchange-traded fund.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    ticker: t.string({ description: 'Ticker of the listing.', resolve: ({ asset }) => asset.ticker }),
    name: t.string({ description: 'Name of the company or fund.', resolve: ({ asset }) => asset.name }),
    analysis_type: t.field({
      type: AiAnalysisType,
      description: 'Type of analysis.',
      resolve: ({ snapshot }) => snapshot.analysisType,
    }),
    generated_at: t.field({
      type: 'DateTime',
      description: 'Time that the analysis is about.',
      resolve: ({ snapshot }) => snapshot.generatedAt,
    }),
    model: t.string({
      description: 'Model that produced it. `rules-1` is a computation; all others are language models.',
      resolve: ({ snapshot }) => snapshot.modelId,
    }),
    summary: t.string({
      description: 'Text of the analysis: facts without target, verdict or recommendation.',
      resolve: ({ snapshot }) => snapshot.content.summary,
    }),
    sentiment_score: t.float({
      nullable: true,
      description: 'Score from -1 to 1. Null when the analysis has no score.',
      resolve: ({ snapshot }) => snapshot.content.sentiment_score,
    }),
    signals: t.field({
      type: [SignalType],
      description: 'The figures that the analysis is based on.',
      resolve: ({ snapshot }) => snapshot.content.signals,
    }),
    aaoifi: t.field({
      type: AaoifiRatiosType,
      nullable: true,
      description: 'The AAOIFI ratios, for halal_analysis. Null for other types of analysis.',
      resolve: ({ snapshot }) => snapshot.content.aaoifi ?? null,
    }),
    ai_metadata: t.field({
      type: AiMetadataType,
      description: 'Model, method and age.',
      resolve: (view) => view,
    }),
    provenance: t.field({
      type: ListedParts.provenance,
      description: 'Model, prompt and method that produced the analysis.',
      resolve: ({ snapshot }) => snapshot,
    }),
    immutability: t.field({
      type: ListedParts.immutability,
      description:
        'Hash and signature to check that the content of the snapshot is unchanged; `ai_analysis_snapshot` returns that content.',
      resolve: ({ snapshot }) => snapshot,
    }),
    snapshot_id: t.field({
      type: 'UUID',
      subGraphs: ['Graph'],
      description: 'UUID of the snapshot.',
      resolve: ({ snapshot }) => snapshot.snapshotId,
    }),
  }),
})

const StockAnalysisType = builder.objectRef<AnalysedSnapshot>('StockAIAnalysis').implement({
  description: 'The newest analysis of a stock.',
  interfaces: [ListedAnalysis],
})

const EtfAnalysisType = builder.objectRef<AnalysedSnapshot>('ETFAIAnalysis').implement({
  description: 'The newest analysis of an exchange-traded fund.',
  interfaces: [ListedAnalysis],
})

const typeArgument = (arg: ArgBuilder) =>
  arg({
    type: AiAnalysisType,
    defaultValue: DEFAULT_ANALYSIS_TYPE,
    description: 'Type of analysis.',
  })

const listedArguments = (arg: ArgBuilder, example: string) => ({
  ticker: arg.string({
    required: true,
    description: 'Ticker of the listing, upper or lower case.',
    ...hints({ example, maxLength: 20 }),
  }),
  mic: arg.string({
    description:
      'MIC of the market of the listing (ISO 10383). Required when several markets list the ticker.',
    ...MIC_HINTS,
  }),
  analysis_type: typeArgument(arg),
})

interface ListedQuery {
  readonly listing: ListingQuery
  readonly analysisType: AnalysisType
}

function parseListed(args: {
  readonly ticker: string
  readonly mic?: Given<string>
  readonly analysis_type?: Given<AnalysisType>
}): ListedQuery {
  const problems = new Problems()
  const listing = parseListingQuery(problems, args)
  problems.refuse()
  if (listing === null) throw new Error('a problem was noted')
  return { listing, analysisType: args.analysis_type ?? DEFAULT_ANALYSIS_TYPE }
}

/** Stocks and funds have no tier. */
type AnalysedListing = Pick<
  Listing,
  'assetId' | 'slug' | 'ticker' | 'name' | 'assetClass' | 'lastUpdated' | 'source'
>

function assetOf(listing: AnalysedListing): Asset {
  const { assetId, slug, ticker, name, assetClass, lastUpdated, source } = listing
  return { assetId, slug, ticker, name, assetClass, tier: null, lastUpdated, source }
}

async function analysisResponse(
  assetClass: ListedClass,
  { listing, analysisType }: ListedQuery,
  context: RequestContext,
) {
  const asset = assetOf(await getListing(assetClass, listing, context))
  const analysed = await getLatestSnapshot(asset, analysisType, context)
  if (analysed === null) throw nothingAnalysed(asset, analysisType)
  const { snapshot } = analysed
  const { content, modelId, generatedAt } = snapshot
  const isPartial = content.signals.some(({ value }) => value === null)
  const state = { ...datasetStateOf(context, 'analysis'), observedAt: generatedAt }
  return envelope(context, state, freshnessKindOfTier(null), analysed, {
    ...derivedMeta(analysisMethod(snapshot.analysisType), snapshot.knownFrom),
    ai_generated_at: generatedAt,
    ai_mode: modelId.startsWith('rules-') ? 'rules' : 'llm',
    ai_model: modelId,
    data_quality: isPartial ? 'partial' : 'full',
    locale: ANALYSIS_LANGUAGE,
    methodology_version: holdsScope(context, 'ai:lineage') ? snapshot.methodologyVersion : null,
  })
}

const HOW =
  'halal_analysis shows the AAOIFI ratios of the latest annual report and their published bounds: a measurement, never a ruling. market_context describes the closing price: its changes, its volatility and its distance below the highest close. 404 when the inputs of the analysis are not known. For history, differences and changes use the slug of the asset.'

queryEndpoint('stock_ai_analysis', {
  isAlwaysRevalidated: true,
  summary: 'Newest AI analysis of a stock',
  keywords: ['opinion on a stock', 'halal stock', 'shariah compliant'],
  description: `The newest snapshot of one type of analysis of a stock, with hash and signature to check that it is unchanged. ${HOW}`,
  access: 'ai:read',
  partScopes: ['ai:lineage'],
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/stocks/{ticker}/ai-analysis', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: defineEnvelope(StockAnalysisType),
  args: (arg) => listedArguments(arg, 'AAPL'),
  check: (args) => parseListed(args),
  resolve: (query, context) => analysisResponse('stock', query, context),
})

queryEndpoint('etf_ai_analysis', {
  isAlwaysRevalidated: true,
  summary: 'Newest AI analysis of an ETF',
  keywords: ['opinion on a fund', 'halal ETF', 'shariah fund'],
  description: `The newest snapshot of one type of analysis of an exchange-traded fund, with hash and signature to check that it is unchanged. ${HOW}`,
  access: 'ai:read',
  partScopes: ['ai:lineage'],
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/etf/{ticker}/ai-analysis', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: defineEnvelope(EtfAnalysisType),
  args: (arg) => listedArguments(arg, 'SPY'),
  check: (args) => parseListed(args),
  resolve: (query, context) => analysisResponse('etf', query, context),
})

const EDGE_DESCRIPTION =
  'The newest AI analysis; null when no analysis is stored. Needs ai:read. Charged per 20 parents.'

interface AnalysisArguments {
  readonly analysis_type?: AnalysisType | null | undefined
}

function analysisOf(asset: Asset, { analysis_type }: AnalysisArguments, context: RequestContext) {
  return getLatestSnapshot(asset, analysis_type ?? DEFAULT_ANALYSIS_TYPE, context)
}

builder.objectField(InstrumentStockType, 'ai_analysis', (t) =>
  t.field({
    type: StockAnalysisType,
    nullable: true,
    description: EDGE_DESCRIPTION,
    args: { analysis_type: typeArgument(t.arg) },
    ...edge('ai:read', ['analysis'], (stock: Listing, args: AnalysisArguments, context) =>
      analysisOf(assetOf(stock), args, context),
    ),
  }),
)

builder.objectField(InstrumentEtfType, 'ai_analysis', (t) =>
  t.field({
    type: EtfAnalysisType,
    nullable: true,
    description: EDGE_DESCRIPTION,
    args: { analysis_type: typeArgument(t.arg) },
    ...edge(
      'ai:read',
      ['analysis'],
      (fund: Omit<AnalysedListing, 'assetClass'>, args: AnalysisArguments, context) =>
        analysisOf(assetOf({ ...fund, assetClass: 'etf' }), args, context),
    ),
  }),
)
