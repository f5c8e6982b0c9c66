import { resolve } from 'node:path'
import { candlesSink, consensusProvider } from '../../../src/ingest/datasets/market/ingestion.js'
import { writeDataset } from '../../../src/ingest/run/write-dataset.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { BATCH_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'

const MIGRATIONS = resolve(import.meta.dirname, '../../../prisma/migrations')

export const ASSETS = 1_000

/** When the first question is asked. Candles exist from the first month on. */
export const BEGIN = new Date('2026-11-20T12:00:10Z')
const FIRST_DAY = '2026-09-01'
const TODAY = '2026-11-20'

const ASSET_ROWS = `
  insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
  select id, 'asset-' || id, 'A' || id, 'Asset number ' || id, 'crypto', 1 + id % 3, $2::timestamptz, 'bench'
  from generate_series(1, $1::int) as id`

const CANDLE_ROWS = `
  insert into candle (asset_id, timeframe, ts, vwap_usd, volume_usd, exchanges_count, max_source_weight,
    methodology_version, sources, source, known_from)
  select asset_id, '1d', ts, asset_id * 10 + extract(day from ts), 1000000, 4, 0.25, 'vwap-consensus-1', '[]',
    $4, ts + interval '1 day'
  from generate_series($1::timestamptz, $2::timestamptz - interval '1 day', interval '1 day') as ts
  cross join generate_series(1, $3::int) as asset_id`

/** An embedded database in memory with the candles of 1,000 assets. */
export async function createMarket(): Promise<Database> {
  const database = await openDatabase({ kind: 'memory' }, { limits: BATCH_LIMITS })
  await migrate(database, MIGRATIONS)
  await database.rows(ASSET_ROWS, [ASSETS, BEGIN])
  await database.rows(CANDLE_ROWS, [FIRST_DAY, TODAY, ASSETS, consensusProvider.id])
  const state = { source: consensusProvider.id, isDevDataset: false, observedAt: BEGIN, changedAt: BEGIN }
  await database.transaction(async (tx) => {
    for (const dataset of ['instruments', 'candles'] as const) await bumpDataset(tx, { dataset, ...state })
  })
  return database
}

/** Writes another price of one asset for a day of the month, as the lanes write the candle of a finished window. */
export async function commitCandle(
  database: Database,
  assetId: number,
  count: number,
  now: Date,
): Promise<void> {
  const day = 1 + (count % 19)
  const candle = {
    assetId,
    timeframe: '1d',
    ts: new Date(Date.UTC(2026, 10, day)),
    vwapUsd: String(1_000 + count),
    volumeUsd: '1000000',
    exchangesCount: 4,
    maxSourceWeight: '0.25',
    methodologyVersion: 'vwap-consensus-1',
    sources: [],
  } as const
  const target = { dataset: 'candles', provider: consensusProvider, sink: candlesSink } as const
  await database.transaction((tx) => writeDataset(tx, target, [[candle]], now))
}
