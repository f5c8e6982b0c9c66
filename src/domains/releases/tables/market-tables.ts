import { sourcesText } from '../../market/compact/packed-sources-model.js'
import { type ReleaseTable, releaseColumn } from './release-table.js'

const { count, date, decimal, integer, number, text, timestamp } = releaseColumn

const FOREX: ReleaseTable = {
  dataset: 'forex',
  partOf: 'forex',
  table: 'forex_rate',
  columns: [
    text('quote', 'ISO 4217 code of the quoted currency.'),
    date('date', 'Publication day.'),
    decimal('rate', 'quoted currency per EUR', 'Euro reference rate.'),
  ],
  key: ['t.quote collate "C"', 't.date'],
  period: { column: 'date', type: 'date' },
  expected: { series: null, calendar: `'TARGET'` },
}

const CANDLES: ReleaseTable = {
  dataset: 'candles',
  partOf: 'candles',
  // Current and closed candles have an index each; rows in the order of the key are merged from both.
  table: `(select * from candle where known_to is null union all select * from candle where known_to is not null)`,
  columns: [
    integer('asset_id', 'Integer key of the asset.'),
    text('timeframe', 'Length of the window: 1h or 1d.', 'timeframe::text'),
    timestamp('ts', 'Start of the window.'),
    number('vwap_usd', 'USD', 'Consensus price, 15 significant digits; null with too few sources.'),
    number('volume_usd', 'USD', 'Value traded at the used venues, 15 significant digits.'),
    { ...integer('exchanges_count', 'Number of used venues.'), unit: 'venues' },
    {
      ...number('max_source_weight', 'fraction', 'Largest share of one venue.'),
      type: 'decimal',
      scale: 10,
    },
    text('methodology_version', 'Version of the rules of the consensus.'),
    {
      ...text('sources', 'Input, weight and exclusion of each venue, as JSON.', 't.sources'),
      read: sourcesText,
    },
  ],
  key: ['t.asset_id', 't.timeframe', 't.ts'],
  period: { column: 'ts', type: 'timestamptz' },
  partition: 'month',
  methodology: 'methodology_version',
  expected: {
    series: `asset_id || ' ' || timeframe::text`,
    step: `case timeframe::text when '1h' then interval '1 hour' else interval '1 day' end`,
    isPresent: 'true',
  },
}

const price = (name: string, description: string) => decimal(name, 'currency of the row', description)

const PRICES: ReleaseTable = {
  dataset: 'prices',
  partOf: 'prices',
  table: `(select p.*, i.mic from daily_price as p left join instrument as i using (instrument_id))`,
  columns: [
    integer('instrument_id', 'Integer key of the listing.'),
    date('date', 'Trading day.'),
    price('open', 'First price, as traded; null if the source does not state it.'),
    price('high', 'Highest price, as traded.'),
    price('low', 'Lowest price, as traded.'),
    price('close', 'Closing price, as traded.'),
    count('volume', 'shares', 'Shares traded.'),
    text('currency', 'ISO 4217 code.'),
  ],
  key: ['t.instrument_id', 't.date', 't.source collate "C"'],
  period: { column: 'date', type: 'date' },
  expected: { series: 'instrument_id::text', calendar: 'mic' },
}

const COMMODITIES: ReleaseTable = {
  dataset: 'commodities',
  partOf: 'commodities',
  table: 'commodity_price',
  columns: [
    text('symbol', 'Symbol of the commodity, e.g. XAU.'),
    date('month', 'First day of the month of the average.', 'price_date'),
    number('price_usd', 'USD per unit of the catalogue', 'Average price of the month.'),
  ],
  key: ['t.symbol collate "C"', 't.price_date', 't.source collate "C"'],
  period: { column: 'price_date', type: 'date' },
  expected: { series: `symbol || ' ' || source`, step: `interval '1 month'`, isPresent: 'true' },
}

const SUPPLY: ReleaseTable = {
  dataset: 'supply',
  partOf: 'supply',
  table: 'asset_supply',
  columns: [
    integer('asset_id', 'Integer key of the asset.'),
    timestamp('observed_at', 'When the source counted the units.'),
    number('supply', 'units of the asset', 'Units of the asset.'),
    text('methodology', 'How the source counted the units; null if it does not say.'),
  ],
  key: ['t.asset_id'],
  period: { column: 'observed_at', type: 'timestamptz' },
}

/** Prices of currencies, crypto assets, listings and commodities, and the units of assets. */
export const MARKET_TABLES: readonly ReleaseTable[] = [FOREX, CANDLES, PRICES, COMMODITIES, SUPPLY]
