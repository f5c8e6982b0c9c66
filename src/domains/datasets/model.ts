import type { DatasetName } from '../../core/datasets.js'
import type { FreshnessStatus } from '../../core/freshness.js'

/** State of a dataset. Until data is ingested, every member except name and version is null or empty. */
export interface Dataset {
  readonly dataset: DatasetName
  /** Rises by one with each committed change; 0 while it is empty. */
  readonly version: number
  /** Providers of its parts, the one with the newest fact first. */
  readonly sources: readonly string[]
  readonly freshnessStatus: FreshnessStatus | null
  readonly lastUpdatedAt: Date | null
  readonly nextRefreshAt: Date | null
  readonly isDevDataset: boolean | null
  readonly licence: string | null
  readonly attribution: string | null
  readonly licensedForCommercialUse: boolean | null
  /** The newest run of each of its feeds, the newest first. */
  readonly lastRuns: readonly DatasetRun[]
}

export type DatasetRunStatus = 'running' | 'succeeded' | 'failed'

/** One ingestion of a feed, without what only operators may know. */
export interface DatasetRun {
  readonly feed: string
  /** Provider of the feed. */
  readonly source: string
  readonly status: DatasetRunStatus
  readonly startedAt: Date
  /** Null while it is running. */
  readonly finishedAt: Date | null
  readonly rowsChanged: number
  readonly rowsRejected: number
}
