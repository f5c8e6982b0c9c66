import { ANALYSIS_TYPES, type AnalysisType, BLOCK_SOURCES, RULES_MODEL } from '../analysis/model.js'
import { EVENT_TYPES } from '../events/model.js'
import { KNOWN_CHAINS } from '../onchain/known-chains-model.js'
import { fixedRows, type StarColumn, type StarTable } from './table.js'

/** A rank tier of crypto assets. */
interface TierRow {
  readonly tier: 1 | 2 | 3
  readonly label: string
  readonly minRank: number
  readonly maxRank: number
  /** Approximate bound in USD. */
  readonly minMarketCapUsd: number
}

export const TIER_ROWS: readonly TierRow[] = [
  { tier: 1, label: 'Tier 1', minRank: 1, maxRank: 50, minMarketCapUsd: 2_000_000_000 },
  { tier: 2, label: 'Tier 2', minRank: 51, maxRank: 200, minMarketCapUsd: 200_000_000 },
  { tier: 3, label: 'Tier 3', minRank: 201, maxRank: 1_000, minMarketCapUsd: 10_000_000 },
]

/** A kind of analysis, stored or known to the star schema only. */
interface AnalysisTypeRow {
  readonly id: string
  readonly label: string
  /** Null if it is not enabled. */
  readonly model: string | null
  readonly cadence: string | null
}

/** Analyses have the refresh interval of their asset's prices. */
const BY_TIER = 'tier 1: 1 h, tier 2: 6 h, tier 3: 12 h'

const LABELS = {
  token_classification: 'Token classification',
  token_methodology: 'Token methodology',
  fundamental_summary: 'Fundamental summary',
  news_summary: 'News summary',
  sentiment_score: 'Sentiment score',
  event_extraction: 'Event extraction',
  news_ner_v1: 'Named entities of news',
  halal_analysis: 'Factual classification and AAOIFI ratios',
  market_context: 'Price, volume and breadth',
  regime: 'Return, volatility and trend',
} as const

/** The kinds of analysis that the gateway makes, and those that it reads from them. */
const ENABLED: ReadonlySet<string> = new Set([
  ...ANALYSIS_TYPES,
  ...Object.entries(BLOCK_SOURCES).flatMap(([type, source]: [string, AnalysisType | null]) =>
    source === null ? [] : type,
  ),
])

const ANALYSIS_TYPE_ROWS: readonly AnalysisTypeRow[] = Object.entries(LABELS).map(([id, label]) => ({
  id,
  label,
  model: ENABLED.has(id) ? RULES_MODEL : null,
  cadence: ENABLED.has(id) ? BY_TIER : null,
}))

/** A column of fixed values with the same name in `f`. */
const fixed = (name: string, type: StarColumn['type'], text: string): StarColumn => ({
  type,
  text,
  sql: `f.${name}`,
})

export const DIM_CHAIN: StarTable = {
  view: 'dim_chain',
  kind: 'dimension',
  text: 'Blockchains of the reference.',
  key: ['chain_id'],
  rules: ['is_l2 = (parent_chain_id is not null)'],
  columns: {
    chain_id: {
      ...fixed('chain_id', 'text', 'Lower-case name of the chain, e.g. ethereum.'),
      isUnique: true,
    },
    chain_name: fixed('chain_name', 'text', 'Name of the chain.'),
    native_symbol: fixed('native_symbol', 'text', 'Ticker of the coin that fees are paid in.'),
    is_evm: fixed('is_evm', 'boolean', 'Whether it runs the Ethereum virtual machine.'),
    is_l2: fixed(
      'is_l2',
      'boolean',
      'Whether it settles on another chain, which parent_chain_id then names.',
    ),
    parent_chain_id: {
      ...fixed('parent_chain_id', 'text', 'The chain that it settles on. Null: it is no layer 2.'),
      isNullable: true,
      references: { view: 'dim_chain', column: 'chain_id', edge: 'parent_chain' },
    },
  },
  from: `from ${fixedRows(
    ['chain_id', 'chain_name', 'native_symbol', 'is_evm', 'is_l2', 'parent_chain_id'],
    KNOWN_CHAINS.map(({ slug, name, nativeSymbol, evmChainId, parentSlug }) => [
      slug,
      name,
      nativeSymbol,
      evmChainId !== null,
      parentSlug !== null,
      parentSlug,
    ]),
  )}`,
  reads: [],
  endpoint: {
    path: 'chains',
    typeName: 'DimChainRead',
    summary: 'Blockchains',
    keywords: ['chain dimension'],
    order: ['chain_id'],
  },
}

