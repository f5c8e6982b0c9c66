import { removeSource } from '../../platform/bi-temporal/remove-source.js'
import { SOURCE_COLUMN } from '../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Transaction } from '../../platform/database/database.js'
import { packSources } from './compact/packed-sources-model.js'
import type { StoredSource, Timeframe } from './model.js'

/** A consensus candle to be stored. Prices and volumes are in USD, decimals are text. */
export interface CandleRow {
  readonly assetId: number
  readonly timeframe: Timeframe
  /** Start of the window, UTC. */
  readonly ts: Date
  /** Price, volume and weight are null with too few venues. */
  readonly vwapUsd: string | null
  readonly volumeUsd: string | null
  readonly exchangesCount: number
  /** Fraction of at most 0.5. */
  readonly maxSourceWeight: string | null
  readonly methodologyVersion: string
  readonly sources: readonly StoredSource[]
}

/** Adds and revises candles. A change of figures, method or sources is a revision. See `seriesWriter`. */
export const writeCandles = seriesWriter<CandleRow>({
  name: 'candle',
  key: [
    { name: 'asset_id', type: 'int', sentAs: 'int', of: ({ assetId }) => assetId },
    { name: 'timeframe', type: 'timeframe', of: ({ timeframe }) => timeframe },
    { name: 'ts', type: 'timestamptz', sentAs: 'timestamptz', of: ({ ts }) => ts },
  ],
  values: [
    { name: 'vwap_usd', type: 'numeric(65, 30)', of: ({ vwapUsd }) => vwapUsd },
    { name: 'volume_usd', type: 'numeric(65, 30)', of: ({ volumeUsd }) => volumeUsd },
    { name: 'exchanges_count', type: 'smallint', sentAs: 'int', of: (row) => row.exchangesCount },
    { name: 'max_source_weight', type: 'numeric(11, 10)', of: (row) => row.maxSourceWeight },
    { name: 'methodology_version', type: 'text', of: (row) => row.methodologyVersion },
    { name: 'sources', type: 'bytea', sentAs: 'bytea', of: ({ sources }) => packSources(sources) },
  ],
  notes: [SOURCE_COLUMN],
})

/** Removes all candles of a source, closed ones too, and returns their number. */
export function removeCandles(tx: Transaction, source: string): Promise<number> {
  return removeSource([tx.prisma.candle], source)
}
