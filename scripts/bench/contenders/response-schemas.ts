// Response schemas for Fastify's serializer.

const text = { type: 'string' } as const
const number = { type: 'number' } as const
const integer = { type: 'integer' } as const
const boolean = { type: 'boolean' } as const
const instant = { type: 'string', format: 'date-time' } as const

function orNull<Schema extends object>(schema: Schema) {
  return { ...schema, nullable: true } as const
}

function object(properties: Readonly<Record<string, object>>) {
  return { type: 'object', properties } as const
}

function list(items: object) {
  return { type: 'array', items } as const
}

const freshness = object({
  data_freshness_seconds: integer,
  last_updated_at: instant,
  next_refresh_at: instant,
  sources: list(text),
  freshness_status: text,
  undated_rows: orNull(integer),
  release: orNull(text),
})

const meta = object({
  version: text,
  cache_hit: boolean,
  ai_generated_at: orNull(instant),
  ai_mode: orNull(text),
  ai_model: orNull(text),
  benchmark_notice: orNull(text),
  computed_at: orNull(instant),
  data_methodology: orNull(text),
  data_quality: orNull(text),
  disclaimer: orNull(text),
  disclaimer_lang_canonical: orNull(text),
  disclaimer_translations: orNull({ type: 'object', additionalProperties: true }),
  fallback_used: orNull(boolean),
  freshness_ts: orNull(instant),
  has_next: orNull(boolean),
  is_dev_dataset: orNull(boolean),
  licensed_for_commercial_use: orNull(boolean),
  locale: orNull(text),
  methodology_version: orNull(text),
  price_type: orNull(text),
  source: orNull(text),
  total: orNull(integer),
  upstream: orNull(text),
})

const card = object({
  asset_id: integer,
  ticker: text,
  name: text,
  tier: orNull(integer),
  price_consensus_usd: orNull(number),
  market_cap_derived_usd: orNull(number),
  last_updated: orNull(instant),
  price_source: orNull(text),
  source_count: orNull(integer),
  consensus_status: orNull(text),
  methodology_version: orNull(text),
})

export const assetsResponse = object({ data: list(card), meta, _meta: freshness })

export const assetResponse = object({ data: card, meta, _meta: freshness })

export const ratesResponse = object({
  base: text,
  quote: text,
  source: text,
  data: list(object({ date: text, rate: number })),
  rows: integer,
  data_quality: text,
  ended_on: orNull(text),
  _meta: freshness,
})

const candle = object({
  ts: instant,
  open: orNull(number),
  high: orNull(number),
  low: orNull(number),
  close: orNull(number),
  vwap_usd: orNull(number),
  volume_usd: orNull(number),
  exchanges_count: integer,
  max_source_weight_pct: orNull(number),
  consensus_status: text,
})

export const candlesResponse = object({
  data: object({ asset_id: text, ticker: text, timeframe: text, candles: list(candle), rows: integer }),
  meta,
  _meta: freshness,
})

export const latestResponse = object({
  snapshot_id: text,
  asset_id: text,
  ticker: text,
  analysis_type: text,
  generated_at: instant,
  content: { type: 'object', additionalProperties: true },
  provenance: object({
    data_window_from: orNull(instant),
    data_window_to: orNull(instant),
    input_tokens: orNull(integer),
    output_tokens: orNull(integer),
    model_id: orNull(text),
    prompt_version: orNull(text),
    prompt_hash: orNull(text),
    methodology_version: orNull(text),
  }),
  immutability: object({ content_hash: text, hash_algorithm: text, signed: boolean }),
  freshness,
  meta: object({
    tier_required: text,
    ai_generated: boolean,
    disclaimer: text,
    disclaimer_fr: text,
    methodology_url: text,
  }),
  _meta: freshness,
})
