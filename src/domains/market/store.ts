import { CANDLE } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import { SOURCE_COLUMN, storedColumn, storedColumns } from '../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
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
  key: storedColumns(CANDLE, 'assetId', 'timeframe', 'ts'),
  values: [
    ...storedColumns(
      CANDLE,
      'vwapUsd',
      'volumeUsd',
      'exchangesCount',
      'maxSourceWeight',
      'methodologyVersion',
    ),
    storedColumn(CANDLE, 'sources', ({ sources }) => packSources(sources)),
  ],
  notes: [SOURCE_COLUMN],
  learnedAt: `i.ts + case i.timeframe when '1d' then interval '1 day' else interval '1 hour' end`,
})

/** Removes all candles of a source, closed ones too, and returns their number. */
export const removeCandles = sourceRemover(({ candle }) => [candle])
