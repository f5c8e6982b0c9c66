import type { DatasetName } from '../../core/datasets.js'
import type { FileColumn } from '../../platform/columnar/columns.js'

/** A column of a release. */
export interface ReleaseColumn extends FileColumn {
  /** SQL of the value. */
  readonly sql: string
  /** Unit of the values; null for a name, a key or an instant. */
  readonly unit: string | null
  readonly description: string
}

/** The bi-temporal table of a dataset, with `known_from`, `known_to` and `source`, and how a release shows it. */
export interface ReleaseTable {
  readonly dataset: DatasetName
  readonly table: string
  /** Without `known_from`, `known_to` and `source`, which each table has. */
  readonly columns: readonly ReleaseColumn[]
  /**
   * Key of a row together with `known_from`, as SQL over the table `t` that sorts alike in every database. Rows are in this
   * order; that of an enum is the order of its values.
   */
  readonly key: readonly string[]
  /** The day or instant that a row is about. */
  readonly period: { readonly column: string; readonly type: 'date' | 'timestamptz' }
  /** A file has the rows of one year or of one month. */
  readonly partition: 'year' | 'month'
  /** Column with the version of the rules that made a row; null if a provider made it. */
  readonly methodology: string | null
  /** Periods that should be there: TARGET days, or each step of a series; null if none are expected. */
  readonly expected: 'TARGET' | { readonly series: string; readonly step: string } | null
}

const text = (name: string, sql: string, description: string): ReleaseColumn => {
  return { name, type: 'text', sql, unit: null, description }
}

const FOREX: ReleaseTable = {
  dataset: 'forex',
  table: 'forex_rate',
  columns: [
    text('quote', 'quote', 'ISO 4217 code of the quoted currency.'),
    { name: 'date', type: 'date', sql: 'date', unit: null, description: 'Publication day.' },
    {
      name: 'rate',
      type: 'decimal',
      scale: 8,
      sql: 'rate',
      unit: 'quoted currency per EUR',
      description: 'Euro reference rate.',
    },
  ],
  key: ['t.quote collate "C"', 't.date'],
  period: { column: 'date', type: 'date' },
  partition: 'year',
  methodology: null,
  expected: 'TARGET',
}

const CANDLES: ReleaseTable = {
  dataset: 'candles',
  table: 'candle',
  columns: [
    {
      name: 'asset_id',
      type: 'integer',
      sql: 'asset_id',
      unit: null,
      description: 'Integer key of the asset.',
    },
    text('timeframe', 'timeframe::text', 'Length of the window: 1h or 1d.'),
    { name: 'ts', type: 'timestamp', sql: 'ts', unit: null, description: 'Start of the window.' },
    {
      name: 'vwap_usd',
      type: 'decimal',
      scale: 24,
      sql: 'vwap_usd',
      unit: 'USD',
      description: 'Consensus price; null with too few sources.',
    },
    {
      name: 'volume_usd',
      type: 'decimal',
      scale: 10,
      sql: 'volume_usd',
      unit: 'USD',
      description: 'Value traded at the used venues.',
    },
    {
      name: 'exchanges_count',
      type: 'integer',
      sql: 'exchanges_count',
      unit: 'venues',
      description: 'Number of used venues.',
    },
    {
      name: 'max_source_weight',
      type: 'decimal',
      scale: 10,
      sql: 'max_source_weight',
      unit: 'fraction',
      description: 'Largest share of one venue.',
    },
    text('methodology_version', 'methodology_version', 'Version of the rules of the consensus.'),
    text('sources', 'sources::text', 'Input, weight and exclusion of each venue, as JSON.'),
  ],
  key: ['t.asset_id', 't.timeframe', 't.ts'],
  period: { column: 'ts', type: 'timestamptz' },
  partition: 'month',
  methodology: 'methodology_version',
  expected: {
    series: `asset_id || ' ' || timeframe::text`,
    step: `case timeframe::text when '1h' then interval '1 hour' else interval '1 day' end`,
  },
}

const price = (name: string, description: string): ReleaseColumn => {
  return { name, type: 'decimal', scale: 8, sql: name, unit: 'currency of the row', description }
}

const PRICES: ReleaseTable = {
  dataset: 'prices',
  table: 'daily_price',
  columns: [
    {
      name: 'instrument_id',
      type: 'integer',
      sql: 'instrument_id',
      unit: null,
      description: 'Integer key of the listing.',
    },
    { name: 'date', type: 'date', sql: 'date', unit: null, description: 'Trading day.' },
    price('open', 'First price, as traded; null if the source does not state it.'),
    price('high', 'Highest price, as traded.'),
    price('low', 'Lowest price, as traded.'),
    price('close', 'Closing price, as traded.'),
    { name: 'volume', type: 'decimal', sql: 'volume', unit: 'shares', description: 'Shares traded.' },
    text('currency', 'currency', 'ISO 4217 code.'),
  ],
  key: ['t.instrument_id', 't.date'],
  period: { column: 'date', type: 'date' },
  partition: 'year',
  methodology: null,
  expected: null,
}

const COMMODITIES: ReleaseTable = {
  dataset: 'commodities',
  table: 'commodity_price',
  columns: [
    text('symbol', 'symbol', 'Symbol of the commodity, e.g. XAU.'),
    {
      name: 'month',
      type: 'date',
      sql: 'price_date',
      unit: null,
      description: 'First day of the month of the average.',
    },
    {
      name: 'price_usd',
      type: 'decimal',
      scale: 18,
      sql: 'price_usd',
      unit: 'USD per unit of the catalogue',
      description: 'Average price of the month.',
    },
  ],
  key: ['t.symbol collate "C"', 't.price_date', 't.source collate "C"'],
  period: { column: 'price_date', type: 'date' },
  partition: 'year',
  methodology: null,
  expected: null,
}

/** Every dataset that can be released. */
export const RELEASE_TABLES: readonly ReleaseTable[] = [FOREX, CANDLES, PRICES, COMMODITIES]

/** Columns that each release has after its own. */
const COMMON_COLUMNS: readonly ReleaseColumn[] = [
  text('source', 'source', 'Provider of the row; seed is synthetic.'),
  {
    name: 'known_from',
    type: 'timestamp',
    sql: 'known_from',
    unit: null,
    description: 'When the gateway learned the row.',
  },
  {
    name: 'known_to',
    type: 'timestamp',
    // $1 is the instant of the release. A later revision is not known then.
    sql: 'case when known_to <= $1 then known_to end',
    unit: null,
    description: 'When a revision replaced the row; null if it was current at known_at of the release.',
  },
]

/** All columns of a release, in order. */
export function releaseColumns({ columns }: ReleaseTable): readonly ReleaseColumn[] {
  return [...columns, ...COMMON_COLUMNS]
}
