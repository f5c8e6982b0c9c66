import type { Venue } from '../../domains/market/model.js'
import type { Rejection } from '../ledger.js'
import type { DatasetCounts } from '../write-dataset.js'

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

export interface BackfillVenue {
  readonly venue: Venue
  readonly requests: number
  readonly bars: number
  /** Days of assets that the venue does not list. */
  readonly notListed: number
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
  readonly rejected: number
  /** The first of them. */
  readonly rejections: readonly Rejection[]
  /** False: no venue answered any more, and the run ended early. */
  readonly isComplete: boolean
  readonly durationMs: number
}
