import { CONSENSUS_METHOD } from '../../core/consensus/consensus.js'
import { TIER_ROWS } from './fixed-dimensions.js'
import {
  assetId,
  assetSk,
  BY_ASSET_AND_DAY,
  dateKey,
  figure,
  loadedAt,
  methodologyVersion,
  ofAssetDay,
  type StarColumn,
  type StarTable,
  snapshotDate,
  trimmed,
  utcDay,
  utcHour,
} from './table.js'

/** A price from fewer exchanges does not count as a consensus. */
const LEAST_EXCHANGES = 3

const DAY = utcDay('c.ts')

const PRICED = 'c.known_to is null and c.vwap_usd is not null'

/**
 * SQL condition with all timeframes, so that the index that serves an asset's candles, with the timeframe as second
 * column, is used.
 */
const WINDOWED = `c.timeframe in ('1h', '1d') and ${PRICED}`

/** The index `candle_star_days` has the same condition and holds these rows. */
const DAILY = `c.timeframe = '1d' and ${PRICED} and c.exchanges_count >= ${LEAST_EXCHANGES}`

/**
 * SQL: the supply of an asset on the day of a candle: the chain's count of that day, or else the newest count until
 * the following day.
 */
const SUPPLY = `coalesce(
    (select o.circulating_supply from asset_onchain as o
      where o.asset_id = c.asset_id and o.snapshot_date = ${DAY} and o.known_to is null),
    (select s.supply from asset_supply as s where s.asset_id = c.asset_id and s.observed_at < c.ts + interval '2 days'
      order by s.observed_at desc, s.known_from desc limit 1))`

const PRICE: StarColumn = {
  type: 'numeric',
  text: 'Volume-weighted consensus price of the day, USD.',
  sql: trimmed('c.vwap_usd'),
  rule: 'value > 0',
}

const EXCHANGES: StarColumn = {
  type: 'smallint',
  text: 'Exchanges behind the price, at least 3.',
  sql: 'c.exchanges_count',
  rule: `value >= ${LEAST_EXCHANGES}`,
}

const SUPPLY_ON_CHAIN = figure(
  SUPPLY,
  'Units of the asset on the day: counted by its chain, else the newest count until the day after.',
)

const MARKET_CAP = figure(`c.vwap_usd * ${SUPPLY}`, 'Price times supply_on_chain, USD.')

export const FACT_MARKET_SNAPSHOT: StarTable = {
  view: 'fact_market_snapshot',
  kind: 'fact',
  text: 'Consensus price, supply and market capitalisation of a crypto asset on a UTC day that at least 3 exchanges priced.',
  key: ['asset_id', 'snapshot_date'],
  columns: {
    ...ofAssetDay('c.asset_id', DAY),
    price_consensus_usd: PRICE,
    supply_on_chain: SUPPLY_ON_CHAIN,
    market_cap_derived_usd: MARKET_CAP,
    tier_crypto: {
      type: 'int',
      isNullable: true,
      text: 'Rank tier of the asset today, 1 to 3. Null: not ranked.',
      sql: '(select a.tier from asset as a where a.asset_id = c.asset_id)',
      values: TIER_ROWS.map(({ tier }) => tier),
    },
    exchanges_count: EXCHANGES,
    methodology_version: methodologyVersion('c.methodology_version'),
  },
  from: `from candle as c\n  where ${DAILY}`,
  reads: ['candles', 'instruments', 'supply', 'asset_onchain'],
  method: {
    summary: 'Consensus prices of candles; market capitalisation = price × supply_on_chain.',
    section: 'consensus-prices',
  },
  priceType: 'consensus_vwap',
  endpoint: {
    path: 'market-snapshots',
    typeName: 'FactMarketSnapshotRead',
    summary: 'Prices and market capitalisations by day',
    keywords: ['daily market cap', 'market cap history', 'fact table of prices'],
    ...BY_ASSET_AND_DAY,
  },
  counts: [{ table: 'candle', by: 'add', day: utcDay('r.ts'), where: DAILY.replaceAll('c.', 'r.') }],
}

