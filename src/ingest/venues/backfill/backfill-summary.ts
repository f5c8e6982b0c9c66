import type { BarVenue } from '../../../core/consensus/venue-symbols.js'
import type { Rejection } from '../../run/ledger.js'
import type { DatasetCounts } from '../../run/write-dataset.js'

/** The progress of a run after each day of an asset. */
export interface BackfillProgress {
  readonly day: Date
  readonly slug: string
  /** Days of assets that are done, and those of them that were requested. */
  readonly done: number
  readonly requested: number
  readonly total: number
  readonly elapsedMs: number
}

/** Days of an asset for which a venue had no bars, and why it may have some under another ticker. */
export interface FormerDays {
  readonly slug: string
  readonly days: number
  readonly reason: string
}

export interface BackfillVenue {
  readonly venue: BarVenue
  readonly requests: number
  /** Rows of its answers, plus answers that could not be read: bars + rejected + absent. */
  readonly read: number
  readonly bars: number
  readonly rejected: number
  /** Rows outside the day, duplicates, and bars of days that are not used. */
  readonly absent: number
  /** Days of assets that the venue does not list. */
  readonly notListed: number
  /** Days of assets without a bar: before the pair was listed, or without a trade. */
  readonly withoutBars: number
  /** Those of them on which the asset may have had another ticker, by asset. */
  readonly underFormerTicker: readonly FormerDays[]
  /** Days of assets that could not be loaded; the next run requests them. */
  readonly missed: number
  /** Why the rest of the run left the venue out; null if it did not. */
  readonly givenUp: string | null
}

export interface BackfillSummary {
  readonly runId: string
  /** Days of assets. */
  readonly days: number
  /** Those of them that needed no request. */
  readonly skipped: number
  readonly venues: readonly BackfillVenue[]
  readonly candles: DatasetCounts
  /** Absent rows of all venues. */
  readonly rejected: number
  readonly absent: number
  /** The first rejections. */
  readonly rejections: readonly Rejection[]
  /** False if no venue answered any more and the run ended early. */
  readonly isComplete: boolean
  readonly durationMs: number
}
