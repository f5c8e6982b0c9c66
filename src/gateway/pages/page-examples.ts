/** The operations in the tabs of GraphiQL. Each runs unchanged with a key of tier starter or above. */
export const EXAMPLE_OPERATIONS: readonly string[] = [
  `# Stocks, and the listing behind each.
# All listings are loaded in one batch.
query StocksWithListings {
  assets(limit: 5, asset_class: stock) {
    data {
      asset_id
      ticker
      name
      stock {
        isin
        figi
        mic
        currency
      }
    }
    meta {
      total
      has_next
      is_dev_dataset
      source
    }
    _meta {
      freshness_status
      data_freshness_seconds
    }
  }
}
`,
  `# One asset by its slug, the lower-case name.
query OneAsset {
  asset(id: "bitcoin") {
    data {
      asset_id
      ticker
      name
      tier
      price_consensus_usd
      last_updated
    }
    meta {
      is_dev_dataset
      source
    }
    _meta {
      freshness_status
      last_updated_at
      next_refresh_at
      sources
    }
  }
}
`,
  `# Euro reference rates of the last 30 days,
# and francs the other way round.
query EuroRates {
  usd: forex(quote: "USD") {
    base
    quote
    source
    rows
    data {
      date
      rate
    }
    _meta {
      freshness_status
      last_updated_at
    }
  }
  chf: forex(quote: "CHF") {
    inverse {
      base
      quote
      data {
        date
        rate
      }
    }
  }
}
`,
  `# From a ticker to identifiers,
# and to the slug that asset(id:) takes.
query DiscoverTicker {
  discover(ticker: "AAPL") {
    ticker
    name
    asset_class
    figi
    isin
    mic
    currency
    slug
    analyses_available
  }
}
`,
  `# Yesterday's hours of three assets, in one batch,
# and the price each consensus ended with.
query HourlyCandles {
  assets(limit: 3) {
    data {
      ticker
      price_consensus_usd
      source_count
      ohlcv(timeframe: H1, limit: 24) {
        rows
        candles {
          ts
          vwap_usd
          volume_usd
          exchanges_count
          consensus_status
        }
      }
    }
    _meta {
      freshness_status
      sources
    }
  }
}
`,
  `# What changed last in the analyses, and why.
# A cursor leads on; a subscription of the same name streams it.
query WhatChanged {
  ai_analysis_changes(limit: 5) {
    items {
      ticker
      analysis_type
      change_type
      changed_at
      asset {
        name
        price_consensus_usd
      }
    }
    has_more
    next_cursor
    total_count
  }
}
`,
]
