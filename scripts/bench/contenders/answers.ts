import { CONSENSUS_METHOD, METHODOLOGY_VERSION } from '../../../src/core/consensus/consensus.js'
import { DISCLAIMER_META } from '../../../src/core/disclaimer.js'
import { computeFreshness, type FreshnessKind, freshnessKindOfTier } from '../../../src/core/freshness.js'
import { formatMethod } from '../../../src/core/method.js'
import type { Dataset } from './datasets.js'
import type { CandleRow, CardRow, RateRow, SnapshotRow } from './statements.js'

// Members of the gateway's responses, written by hand. REST and GraphQL contenders share them.

const VERSION = process.env.GATEWAY_VERSION ?? ''
const CONSENSUS_TEXT = formatMethod(CONSENSUS_METHOD, process.env.PUBLIC_URL ?? '')

const EMPTY_META = {
  version: VERSION,
  cache_hit: false,
  ai_generated_at: null,
  ai_mode: null,
  ai_model: null,
  benchmark_notice: null,
  computed_at: null as Date | null,
  data_methodology: null as string | null,
  data_quality: 'full',
  ...DISCLAIMER_META,
  fallback_used: null,
  freshness_ts: null as Date | null,
  has_next: null as boolean | null,
  is_dev_dataset: null as boolean | null,
  // The data are synthetic.
  licensed_for_commercial_use: false,
  locale: null,
  methodology_version: null as string | null,
  price_type: null as string | null,
  source: null as string | null,
  total: null as number | null,
  upstream: null as string | null,
}

function freshness(kind: FreshnessKind, observedAt: Date, sources: readonly string[]) {
  const fresh = computeFreshness(kind, observedAt, new Date())
  return {
    data_freshness_seconds: fresh.data_freshness_seconds,
    last_updated_at: fresh.last_updated_at,
    next_refresh_at: fresh.next_refresh_at,
    sources,
    freshness_status: fresh.freshness_status,
    undated_rows: null,
    release: null,
  }
}

/** Figures are published with 15 significant digits. */
function published(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(15))
}

function statusOf(vwapUsd: number | null): 'ok' | 'insufficient_sources' {
  return vwapUsd === null ? 'insufficient_sources' : 'ok'
}

export function cardOf(row: CardRow) {
  return {
    asset_id: row.asset_id,
    ticker: row.ticker,
    name: row.name,
    tier: row.tier,
    price_consensus_usd: row.vwap_usd,
    market_cap_derived_usd: published(row.market_cap_usd),
    last_updated: row.ends_at ?? row.confirmed_at,
    price_source: row.vwap_usd === null ? 'none' : 'consensus_vwap',
    source_count: row.exchanges_count,
    consensus_status: row.ends_at === null ? null : statusOf(row.vwap_usd),
    methodology_version: row.methodology_version,
  }
}

/** `meta` and `_meta` of cards. Their age is that of the newest price. */
export function cardsEnvelope(rows: readonly CardRow[], master: Dataset, candles: Dataset, paging: object) {
  const newest = rows.reduce((a, b) => ((b.ends_at ?? 0) > (a.ends_at ?? 0) ? b : a), rows[0] as CardRow) // callers give one at least
  const observedAt = newest.ends_at ?? master.observed_at
  const isDev = candles.is_dev_dataset || master.is_dev_dataset
  const tier = Math.min(...rows.map((row) => row.tier ?? 3))
  return {
    meta: {
      ...EMPTY_META,
      freshness_ts: observedAt,
      is_dev_dataset: isDev,
      source: candles.source,
      upstream: isDev ? null : candles.source,
      price_type: 'consensus_vwap',
      computed_at: candles.changed_at,
      data_methodology: CONSENSUS_TEXT,
      data_quality: rows.every(({ vwap_usd }) => vwap_usd !== null) ? 'full' : 'partial',
      methodology_version: newest.methodology_version,
      ...paging,
    },
    _meta: freshness(freshnessKindOfTier(tier), observedAt, [...new Set([candles.source, master.source])]),
  }
}

