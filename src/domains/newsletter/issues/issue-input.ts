import type { DatasetName } from '../../../core/datasets.js'
import type { FreshnessStatus } from '../../../core/freshness.js'
import type { Frequency } from '../../../core/period.js'
import type { IsoDate } from '../../../core/time.js'
import type { IssueWeek } from './issue-week.js'

/** Consensus prices in USD, exact decimals as text; null without one. */
export interface PriceMove {
  readonly name: string
  readonly ticker: string
  readonly before: string | null
  readonly last: string | null
}

/** Units of the currency per euro, exact decimals as text; null if not published. */
export interface RateMove {
  readonly quote: string
  readonly before: string | null
  readonly last: string | null
}

/** The newest value of a series of a central bank. */
export interface SeriesNews {
  readonly provider: string
  readonly description: string | null
  readonly seriesKey: string
  readonly unit: string | null
  readonly frequency: Frequency
  readonly periodStart: IsoDate
  readonly value: string | null
}

/** A change of an analysis. */
export interface AnalysisNews {
  readonly name: string
  readonly ticker: string
  readonly analysisType: string
  readonly changeType: string
  readonly knownAt: Date
  /** 0 to 1; null if the text is unchanged. */
  readonly similarity: number | null
}

/** The age of a dataset. */
export interface DatasetAge {
  readonly dataset: DatasetName
  readonly status: FreshnessStatus
  readonly lastUpdatedAt: Date
  readonly sources: readonly string[]
  readonly attribution: string | null
  readonly isDevDataset: boolean
}

/** The complete input of an issue. */
export interface IssueInput {
  readonly week: IssueWeek
  readonly changes: readonly AnalysisNews[]
  readonly hasMoreChanges: boolean
  readonly prices: readonly PriceMove[]
  readonly rates: readonly RateMove[]
  readonly series: readonly SeriesNews[]
  readonly hasMoreSeries: boolean
  readonly datasets: readonly DatasetAge[]
}
