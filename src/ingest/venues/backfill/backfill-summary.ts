import type { BarVenue } from '../../../core/consensus/venue-symbols.js'
import type { Rejection } from '../../run/ledger.js'
import type { DatasetCounts } from '../../run/write-dataset.js'

/** How far a run is, after each day of an asset. */
export interface BackfillProgress {
  readonly day: Date
  readonly slug: string
  /** Days of assets that are dealt with, and those of them that were asked for. */
  readonly done: number
  readonly asked: number
  readonly total: number
  readonly elapsedMs: number
}

/** Days of an asset that a venue had no bars of, and why it may have some. */
export interface FormerDays {
  readonly slug: string
  readonly days: number
  readonly reason: string
}

export interface BackfillVenue {
  readonly venue: BarVenue
  readonly requests: number
  /** Rows of its answers, and answers that are none: bars + rejected + absent. */
  readonly read: number
  readonly bars: number
  readonly rejected: number
  /** Rows of other times, doubles, and bars of days that are not used. */
  readonly absent: number
  /** Days of assets that the venue does not list. */
  readonly notListed: number
  /** Days of assets on which it had no bar: before the first day of the pair there, or without a trade. */
  readonly withoutBars: number
  /** Those of them on which the asset may have had another ticker there, by asset. */
  readonly underFormerTicker: readonly FormerDays[]
  /** Days of assets that could not be had: the next run asks for them. */
  readonly missed: number
  /** Why it was left out of the rest of the run; null: it was not. */
  readonly givenUp: string | null
}

export interface BackfillSummary {
  readonly runId: string
  /** Days of assets. */
  readonly days: number
  /** Those of them that nothing had to be asked for. */
  readonly skipped: number
  readonly venues: readonly BackfillVenue[]
  readonly candles: DatasetCounts
  /** Of all venues, as absent. */
  readonly rejected: number
  readonly absent: number
  /** The first of them. */
  readonly rejections: readonly Rejection[]
  /** False: no venue answered any more, and the run ended early. */
  readonly isComplete: boolean
  readonly durationMs: number
}
