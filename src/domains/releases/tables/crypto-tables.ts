import { type ReleaseTable, releaseColumn } from './release-table.js'

const { count, date, flag, integer, number, text, timestamp } = releaseColumn

const ASSET_ID = integer('asset_id', 'Integer key of the asset.')
const SNAPSHOT_DATE = date('snapshot_date', 'UTC day of the figures.')

const BY_SNAPSHOT_DATE = { period: { column: 'snapshot_date', type: 'date' } } as const

const ASSET_ONCHAIN: ReleaseTable = {
  dataset: 'asset_onchain',
  partOf: 'asset_onchain',
  table: 'asset_onchain',
  columns: [
    ASSET_ID,
    SNAPSHOT_DATE,
    count('active_addresses', 'addresses', 'Distinct addresses that sent or received.'),
    count('tx_count', 'transactions', 'Transactions.'),
    number('fees_total_usd', 'USD', 'Fees paid by users.'),
    number('avg_fee_usd', 'USD', 'Fees per transaction.'),
    number('circulating_supply', 'units of the asset', 'Units issued, from the chain.'),
    number('realized_cap_usd', 'USD', 'Every unit at the price of its last move.'),
    number('mvrv_ratio', 'ratio', 'Market capitalisation over realized capitalisation.'),
    number('nupl', 'fraction', 'Net unrealized profit or loss: 1 - 1/MVRV.'),
    number('sopr', 'ratio', 'Spent output profit ratio.'),
    number('realized_price_usd', 'USD', 'Realized capitalisation per unit.'),
    text(
      'hodl_waves',
      'Share of the supply by the time since it last moved: a fraction for each band of ages, as JSON.',
      'hodl_waves::text',
    ),
    text('methodology_version', 'Version of the rules by which figures are derived.'),
  ],
  key: ['t.asset_id', 't.snapshot_date'],
  ...BY_SNAPSHOT_DATE,
  methodology: 'methodology_version',
  expected: { series: 'asset_id::text', step: `interval '1 day'`, isPresent: 'true' },
}

const PROTOCOL_ID = text('protocol_id', 'Lower-case name of the protocol, e.g. uniswap-v3.')

const PROTOCOL_TVL: ReleaseTable = {
  dataset: 'protocol_tvl',
  partOf: 'protocols',
  table: 'protocol_tvl',
  columns: [
    PROTOCOL_ID,
    SNAPSHOT_DATE,
    number('tvl_usd', 'USD', 'Total value locked.'),
    number('tvl_change_1d_pct', 'per cent', 'Change of a day; null if the provider does not say.'),
    number('tvl_change_7d_pct', 'per cent', 'Change of 7 days; null if the provider does not say.'),
  ],
  key: ['t.protocol_id collate "C"', 't.snapshot_date'],
  ...BY_SNAPSHOT_DATE,
  expected: { series: 'protocol_id', step: `interval '1 day'`, isPresent: 'true' },
}

const PROTOCOL_ECONOMICS: ReleaseTable = {
  dataset: 'protocol_economics',
  partOf: 'protocols',
  table: 'protocol_economics',
  columns: [
    PROTOCOL_ID,
    text('measure', 'fees: what users paid; revenue: the part that the protocol kept.'),
    SNAPSHOT_DATE,
    number('total_24h_usd', 'USD', 'Sum of the last 24 hours; null if the provider does not say.'),
    number('total_7d_usd', 'USD', 'Sum of the last 7 days; null if the provider does not say.'),
    number('total_30d_usd', 'USD', 'Sum of the last 30 days; null if the provider does not say.'),
  ],
  key: ['t.protocol_id collate "C"', 't.measure collate "C"', 't.snapshot_date'],
  ...BY_SNAPSHOT_DATE,
  expected: { series: `protocol_id || ' ' || measure`, step: `interval '1 day'`, isPresent: 'true' },
}

