import { ID_PUBLISHERS } from '../../support/id-publishers.js'

/** A series: arguments that select several rows, and the columns by which its rows are ordered; `-`: newest first. */
export interface SeriesCase {
  readonly args: Readonly<Record<string, string>>
  readonly order: readonly string[]
}

const YEAR = { from: '2026-01-01', to: '2026-11-20' }

/** By operation, everything whose rows follow each other in time. */
export const SERIES_CASES: Readonly<Record<string, SeriesCase>> = {
  candles: { args: { asset_class: 'crypto', from: '2026-11-17', to: '2026-11-20' }, order: ['slug', 'ts'] },
  exchange_candles: { args: { id: 'bitcoin', exchange: 'binance', ...YEAR }, order: ['ts'] },
  ohlcv: { args: { id: 'bitcoin', ...YEAR }, order: ['ts'] },
  forex: { args: { quote: 'USD', ...YEAR }, order: ['date'] },
  forex_cross: { args: { base: 'USD', quote: 'GBP', ...YEAR }, order: ['date'] },
  stock_prices: { args: { ticker: 'AAPL', ...YEAR }, order: ['date'] },
  etf_prices: { args: { ticker: 'IVV', ...YEAR }, order: ['date'] },
  commodity_prices: { args: { symbol: 'XAU', ...YEAR }, order: ['price_date'] },
  bis_series: { args: { dataset_code: 'WS_TC', series_key: 'Q.US.P.A.M.770.A' }, order: ['period'] },
  ...Object.fromEntries(
    ID_PUBLISHERS.map(({ id, seriesIds: { example } }) => [
      `${id}_series`,
      { args: { series_id: example }, order: ['observation_date'] },
    ]),
  ),
  macro_series: { args: { provider: 'ust', key: 'PAR.10Y' }, order: ['period_start'] },
  calendar: { args: { code: 'XNYS', ...YEAR }, order: ['date'] },
  ai_analysis_history: { args: { asset_id: 'bitcoin' }, order: ['-generated_at'] },
  ai_analysis_changes: { args: {}, order: ['-changed_at'] },
  corporate_action_changes: { args: {}, order: ['-recorded_at'] },
  corporate_actions: { args: { ticker: 'META' }, order: ['-ex_date'] },
  dividends: { args: { ticker: 'AAPL' }, order: ['-ex_date'] },
  etf_reports: { args: { ticker: 'IVV' }, order: ['-report_date'] },
  star_dim_dates: { args: YEAR, order: ['date'] },
  star_fact_ai_analysis: { args: { asset_id: '1' }, order: ['generated_date'] },
  star_fact_asset_fundamentals: { args: { asset_id: '1' }, order: ['snapshot_date'] },
  star_fact_events: { args: {}, order: ['event_date'] },
  star_fact_market_snapshots: { args: { asset_id: '1' }, order: ['snapshot_date'] },
  star_fact_news_mentions: { args: {}, order: ['published_at'] },
  star_fact_onchain_advanced: { args: { asset_id: '1' }, order: ['snapshot_date'] },
  star_fact_onchain_core: { args: { asset_id: '1' }, order: ['snapshot_date'] },
  star_fact_protocol_economics: { args: {}, order: ['snapshot_date'] },
  star_fact_protocol_tvl: { args: {}, order: ['snapshot_date'] },
  star_fact_vwap_consensus: { args: { asset_id: '1' }, order: ['snapshot_ts'] },
}

/** What has a day or an instant in each row, and no order in time. */
export const NO_SERIES: readonly string[] = [
  // One row of each subject, by its name.
  ...['commodities', 'etfs', 'forex_currencies', 'stocks', 'symbol', 'star_dim_news_sources'],
  // All rows have the same day.
  'etf_holdings',
  // The heaviest weight first.
  'held_by',
  // Of the account or of the installation, whatever was there before.
  ...['usage', 'releases', 'incidents'],
]

/** Whether the rows have the order of the case. */
export function isInOrder(
  rows: readonly Readonly<Record<string, unknown>>[],
  order: readonly string[],
): boolean {
  return rows.every((row, at) => at === 0 || compare(rows[at - 1] ?? {}, row, order) <= 0)
}

function compare(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  order: readonly string[],
): number {
  for (const key of order) {
    const column = key.replace(/^-/, '')
    const [a, b] = [String(before[column]), String(after[column])]
    if (a !== b) return a < b === key.startsWith('-') ? 1 : -1
  }
  return 0
}
