import type { DayRange } from '../../core/day-range.js'
import { ASSET_ONCHAIN } from '../../generated/columns.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import {
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumn,
  storedColumns,
} from '../../platform/bi-temporal/series-table.js'
import { stagedSeries } from '../../platform/bi-temporal/staged-series.js'
import { seriesUndoer } from '../../platform/bi-temporal/undo-rows.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql } from '../../platform/database/database.js'
import { selectList } from '../../platform/database/statement.js'
import { ONCHAIN_COLUMNS, ONCHAIN_METRICS_VERSION, type OnchainDay, type OnchainFigures } from './model.js'

const DAYS = {
  name: 'asset_onchain',
  key: storedColumns(ASSET_ONCHAIN, 'assetId', 'snapshotDate'),
  values: [
    ...storedColumns(
      ASSET_ONCHAIN,
      'activeAddresses',
      'txCount',
      'feesTotalUsd',
      'avgFeeUsd',
      'circulatingSupply',
      'realizedCapUsd',
      'mvrvRatio',
      'nupl',
      'sopr',
      'realizedPriceUsd',
    ),
    storedColumn(
      ASSET_ONCHAIN,
      'hodlWaves',
      ({ hodlWaves }: OnchainDay) => hodlWaves && JSON.stringify(hodlWaves),
    ),
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
export const removeOnchainDays = sourceRemover(({ assetOnchain }) => [assetOnchain])

// Plain SQL: one statement reads the newest days of several assets.
const selectDays = asOfStatement(
  'lacks page per key',
  ONCHAIN_COLUMNS,
  4,
  null,
  (known) => `
  select newest.* from unnest($1::int[]) as requested(asset_id)
  cross join lateral (
    select ${selectList(ONCHAIN_COLUMNS, 'd')} from asset_onchain as d
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