const ASSET_FUNDAMENTALS: ReleaseTable = {
  dataset: 'asset_fundamentals',
  partOf: 'protocols',
  table: 'asset_fundamentals',
  columns: [
    ASSET_ID,
    SNAPSHOT_DATE,
    number(
      'fees_30d_usd',
      'USD',
      `Fees of 30 days, summed over the asset's protocols; null if none states it.`,
    ),
    number('revenue_30d_usd', 'USD', 'Revenue of 30 days.'),
    number('fees_annualized', 'USD', 'Fees of 30 days times 12.'),
    number('revenue_annualized', 'USD', 'Revenue of 30 days times 12.'),
    number('ps_ratio', 'ratio', 'Market capitalisation over annualised fees.'),
    number('pr_ratio', 'ratio', 'Market capitalisation over annualised revenue.'),
    text('price_source', 'Provider of the price for the market capitalisation; null without one.'),
    text('supply_source', 'Provider of the supply for the market capitalisation; null without one.'),
    text('methodology_version', 'Version of the rules by which ratios are derived.'),
  ],
  key: ['t.asset_id', 't.snapshot_date'],
  ...BY_SNAPSHOT_DATE,
  methodology: 'methodology_version',
  expected: { series: 'asset_id::text', step: `interval '1 day'`, isPresent: 'true' },
  derivedFrom: { columns: ['price_source', 'supply_source'], datasets: ['candles', 'supply'] },
}

const EVENTS: ReleaseTable = {
  dataset: 'events',
  partOf: 'events',
  // A row for the time in which both an event and its relation to the asset were known.
  table: `(select a.asset_id, e.event_hk, e.event_type, e.event_date, e.title, e.description, e.url, e.reported_by,
      e.is_withdrawn or a.is_withdrawn as is_withdrawn, e.source,
      greatest(e.known_from, a.known_from) as known_from, least(e.known_to, a.known_to) as known_to
    from asset_event as e join asset_event_asset as a using (event_hk)
    where e.known_from < coalesce(a.known_to, 'infinity') and a.known_from < coalesce(e.known_to, 'infinity'))`,
  columns: [
    text('event_hk', `SHA-256 of the event's identity, lower-case hexadecimal.`),
    integer('asset_id', 'Integer key of an asset that the event is about.'),
    text('event_type', 'E.g. halving; null in rows that are withdrawn, as the other values are.'),
    date('event_date', 'UTC day of the event; may be in the future.'),
    text('title', 'Title of the event.'),
    text('description', 'Description; null if the source has none.'),
    text('url', 'URL of its description; null if the source has none.'),
    text('reported_by', 'Who reported the event; null if the file does not say.'),
    flag('is_withdrawn', 'The event was cancelled, or is no longer about the asset.'),
  ],
  key: ['t.event_hk collate "C"', 't.asset_id'],
  period: { column: 'known_from', type: 'timestamptz' },
}

const ANALYSIS: ReleaseTable = {
  dataset: 'analysis',
  partOf: 'analysis',
  // A snapshot never changes. It is current until a correction of it is stored.
  table: `(select s.*, c.known_from as known_to from analysis_snapshot as s
    left join analysis_snapshot as c on c.supersedes = s.snapshot_id)`,
  columns: [
    text('snapshot_id', 'UUID of the snapshot.', 'snapshot_id::text'),
    ASSET_ID,
    text('analysis_type', 'halal_analysis, market_context or regime.', 'analysis_type::text'),
    integer('sequence', 'Position in the chain of its asset and type, from 1.'),
    timestamp('generated_at', 'When the analysis was generated.'),
    text('supersedes', 'UUID of the corrected snapshot; null if it corrects none.', 'supersedes::text'),
    text('content', 'The analysis, as canonical JSON (RFC 8785).'),
    text('content_hash', 'sha256:<64 hex> of the bytes of content.'),
    text('chain_hash', `sha256:<64 hex> of the chain hash of the snapshot before and content_hash.`),
    text('signature', 'Ed25519 signature of chain_hash, base64url; null if not signed.'),
    text('signing_key_id', 'Id of the signing key in the published key set.'),
    text('model_id', 'Model or rules that made it.'),
    text('methodology_version', 'Version of the method.'),
    text('prompt_version', 'Version of the prompt; null without one.'),
    text('prompt_hash', 'SHA-256 of the prompt; null without one.'),
    timestamp('data_window_from', 'Time of the oldest fact of the analysis.'),
    timestamp('data_window_to', 'Time of the newest fact of the analysis.'),
    text('data_lineage', 'Datasets and versions of its data, as JSON.', 'data_lineage::text'),
  ],
  key: ['t.asset_id', 't.analysis_type', 't.sequence'],
  period: { column: 'generated_at', type: 'timestamptz' },
  methodology: 'methodology_version',
}

/** Figures, events and analyses of assets. */
export const CRYPTO_TABLES: readonly ReleaseTable[] = [
  ASSET_ONCHAIN,
  PROTOCOL_TVL,
  PROTOCOL_ECONOMICS,
  ASSET_FUNDAMENTALS,
  EVENTS,
  ANALYSIS,
]