export const DIM_EVENT_TYPE: StarTable = {
  view: 'dim_event_type',
  kind: 'dimension',
  text: 'Kinds of events of crypto assets.',
  key: ['event_type_id'],
  columns: {
    event_type_id: { ...fixed('event_type_id', 'text', 'The kind, e.g. halving.'), isUnique: true },
    event_type_label: fixed('event_type_label', 'text', 'Name of the kind.'),
    description: fixed('description', 'text', 'What happens at such an event.'),
    affects_price_typically: fixed(
      'affects_price_typically',
      'boolean',
      'Whether such events usually move the price.',
    ),
  },
  from: `from ${fixedRows(
    ['event_type_id', 'event_type_label', 'description', 'affects_price_typically'],
    EVENT_TYPES.map(({ id, label, description, affectsPrice }) => [id, label, description, affectsPrice]),
  )}`,
  reads: [],
  endpoint: {
    path: 'event-types',
    typeName: 'DimEventTypeRead',
    summary: 'Kinds of events',
    keywords: ['dimension of event types'],
    order: ['event_type_id'],
  },
}

export const DIM_ANALYSIS_TYPE: StarTable = {
  view: 'dim_analysis_type',
  kind: 'dimension',
  text: 'Kinds of analyses of assets.',
  key: ['analysis_type_id'],
  rules: ['is_enabled = (model_default is not null)'],
  columns: {
    analysis_type_id: { ...fixed('analysis_type_id', 'text', 'The kind, e.g. regime.'), isUnique: true },
    analysis_type_label: fixed('analysis_type_label', 'text', 'Name of the kind.'),
    model_default: {
      ...fixed(
        'model_default',
        'text',
        'Model that makes it where no other is set up. Null: it is not enabled.',
      ),
      isNullable: true,
    },
    refresh_cadence: {
      ...fixed(
        'refresh_cadence',
        'text',
        'How often it is made again, by the tier of the asset. Null: it is not enabled.',
      ),
      isNullable: true,
    },
    is_enabled: fixed('is_enabled', 'boolean', 'Whether the gateway makes analyses of the kind.'),
  },
  from: `from ${fixedRows(
    ['analysis_type_id', 'analysis_type_label', 'model_default', 'refresh_cadence', 'is_enabled'],
    ANALYSIS_TYPE_ROWS.map(({ id, label, model, cadence }) => [id, label, model, cadence, model !== null]),
  )}`,
  reads: [],
  endpoint: {
    path: 'analysis-types',
    typeName: 'DimAnalysisTypeRead',
    summary: 'Kinds of analyses',
    keywords: ['dimension of analysis types'],
    order: ['analysis_type_id'],
  },
}

export const DIM_TIER: StarTable = {
  view: 'dim_tier',
  kind: 'dimension',
  text: 'Rank tiers of crypto assets.',
  key: ['tier'],
  rules: ['min_rank <= max_rank'],
  columns: {
    tier: { ...fixed('tier', 'int', 'The tier, 1 to 3.'), isUnique: true },
    tier_label: fixed('tier_label', 'text', 'Name of the tier.'),
    min_rank: fixed('min_rank', 'int', 'First rank by market capitalisation.'),
    max_rank: fixed('max_rank', 'int', 'Last rank by market capitalisation.'),
    min_market_cap_usd_approx: {
      ...fixed(
        'min_market_cap_usd_approx',
        'bigint',
        'Market capitalisation of the last rank, USD, approximately. Null: not known.',
      ),
      isNullable: true,
    },
  },
  from: `from ${fixedRows(
    ['tier', 'tier_label', 'min_rank', 'max_rank', 'min_market_cap_usd_approx'],
    TIER_ROWS.map(({ tier, label, minRank, maxRank, minMarketCapUsd }) => [
      tier,
      label,
      minRank,
      maxRank,
      minMarketCapUsd,
    ]),
  )}`,
  reads: [],
  endpoint: {
    path: 'tiers',
    typeName: 'DimTierRead',
    summary: 'Rank tiers',
    keywords: ['tier dimension'],
    order: ['tier'],
  },
}
