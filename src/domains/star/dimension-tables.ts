import { DIM_DATE } from './date-dimension.js'
import { DIM_ANALYSIS_TYPE, DIM_CHAIN, DIM_EVENT_TYPE, DIM_TIER, TIER_ROWS } from './fixed-dimensions.js'
import { loadedAt, type StarTable, surrogateKey } from './table.js'

/** Version of the rules for `sources_confirmed`. */
const DIM_ASSET_VERSION = 'dim-asset-1'

/** SQL: the begin of a version in milliseconds, which unlike an instant as text does not depend on the session. */
const MILLISECONDS = `(extract(epoch from v.known_from at time zone 'UTC') * 1000)::bigint::text`

/** SQL: the source of the newest row of an asset in a table. */
const newestSource = (table: string, time: string, where = '') =>
  `((select o.source from ${table} as o where o.asset_id = v.asset_id and o.known_to is null${where}
        order by o.${time} desc limit 1))`

const DIM_ASSET: StarTable = {
  view: 'dim_asset',
  kind: 'dimension',
  text: 'Crypto assets, one row for each version of what the instrument master says of them (slowly changing dimension of type 2).',
  key: ['asset_sk'],
  rules: ['is_current = (valid_to is null)', 'single_source = (cardinality(sources_confirmed) = 1)'],
  columns: {
    asset_sk: {
      type: 'text',
      isUnique: true,
      text: 'Key of the version: md5 of asset_id and the beginning of the version.',
      sql: surrogateKey('v.asset_id::text', MILLISECONDS),
    },
    asset_id: {
      type: 'int',
      text: 'Integer key of the asset, the same for all its versions.',
      sql: 'v.asset_id',
    },
    ticker: {
      type: 'text',
      text: 'Upper-case ticker, e.g. BTC.',
      sql: 'v.ticker',
      rule: 'value = upper(value)',
    },
    name: { type: 'text', text: 'Name of the asset.', sql: 'v.name' },
    tier: {
      type: 'int',
      isNullable: true,
      text: 'Rank tier, 1 to 3. Null: not ranked.',
      sql: 'v.tier',
      values: TIER_ROWS.map(({ tier }) => tier),
    },
    contract_address: {
      type: 'text',
      isNullable: true,
      text: 'Contract whose totalSupply counts every unit of a token, lower-case hexadecimal. Null for coins and for tokens issued on several chains.',
      sql: 'v.contract_address',
    },
    sources_confirmed: {
      type: 'text[]',
      text: 'Providers whose newest facts on the asset are stored: master, price, supply, chain, fees. Today’s for every version; seed is synthetic.',
      sql: 's.confirmed',
    },
    single_source: {
      type: 'boolean',
      text: 'Whether sources_confirmed names one provider only.',
      sql: 'cardinality(s.confirmed) = 1',
    },
    methodology_version: {
      type: 'text',
      text: 'Version of the rules by which sources_confirmed is found.',
      sql: `'${DIM_ASSET_VERSION}'`,
    },
    valid_from: {
      type: 'timestamptz',
      text: 'When the gateway learned of the version.',
      sql: 'v.known_from',
    },
    valid_to: {
      type: 'timestamptz',
      isNullable: true,
      text: 'When the next version took its place. Null: it is current.',
      sql: 'v.known_to',
    },
    is_current: {
      type: 'boolean',
      text: 'Whether it is the current version; each asset has exactly one.',
      sql: 'v.known_to is null',
    },
  },
  from: `from asset_version as v
  cross join lateral (
    select array(
      select distinct c.source from (values
        ((select m.source from asset as m where m.asset_id = v.asset_id)),
        ${newestSource('candle', 'ts', ` and o.timeframe = '1d'`)},
        ${newestSource('asset_supply', 'known_from')},
        ${newestSource('asset_onchain', 'snapshot_date')},
        ${newestSource('asset_fundamentals', 'snapshot_date')}
      ) as c(source) where c.source is not null order by c.source
    ) as confirmed
  ) as s`,
  reads: ['instruments', 'candles', 'supply', 'asset_onchain', 'protocols'],
  method: {
    summary: `sources_confirmed: the providers of the asset and of its newest stored figures (${DIM_ASSET_VERSION}).`,
    section: 'star-schema',
  },
  endpoint: {
    path: 'assets',
    typeName: 'DimAssetRead',
    summary: 'Crypto assets with their versions',
    keywords: ['asset dimension', 'slowly changing dimension'],
    order: ['asset_id', 'valid_from'],
  },
}

const DIM_NEWS_SOURCE: StarTable = {
  view: 'dim_news_source',
  kind: 'dimension',
  text: 'Editors whose articles were read.',
  key: ['news_source_sk'],
  columns: {
    news_source_sk: {
      type: 'text',
      isUnique: true,
      text: 'Key of the editor: md5 of news_source_id.',
      sql: surrogateKey('n.news_source_id'),
    },
    news_source_id: {
      type: 'text',
      text: 'SHA-256 of editor_normalized, lower-case hexadecimal.',
      sql: 'n.news_source_id',
      rule: `value ~ '^[0-9a-f]{64}$'`,
    },
    editor: { type: 'text', text: 'The editor as its first article writes it.', sql: 'n.editor' },
    editor_normalized: {
      type: 'text',
      text: 'The editor in lower case without accents and punctuation.',
      sql: 'n.editor_normalized',
    },
    first_seen_at: {
      type: 'timestamptz',
      text: 'Publication of its oldest article that was read.',
      sql: 'n.first_seen_at',
    },
    last_seen_at: {
      type: 'timestamptz',
      isNullable: true,
      text: 'Publication of its newest article that was read. Null: not known.',
      sql: 'n.last_seen_at',
    },
    article_count: {
      type: 'int',
      isNullable: true,
      text: 'Articles of it that are stored. Null where they were not counted.',
      sql: '(select count(*) from news_article as a where a.news_source_id = n.news_source_id and a.known_to is null)',
      rule: 'value >= 0',
    },
    load_ts: loadedAt('n.loaded_at'),
  },
  from: 'from news_source as n',
  reads: ['news'],
  endpoint: {
    path: 'news-sources',
    typeName: 'DimNewsSourceRead',
    summary: 'Editors of news',
    keywords: ['dimension of publishers'],
    order: ['news_source_sk'],
  },
}

export const DIMENSIONS: readonly StarTable[] = [
  DIM_ASSET,
  DIM_DATE,
  DIM_NEWS_SOURCE,
  DIM_CHAIN,
  DIM_EVENT_TYPE,
  DIM_ANALYSIS_TYPE,
  DIM_TIER,
]