/** SQL: a fact with the same condition counts the daily rows; all other rows are hourly. */
const DAILY_COUNTS = `select day, row_count from star_total where fact = 'fact_market_snapshot' and row_count > 0`
const HOURLY_COUNTS = `select c.day, c.row_count - coalesce(d.row_count, 0) as row_count
  from star_total as c left join star_total as d on d.fact = 'fact_market_snapshot' and d.day = c.day
  where c.fact = 'fact_vwap_consensus' and c.row_count > coalesce(d.row_count, 0)`

export const FACT_VWAP_CONSENSUS: StarTable = {
  view: 'fact_vwap_consensus',
  kind: 'fact',
  text: 'Consensus price of a crypto asset in a window of an hour or a day.',
  key: ['asset_id', 'snapshot_ts', 'timeframe'],
  columns: {
    asset_sk: assetSk('c.asset_id'),
    asset_id: assetId('c.asset_id'),
    snapshot_ts: { type: 'timestamptz', text: 'Start of the window, UTC.', sql: 'c.ts' },
    snapshot_date: { ...snapshotDate(DAY), text: 'UTC day on which the window starts.' },
    date_key: dateKey(DAY),
    timeframe: {
      type: 'text',
      text: 'Length of the window: 1h or 1d.',
      sql: 'c.timeframe',
      values: ['1h', '1d'],
    },
    vwap_usd: { ...PRICE, text: 'Volume-weighted consensus price of the window, USD.' },
    exchanges_count: EXCHANGES,
    max_source_weight_pct: {
      ...figure(
        'c.max_source_weight',
        'Largest share of one exchange in the volume, a fraction of at most 0.5.',
      ),
      rule: 'value between 0 and 0.5',
    },
    methodology_version: methodologyVersion('c.methodology_version'),
  },
  from: `from candle as c\n  where ${WINDOWED}`,
  reads: ['candles', 'instruments'],
  method: CONSENSUS_METHOD,
  priceType: 'consensus_vwap',
  endpoint: {
    path: 'vwap-consensus',
    typeName: 'FactVwapConsensusRead',
    summary: 'Consensus prices by window',
    keywords: ['fact table of candles', 'VWAP by hour'],
    order: ['snapshot_ts', 'asset_id', 'timeframe'],
    time: { name: 'snapshot_ts', kind: 'instant' },
    choice: { column: 'timeframe', dayCounts: { '1h': HOURLY_COUNTS, '1d': DAILY_COUNTS } },
  },
  counts: [
    {
      table: 'candle',
      by: 'add',
      day: utcDay('r.ts'),
      where: WINDOWED.replaceAll('c.', 'r.'),
      hour: utcHour('r.ts'),
    },
  ],
}

const { timeframe: _, ...WINDOW_COLUMNS } = FACT_VWAP_CONSENSUS.columns

/** The rows of one timeframe of fact_vwap_consensus, which a sum or mean over both would mix. */
const vwapOf = (name: string, timeframe: string, length: string): StarTable => ({
  view: `fact_vwap_${name}`,
  kind: 'fact',
  text: `Consensus price of a crypto asset in a window of ${length}.`,
  key: ['asset_id', 'snapshot_ts'],
  columns: WINDOW_COLUMNS,
  from: `from candle as c\n  where c.timeframe = '${timeframe}' and ${PRICED}`,
  reads: FACT_VWAP_CONSENSUS.reads,
})

export const FACT_VWAP_HOURLY = vwapOf('hourly', '1h', 'an hour')
export const FACT_VWAP_DAILY = vwapOf('daily', '1d', 'a day')

export const SAT_ASSET_MARKET_DERIVED: StarTable = {
  view: 'sat_asset_market_derived',
  kind: 'satellite',
  text: 'What is derived from the market of a crypto asset on a UTC day.',
  key: ['asset_sk', 'snapshot_date'],
  columns: {
    asset_sk: assetSk('c.asset_id'),
    snapshot_date: snapshotDate(DAY),
    price_consensus_usd: PRICE,
    supply_on_chain: SUPPLY_ON_CHAIN,
    market_cap_derived_usd: MARKET_CAP,
    exchanges_count: EXCHANGES,
    methodology_version: methodologyVersion('c.methodology_version'),
    load_ts: loadedAt('c.known_from'),
  },
  from: FACT_MARKET_SNAPSHOT.from,
  reads: FACT_MARKET_SNAPSHOT.reads,
}
