import type { DatasetName } from '../../core/datasets.js'
import type { FreshnessStatus } from '../../core/freshness.js'
import type { IsoDate } from '../../core/time.js'
import { INGEST_RUN } from '../../generated/columns.js'
import { only, type RowOf } from '../../platform/database/statement.js'
import { definePort } from '../../platform/request/ports.js'

/** A day for which two sources of a dataset state different figures. */
export interface DatasetFinding {
  /** What the figures are of. */
  readonly subject: string
  readonly date: IsoDate
  /** The source whose figure is served, then the other one. */
  readonly sources: readonly string[]
  /** Fraction of the served figure. */
  readonly difference: number
}

/** The newest findings, and the number of all. */
export interface DatasetFindings {
  readonly findings: readonly DatasetFinding[]
  readonly findingsTotal: number
}

/** Work that refreshes a dataset by itself. */
export interface DatasetJob {
  /** Its name in SCHEDULE. */
  readonly job: string
  /** Null while it is off. */
  readonly nextRunAt: Date | null
  /** The setting with the key that it needs and that is not set. */
  readonly missingKey: string | null
}

/** The jobs of a dataset at an instant, as this installation configures them. */
export const datasetJobsPort =
  definePort<(dataset: DatasetName, now: Date) => readonly DatasetJob[]>('dataset-jobs')

/** State of a dataset. Until data is ingested, every member except its texts and version is null or empty. */
export interface Dataset extends DatasetFindings {
  readonly dataset: DatasetName
  readonly title: string
  readonly description: string
  /** Null without a rule. */
  readonly publishedRule: string | null
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
  /** All stored rows, counted once a day; null before the first count and while it is empty. */
  readonly rows: number | null
  /** First day that rows are about. */
  readonly since: IsoDate | null
  readonly countedAt: Date | null
  readonly jobs: readonly DatasetJob[]
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

/** Runs are kept this long, as is what follows from them. */
export const LEDGER_DAYS = 90

/** How the runs of a dataset ended on a day. */
export interface DatasetDay {
  readonly date: IsoDate
  readonly outcome: 'succeeded' | 'partly_failed' | 'failed'
}

/** A time in which the data of a dataset could not be refreshed. */
export interface Incident {
  readonly dataset: DatasetName
  readonly kind: 'runs_failed' | 'data_late'
  /** Null if no single feed is affected. */
  readonly feed: string | null
  /** Provider of the feed. */
  readonly source: string | null
  readonly startedAt: Date
  /** Null while it lasts. */
  readonly endedAt: Date | null
  /** Runs that failed, or attempts of a check; null for late data. */
  readonly failedRuns: number | null
  /** Why the newest of these runs failed; null if it is not recorded. */
  readonly cause: 'provider' | 'data' | 'gateway' | null
}
