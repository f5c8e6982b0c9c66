import type { Database } from '../../../src/platform/database/database.js'
import { SEEDED_AT } from '../../support/database/database.js'

/** Days that one statement writes: the time a statement may take is bounded. */
const DAYS_AT_ONCE = 50

const CANDLES = `
  insert into candle (asset_id, timeframe, ts, vwap_usd, volume_usd, exchanges_count, max_source_weight,
    methodology_version, sources, source, known_from)
  select asset.asset_id, '1d', ts, 1000 + asset.asset_id / 7.0, 123456789.123456, 4, 0.3333333333, 'test', '[]', 'seed', $1
  from asset cross join generate_series($1::timestamptz - $2::int * interval '1 day',
    $1::timestamptz - $3::int * interval '1 day', interval '1 day') as ts
  on conflict do nothing`

/** The seeded world with a candle for every asset and day back to `days` days before its clock. */
export async function addCandles(database: Database, days: number): Promise<void> {
  const today = new Date(SEEDED_AT.toISOString().slice(0, 10))
  for (let last = 0; last < days; last += DAYS_AT_ONCE)
    await database.rows(CANDLES, [today, last + DAYS_AT_ONCE - 1, last])
  await database.script('analyze candle')
}

/** A range that only `limit` bounds. */
export const LONG = 'from: "2020-01-01"'

export const aliases = (count: number, field: (name: string) => string) =>
  Array.from({ length: count }, (_, at) => field(`a${at}`)).join(' ')

/** Each is nearly as large as an operation may be. */
export const NEARLY_TOO_LARGE = {
  'many rows of one field': `{ assets(limit: 48) { data { ohlcv(${LONG}, limit: 1000) { candles { ts } } } } }`,
  'many fields': `{ assets(limit: 20) { data { ohlcv(${LONG}, limit: 800) { candles { ts vwap_usd volume_usd exchanges_count max_source_weight_pct open high low close } } } } }`,
  'a page of years': `{ assets(limit: 100) { data { ticker ohlcv(${LONG}, limit: 240) { candles { ts vwap_usd volume_usd exchanges_count max_source_weight_pct } } } } }`,
  'aliases of an edge': `{ assets(limit: 100) { data { ${aliases(28, (name) => `${name}: ohlcv(${LONG}, limit: 13) { candles { ts vwap_usd } }`)} } } }`,
  'aliases of a root field': `{ ${aliases(15, (name) => `${name}: ohlcv(id: "bitcoin", ${LONG}, limit: 1000) { data { candles { ts vwap_usd open high low close volume_usd exchanges_count consensus_status } } }`)} }`,
  'one list of years': `{ forex(quote: "USD", from: "1999-01-04") { ${aliases(5, (name) => `${name}: inverse { data { date rate } }`)} } }`,
}
