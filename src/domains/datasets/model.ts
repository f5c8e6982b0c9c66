import type { DatasetName } from '../../core/datasets.js'
import type { FreshnessStatus } from '../../core/freshness.js'
import { INGEST_RUN } from '../../generated/columns.js'
import { only, type RowOf } from '../../platform/database/statement.js'

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

/** The columns of a run that everybody may know. */
export const RUN_COLUMNS = only(
  INGEST_RUN,
  ...(['dataset', 'feed', 'provider', 'status', 'startedAt', 'finishedAt'] as const),
  ...(['added', 'revised', 'alsoChanged', 'rejected'] as const),
)

/** One ingestion of a feed. */
export type DatasetRun = RowOf<typeof RUN_COLUMNS>