export function ratesAnswer(quote: string, data: readonly RateRow[], state: Dataset) {
  return {
    base: 'EUR',
    quote,
    source: state.source,
    data,
    rows: data.length,
    data_quality: data.length === 0 ? 'empty' : 'full',
    // None of the requested currencies has ended.
    ended_on: null,
    _meta: freshness('forex', state.observed_at, [state.source]),
  }
}

export function candleOf(row: CandleRow) {
  return {
    ts: row.ts,
    open: null,
    high: null,
    low: null,
    close: null,
    vwap_usd: row.vwap_usd,
    volume_usd: row.volume_usd,
    exchanges_count: row.exchanges_count,
    max_source_weight_pct: row.max_source_weight_pct,
    consensus_status: statusOf(row.vwap_usd),
  }
}

export function candlesAnswer(
  query: { readonly slug: string; readonly timeframe: string; readonly total: number },
  rows: readonly CandleRow[],
  state: Dataset,
) {
  const priced = rows.filter((row) => row.vwap_usd !== null).length
  return {
    data: {
      asset_id: query.slug,
      ticker: rows[0]?.ticker,
      timeframe: query.timeframe,
      candles: rows.map(candleOf),
      rows: rows.length,
    },
    meta: {
      ...EMPTY_META,
      freshness_ts: state.observed_at,
      is_dev_dataset: state.is_dev_dataset,
      source: state.source,
      upstream: state.is_dev_dataset ? null : state.source,
      price_type: 'consensus_vwap',
      computed_at: state.changed_at,
      methodology_version: METHODOLOGY_VERSION,
      data_methodology: CONSENSUS_TEXT,
      data_quality: priced === rows.length ? 'full' : priced > 0 ? 'partial' : 'empty',
      total: query.total,
      has_next: false,
    },
    _meta: freshness(freshnessKindOfTier(rows[0]?.tier ?? null), state.observed_at, [state.source]),
  }
}

const AI_META = {
  tier_required: 'starter',
  ai_generated: true,
  disclaimer: 'Not financial advice. Not a fatwa. Methodology disclosed.',
  disclaimer_fr: 'Ceci n’est ni un conseil financier ni une fatwa. Méthodologie publiée.',
  methodology_url: `${process.env.PUBLIC_URL}/v1/ai/methodology`,
}

export function provenanceOf(row: SnapshotRow) {
  return {
    data_window_from: row.data_window_from,
    data_window_to: row.data_window_to,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    model_id: row.model_id,
    prompt_version: row.prompt_version,
    prompt_hash: row.prompt_hash,
    methodology_version: row.methodology_version,
  }
}

export function latestAnswer(row: SnapshotRow) {
  const fresh = freshness(freshnessKindOfTier(row.tier), row.generated_at, [row.source])
  return {
    snapshot_id: row.snapshot_id,
    asset_id: row.slug,
    ticker: row.ticker,
    analysis_type: row.analysis_type,
    generated_at: row.generated_at,
    content: JSON.parse(row.content) as object, // an object, as the gateway stores it
    provenance: provenanceOf(row),
    immutability: {
      content_hash: row.content_hash,
      hash_algorithm: 'sha256',
      signed: row.signature !== null,
    },
    freshness: fresh,
    meta: AI_META,
    _meta: fresh,
  }
}

/** A snapshot of a history. The members of the nested case are read from `content`. */
export function itemOf(row: SnapshotRow) {
  const content = JSON.parse(row.content) as { summary: string; sentiment_score: number | null } // as stored
  return {
    snapshot_id: row.snapshot_id,
    generated_at: row.generated_at,
    sentiment_score: content.sentiment_score,
    summary: content.summary,
    provenance: provenanceOf(row),
  }
}
