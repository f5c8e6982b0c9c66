import { ONCHAIN_METRICS_METHOD } from '../onchain-metrics/model.js'
import { PROTOCOL_FUNDAMENTALS_METHOD } from '../protocols/model.js'
import {
  assetId,
  assetSk,
  BY_ASSET_AND_DAY,
  count,
  dateKey,
  figure,
  loadedAt,
  methodologyVersion,
  ofAssetDay,
  type StarColumn,
  type StarTable,
  snapshotDate,
} from './table.js'

/** Version of the method for protocols: figures as the provider states them, changes in per cent. */
const PROTOCOL_TVL_VERSION = 'protocol-tvl-1'

const BITCOIN = 'bitcoin'

const OF_ASSET_DAY = ofAssetDay('o.asset_id', 'o.snapshot_date')

const CURRENT = 'o.known_to is null'

const byDayOf = (table: string) =>
  [{ table, by: 'add', day: 'r.snapshot_date', where: 'r.known_to is null' }] as const

/** Members that both daily facts of chains share. */
const OF_CHAIN_DAYS = {
  kind: 'fact',
  key: ['asset_id', 'snapshot_date'],
  from: `from asset_onchain as o\n  where ${CURRENT}`,
  reads: ['asset_onchain', 'instruments'],
  method: ONCHAIN_METRICS_METHOD,
  counts: byDayOf('asset_onchain'),
} as const

export const FACT_ONCHAIN_CORE: StarTable = {
  ...OF_CHAIN_DAYS,
  view: 'fact_onchain_core',
  text: 'Use of the chain of a crypto asset on a UTC day.',
  columns: {
    ...OF_ASSET_DAY,
    active_addresses: count('o.active_addresses', 'Distinct addresses that sent or received.'),
    fees_total_usd: figure('o.fees_total_usd', 'Fees that users paid, USD.'),
    tx_count: count('o.tx_count', 'Transactions.'),
    avg_fee_usd: figure('o.avg_fee_usd', 'fees_total_usd / tx_count, USD.'),
    source_rpc: {
      type: 'text',
      isNullable: true,
      text: 'Provider that read the chain; seed for synthetic figures. Null: not known.',
      sql: 'o.source',
    },
  },
  endpoint: {
    path: 'onchain-core',
    typeName: 'FactOnchainCoreRead',
    summary: 'Use of chains by day',
    keywords: ['fact table of chain use'],
    ...BY_ASSET_AND_DAY,
  },
}

export const FACT_ONCHAIN_ADVANCED: StarTable = {
  ...OF_CHAIN_DAYS,
  view: 'fact_onchain_advanced',
  text: 'Valuation of a crypto asset by its chain on a UTC day.',
  columns: {
    ...OF_ASSET_DAY,
    realized_cap_usd: figure('o.realized_cap_usd', 'Every unit at the price of its last move, USD.'),
    mvrv_ratio: figure('o.mvrv_ratio', 'Market capitalisation over realized capitalisation.'),
    nupl: figure('o.nupl', 'Net unrealized profit or loss, 1 - 1/mvrv_ratio: a fraction of at most 1.'),
    sopr: figure('o.sopr', 'Spent output profit ratio.'),
    realized_price_usd: figure('o.realized_price_usd', 'realized_cap_usd over the supply, USD.'),
    hodl_waves: {
      type: 'jsonb',
      isNullable: true,
      text: 'Share of the supply by the time since it last moved: band of ages (1y-2y) to fraction. Null: not known.',
      sql: 'o.hodl_waves',
    },
    circulating_supply_btc: figure(
      `case when (select a.slug from asset as a where a.asset_id = o.asset_id) = '${BITCOIN}' then o.circulating_supply end`,
      'Units issued, BTC, of bitcoin alone.',
    ),
    methodology_version: methodologyVersion('o.methodology_version'),
  },
  endpoint: {
    path: 'onchain-advanced',
    typeName: 'FactOnchainAdvancedRead',
    summary: 'Valuations by chain and day',
    keywords: ['fact table of chain valuations'],
    ...BY_ASSET_AND_DAY,
  },
}

