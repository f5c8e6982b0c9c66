import type { DayRange } from '../../core/day-range.js'
import type { IsoDate } from '../../core/time.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import { removeSource } from '../../platform/bi-temporal/remove-source.js'
import { type SeriesTable, SOURCE_COLUMN } from '../../platform/bi-temporal/series-table.js'
import { stagedSeries } from '../../platform/bi-temporal/staged-series.js'
import { seriesUndoer } from '../../platform/bi-temporal/undo-rows.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import { column } from '../../platform/database/statement.js'
import { type HodlWaves, ONCHAIN_METRICS_VERSION, type OnchainDay, type OnchainFigures } from './model.js'

const decimals = 'numeric(65, 30)'

const DAYS = {
  name: 'asset_onchain',
  key: [
    { name: 'asset_id', type: 'int', sentAs: 'int', of: ({ assetId }: OnchainDay) => assetId },
    { name: 'snapshot_date', type: 'date', of: ({ snapshotDate }: OnchainDay) => snapshotDate },
  ],
  values: [
    { name: 'active_addresses', type: 'int8', of: (day: OnchainDay) => day.activeAddresses },
    { name: 'tx_count', type: 'int8', of: (day: OnchainDay) => day.txCount },
    { name: 'fees_total_usd', type: decimals, of: (day: OnchainDay) => day.feesTotalUsd },
    { name: 'avg_fee_usd', type: decimals, of: (day: OnchainDay) => day.avgFeeUsd },
    { name: 'circulating_supply', type: decimals, of: (day: OnchainDay) => day.circulatingSupply },
    { name: 'realized_cap_usd', type: decimals, of: (day: OnchainDay) => day.realizedCapUsd },
    { name: 'mvrv_ratio', type: decimals, of: (day: OnchainDay) => day.mvrvRatio },
    { name: 'nupl', type: decimals, of: (day: OnchainDay) => day.nupl },
    { name: 'sopr', type: decimals, of: (day: OnchainDay) => day.sopr },
    { name: 'realized_price_usd', type: decimals, of: (day: OnchainDay) => day.realizedPriceUsd },
    {
      name: 'hodl_waves',
      type: 'jsonb',
      of: ({ hodlWaves }: OnchainDay) => hodlWaves && JSON.stringify(hodlWaves),
    },
    { name: 'methodology_version', type: 'text', ofKnown: () => ONCHAIN_METRICS_VERSION },
  ],
  notes: [SOURCE_COLUMN],
} satisfies SeriesTable<OnchainDay>

/** Adds and revises days. See `seriesWriter`. */
export const writeOnchainDays = seriesWriter<OnchainDay>(DAYS)

/** Adds and revises days in slices that do not block other writers. See `stagedSeries`. */
export const stageOnchainDays = stagedSeries<OnchainDay>(DAYS)

/** Undoes what a run wrote for these days. See `seriesUndoer`. */
export const undoOnchainDays = seriesUndoer<OnchainDay>(DAYS)

/** Removes all days of a source, closed ones too, and returns their number. */
export function removeOnchainDays(tx: Transaction, source: string): Promise<number> {
  return removeSource([tx.prisma.assetOnchain], source)
}

const COLUMNS = {
  assetId: 'int4',
  snapshotDate: column<IsoDate>('date'),
  activeAddresses: 'int8?',
  txCount: 'int8?',
  feesTotalUsd: 'float8?',
  avgFeeUsd: 'float8?',
  circulatingSupply: 'float8?',
  realizedCapUsd: 'float8?',
  mvrvRatio: 'float8?',
  nupl: 'float8?',
  sopr: 'float8?',
  realizedPriceUsd: 'float8?',
  // The cast is safe: only writeOnchainDays writes this column.
  hodlWaves: column<HodlWaves | null>('jsonb?'),
  methodologyVersion: 'text',
  source: 'text',
} as const

// Plain SQL: one statement reads the newest days of several assets.
const selectDays = asOfStatement(
  COLUMNS,
  4,
  (known) => `
  select newest.* from unnest($1::int[]) as requested(asset_id)
  cross join lateral (
    select d.asset_id as "assetId", d.snapshot_date as "snapshotDate", d.active_addresses as "activeAddresses",
      d.tx_count as "txCount", d.fees_total_usd::float8 as "feesTotalUsd", d.avg_fee_usd::float8 as "avgFeeUsd",
      d.circulating_supply::float8 as "circulatingSupply", d.realized_cap_usd::float8 as "realizedCapUsd",
      d.mvrv_ratio::float8 as "mvrvRatio", d.nupl::float8 as nupl, d.sopr::float8 as sopr,
      d.realized_price_usd::float8 as "realizedPriceUsd", d.hodl_waves as "hodlWaves",
      d.methodology_version as "methodologyVersion", d.source
    from asset_onchain as d
    where d.asset_id = requested.asset_id and d.snapshot_date between $2::date and $3::date and ${known('d')}
    order by d.snapshot_date desc limit $4::int
  ) as newest
  order by newest."assetId", newest."snapshotDate"`,
)

/** The newest days of each asset within a range, oldest first, in one statement. */
export function loadOnchainDays(
  sql: Sql,
  assetIds: readonly number[],
  { from, to, limit, asOf }: DayRange,
): Promise<readonly OnchainFigures[]> {
  return selectDays(sql, [assetIds, from, to, limit], asOf)
}
