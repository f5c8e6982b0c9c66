/** Members of the envelope of every REST response. */
const META = `meta {
    version cache_hit ai_generated_at ai_mode ai_model benchmark_notice computed_at data_methodology data_quality
    disclaimer disclaimer_lang_canonical disclaimer_translations fallback_used freshness_ts has_next is_dev_dataset
    licensed_for_commercial_use locale methodology_version price_type source total upstream
  }`

const FRESHNESS =
  '{ data_freshness_seconds last_updated_at next_refresh_at sources freshness_status undated_rows release }'

const CARD = `asset_id ticker name tier price_consensus_usd market_cap_derived_usd last_updated price_source
    source_count consensus_status methodology_version`

/** The GraphQL documents of the cases. Each but the last selects the members of the REST response. */
export const DOCUMENTS = {
  assets20: `query Assets {
  assets(asset_class: crypto, limit: 20) { data { ${CARD} } ${META} _meta ${FRESHNESS} }
}`,
  asset: `query Asset($id: String!) {
  asset(id: $id) { data { ${CARD} } ${META} _meta ${FRESHNESS} }
}`,
  forex: `query Forex($quote: String!) {
  forex(quote: $quote) { base quote source data { date rate } rows _meta ${FRESHNESS} }
}`,
  candles: `query Candles($id: String!, $from: DateTime, $to: DateTime) {
  ohlcv(id: $id, timeframe: H1, limit: 500, from: $from, to: $to) {
    data {
      asset_id ticker timeframe rows
      candles {
        ts open high low close vwap_usd volume_usd exchanges_count max_source_weight_pct consensus_status
      }
    }
    ${META} _meta ${FRESHNESS}
  }
}`,
  latest: `query Latest($id: String!) {
  ai_analysis_latest(asset_id: $id) {
    snapshot_id asset_id ticker analysis_type generated_at content
    provenance {
      data_window_from data_window_to input_tokens output_tokens model_id prompt_version prompt_hash
      methodology_version
    }
    immutability { content_hash hash_algorithm signed }
    freshness ${FRESHNESS}
    meta { tier_required ai_generated disclaimer disclaimer_fr methodology_url }
    _meta ${FRESHNESS}
  }
}`,
  screening: `query Screening($leis: [String!]!) {
  screen_leis(leis: $leis) {
    data {
      lei status is_sanctioned checked_at last_listed_date legal_name opensanctions_id risk_score sanction_programs
      sanctions_lists
    }
    meta {
      fetched_at total_requested screened_count not_screened_count invalid_lei_count attribution disclaimer
      disclaimer_fr license lists_covered source
    }
    lists { list title version source license attribution is_dev_dataset _meta ${FRESHNESS} }
    _meta ${FRESHNESS}
  }
}`,
  nested: `query Nested {
  assets(asset_class: crypto, limit: 20) {
    data {
      asset_id ticker name tier price_consensus_usd last_updated
      ai_analysis_history(analysis_type: market_context, limit: 5) {
        items { snapshot_id generated_at sentiment_score summary provenance { model_id methodology_version } }
      }
      ohlcv(timeframe: D1, limit: 30) {
        candles { ts vwap_usd volume_usd exchanges_count consensus_status }
      }
    }
  }
}`,
} as const