export const FACT_ASSET_FUNDAMENTALS: StarTable = {
  view: 'fact_asset_fundamentals',
  kind: 'fact',
  text: 'Valuation of a crypto asset by the fees of its protocols and chains on a UTC day.',
  key: ['asset_id', 'snapshot_date'],
  columns: {
    ...OF_ASSET_DAY,
    ps_ratio: figure('o.ps_ratio', 'Market capitalisation over fees_annualized.'),
    pr_ratio: figure('o.pr_ratio', 'Market capitalisation over revenue_annualized.'),
    fees_30d_usd: figure('o.fees_30d_usd', 'What users paid in the 30 days before, USD.'),
    revenue_30d_usd: figure('o.revenue_30d_usd', 'What the protocols kept of it, USD.'),
    fees_annualized: figure('o.fees_annualized', 'fees_30d_usd times 12, USD.'),
    revenue_annualized: figure('o.revenue_annualized', 'revenue_30d_usd times 12, USD.'),
    methodology_version: methodologyVersion('o.methodology_version'),
  },
  from: `from asset_fundamentals as o\n  where ${CURRENT}`,
  reads: ['protocols', 'instruments'],
  method: PROTOCOL_FUNDAMENTALS_METHOD,
  endpoint: {
    path: 'asset-fundamentals',
    typeName: 'FactAssetFundamentalsRead',
    summary: 'Valuations by fees and day',
    keywords: ['fact table of valuations by fees'],
    ...BY_ASSET_AND_DAY,
  },
  counts: byDayOf('asset_fundamentals'),
}

const PROTOCOL_ID: StarColumn = {
  type: 'text',
  text: 'Protocol or chain, lower-case name, e.g. uniswap-v3.',
  sql: 'o.protocol_id',
}

const DATE_SK: StarColumn = dateKey('o.snapshot_date')

const TVL = {
  tvl_usd: figure('o.tvl_usd', 'Value locked, USD.'),
  tvl_change_1d_pct: figure('o.tvl_change_1d_pct', 'Its change over a day, per cent.'),
  tvl_change_7d_pct: figure('o.tvl_change_7d_pct', 'Its change over 7 days, per cent.'),
  methodology_version: methodologyVersion(`'${PROTOCOL_TVL_VERSION}'`),
} as const

const BY_PROTOCOL_AND_DAY = {
  order: ['snapshot_date', 'protocol_id'],
  time: { name: 'snapshot_date', kind: 'day' },
} as const

export const FACT_PROTOCOL_TVL: StarTable = {
  view: 'fact_protocol_tvl',
  kind: 'fact',
  text: 'Value locked in a protocol on a UTC day.',
  key: ['protocol_id', 'snapshot_date'],
  columns: {
    protocol_id: PROTOCOL_ID,
    snapshot_date: { ...snapshotDate('o.snapshot_date'), text: 'UTC day on which it was read.' },
    date_sk: DATE_SK,
    ...TVL,
  },
  from: `from protocol_tvl as o\n  where ${CURRENT}`,
  reads: ['protocols'],
  method: {
    summary: `Value locked and its changes are as the provider publishes them (${PROTOCOL_TVL_VERSION}).`,
    section: 'star-schema',
  },
  endpoint: {
    path: 'protocol-tvl',
    typeName: 'FactProtocolTvlRead',
    summary: 'Value locked in protocols by day',
    keywords: ['TVL', 'total value locked', 'DeFi'],
    ...BY_PROTOCOL_AND_DAY,
  },
  counts: byDayOf('protocol_tvl'),
}

const measured = (measure: string, column: string, text: string) =>
  figure(`max(o.${column}) filter (where o.measure = '${measure}')`, text)

