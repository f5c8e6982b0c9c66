import type { DatasetName } from '../../../core/datasets.js'
import type { FreshnessStatus } from '../../../core/freshness.js'
import type { PriceMove, RateMove, SeriesNews } from './issue-input-store.js'
import type { IssueWeek } from './issue-week.js'

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
