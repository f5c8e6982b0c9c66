import { graphql } from '../generated/graphql/gql.js'

/** A page of assets with an edge of each. */
export const ASSETS = graphql(`
  query Assets($limit: Int!, $offset: Int!) {
    assets(asset_class: crypto, limit: $limit, offset: $offset) {
      data { asset_id ticker name ohlcv(limit: 1) { candles { ts vwap_usd } } }
      meta { is_dev_dataset total has_next }
    }
  }
`)

export const ASSET = graphql(`
  query Asset($id: String!) {
    asset(id: $id) { data { ticker name } }
  }
`)

export const CREATE_KEY = graphql(`
  mutation CreateKey($label: String!) {
    create_api_key(label: $label) { key_id label raw_key }
  }
`)

export const LAST_CHANGES = graphql(`
  query LastChanges($since: DateTime!) {
    ai_analysis_changes(since: $since, limit: 3) { items { asset_id } next_cursor }
  }
`)

export const CHANGES = graphql(`
  subscription Changes($cursor: String) {
    ai_analysis_changes(cursor: $cursor) { cursor item { asset_id analysis_type } }
  }
`)