export const FACT_PROTOCOL_ECONOMICS: StarTable = {
  view: 'fact_protocol_economics',
  kind: 'fact',
  text: 'Fees and revenue of a protocol over the time before the UTC day on which they were read.',
  key: ['protocol_id', 'snapshot_date'],
  columns: {
    protocol_id: PROTOCOL_ID,
    date_sk: DATE_SK,
    snapshot_date: { ...snapshotDate('o.snapshot_date'), text: 'UTC day on which they were read.' },
    fees_24h_usd: measured('fees', 'total_24h_usd', 'What users paid in 24 hours, USD.'),
    revenue_24h_usd: measured('revenue', 'total_24h_usd', 'What the protocol kept of it, USD.'),
    fees_7d_usd: measured('fees', 'total_7d_usd', 'What users paid in 7 days, USD.'),
    revenue_7d_usd: measured('revenue', 'total_7d_usd', 'What the protocol kept of it, USD.'),
    fees_30d_usd: measured('fees', 'total_30d_usd', 'What users paid in 30 days, USD.'),
    revenue_30d_usd: measured('revenue', 'total_30d_usd', 'What the protocol kept of it, USD.'),
    category: {
      type: 'text',
      isNullable: true,
      text: 'Category of the protocol, e.g. Dexs. Null where the provider does not say.',
      sql: '(select p.category from protocol as p where p.protocol_id = o.protocol_id)',
    },
    chains: {
      type: 'text[]',
      isNullable: true,
      text: 'Chains that it runs on, as the provider names them. Null where it does not say.',
      sql: `(select nullif(p.chains, '{}') from protocol as p where p.protocol_id = o.protocol_id)`,
    },
  },
  from: `from protocol_economics as o\n  where ${CURRENT}\n  group by o.snapshot_date, o.protocol_id`,
  reads: ['protocols'],
  endpoint: {
    path: 'protocol-economics',
    typeName: 'FactProtocolEconomicsRead',
    summary: 'Fees and revenue of protocols by day',
    keywords: ['protocol revenue by day', 'DeFi fees'],
    ...BY_PROTOCOL_AND_DAY,
  },
  counts: [{ table: 'protocol_economics', by: 'recount', day: 'r.snapshot_date' }],
}

export const SAT_PROTOCOL_TVL_SELF: StarTable = {
  view: 'sat_protocol_tvl_self',
  kind: 'satellite',
  text: 'Value locked in a protocol on a UTC day, with its name.',
  key: ['protocol_id', 'snapshot_date'],
  columns: {
    protocol_id: PROTOCOL_ID,
    snapshot_date: { ...snapshotDate('o.snapshot_date'), text: 'UTC day on which it was read.' },
    protocol_name: {
      type: 'text',
      isNullable: true,
      text: 'Name of the protocol. Null: not known.',
      sql: '(select p.name from protocol as p where p.protocol_id = o.protocol_id)',
    },
    ...TVL,
    load_ts: loadedAt('o.known_from'),
  },
  from: FACT_PROTOCOL_TVL.from,
  reads: ['protocols'],
}

/** The current master row of a crypto asset. */
export const SAT_ASSET_METADATA: StarTable = {
  view: 'sat_asset_metadata_public',
  kind: 'satellite',
  text: 'What the instrument master says of a crypto asset today.',
  key: ['asset_sk'],
  columns: {
    asset_sk: { ...assetSk('a.asset_id'), isUnique: true },
    asset_id: { ...assetId('a.asset_id'), isUnique: true },
    slug: { type: 'text', text: 'Lower-case name in URLs, e.g. bitcoin.', sql: 'a.slug', isUnique: true },
    ticker: { type: 'text', text: 'Upper-case ticker, e.g. BTC.', sql: 'a.ticker' },
    name: { type: 'text', text: 'Name of the asset.', sql: 'a.name' },
    tier: {
      type: 'int',
      isNullable: true,
      text: 'Rank tier, 1 to 3. Null: not ranked.',
      sql: 'a.tier',
    },
    contract_address: {
      type: 'text',
      isNullable: true,
      text: 'Contract of a token, lower-case hexadecimal. Null for coins and for tokens issued on several chains.',
      sql: '(select c.address from asset_contract as c where c.asset_id = a.asset_id)',
    },
    load_ts: { ...loadedAt('a.last_updated'), text: 'When the master row was last confirmed by its source.' },
  },
  from: `from asset as a\n  where a.asset_class = 'crypto'`,
  reads: ['instruments'],
}
