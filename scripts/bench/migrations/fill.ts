import type { Database } from '../../../src/platform/database/database.js'

/** Rows of a table of 0.1.0: the statement has their number as $1. */
interface Filling {
  readonly table: string
  /** Rows for each million of candles. */
  readonly perMillion: number
  readonly sql: string
}

const FILLINGS: readonly Filling[] = [
  {
    table: 'asset',
    perMillion: 10_000,
    sql: `INSERT INTO asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
      SELECT n, 'asset-' || n, 'A' || n, 'Asset ' || n, 'crypto', 1 + n % 3, now(), 'bench' FROM generate_series(1, $1::int) n`,
  },
  {
    table: 'account',
    perMillion: 100_000,
    sql: `INSERT INTO account (account_id, email, password_hash, tier, created_at)
      SELECT md5('a' || n)::uuid, n || '@example.org', md5(n::text), 'free', now() FROM generate_series(1, $1::int) n`,
  },
  {
    table: 'api_key',
    perMillion: 100_000,
    sql: `INSERT INTO api_key (key_id, account_id, digest, key_prefix, label, created_at)
      SELECT md5('k' || n)::uuid, md5('a' || n)::uuid, sha256(n::text::bytea), 'mdg_live', 'bench', now() FROM generate_series(1, $1::int) n`,
  },
  {
    table: 'usage_day',
    perMillion: 300_000,
    sql: `INSERT INTO usage_day (account_id, key_id, day, operation, units, requests)
      SELECT md5('a' || n % 10000)::uuid, md5('k' || n % 10000)::uuid, date '2026-08-01' + n / 10000, 'forex', 1, 1
      FROM generate_series(0, $1::int - 1) n`,
  },
  {
    table: 'rate_counter',
    perMillion: 100_000,
    sql: `INSERT INTO rate_counter (key, points, expire) SELECT 'hour:' || n, n % 1000, 1800000000000 FROM generate_series(1, $1::int) n`,
  },
  {
    table: 'analysis_snapshot',
    perMillion: 100_000,
    sql: `INSERT INTO analysis_snapshot (snapshot_id, asset_id, analysis_type, generated_at, known_from, sequence, content,
        content_hash, chain_hash, model_id, methodology_version, data_lineage, source, standing)
      SELECT md5('s' || n)::uuid, 1 + n % 100, 'regime', now(), now() + n * interval '1 ms', 1 + n / 100,
        jsonb_build_object('summary', repeat('text ', 100), 'data', jsonb_build_object('n', n))::text,
        'sha256:' || encode(sha256(n::text::bytea), 'hex'), 'sha256:' || encode(sha256(('c' || n)::bytea), 'hex'),
        'rules', '1', '[]', 'bench', 1 + n / 100 FROM generate_series(0, $1::int - 1) n`,
  },
  {
    table: 'venue_bar',
    perMillion: 1_000_000,
    sql: `INSERT INTO venue_bar (asset_id, venue, ts, open, high, low, close, base_volume, quote_currency, known_from)
      SELECT 1 + n % 100, 'kraken', timestamptz '2026-11-01Z' + n / 100 * interval '1 minute', 10.5, 10.75, 10.25, 10.5, 12345.678, 'USD',
        timestamptz '2026-11-20Z' FROM generate_series(0, $1::int - 1) n`,
  },
  {
    table: 'candle',
    perMillion: 1_000_000,
    sql: `INSERT INTO candle (asset_id, timeframe, ts, vwap_usd, volume_usd, exchanges_count, max_source_weight, methodology_version,
        sources, source, known_from)
      SELECT 1 + n % 100, '1h', timestamptz '2025-09-01Z' + n / 100 * interval '1 hour', 10.123456789012345 + n % 7, 1234567.89, 4, 0.4, '1',
        '[{"venue":"binance","price":10.1,"weight":0.4},{"venue":"kraken","price":10.2,"weight":0.3},{"venue":"okx","price":10.1,"weight":0.3}]',
        'consensus_vwap', timestamptz '2026-11-20Z' FROM generate_series(0, $1::int - 1) n`,
  },
]

/** Fills the tables of 0.1.0. Returns the rows of each. */
export async function fillReleased(
  database: Database,
  candles: number,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const { table, perMillion, sql } of FILLINGS) {
    const count = Math.round((candles / 1_000_000) * perMillion)
    await database.rows(sql, [count])
    counts[table] = count
  }
  await database.script('ANALYZE')
  return counts
}
