import type { Clock } from '../../core/time.js'
import type { SnapshotSigner } from '../../domains/analysis/model.js'
import type { Database } from '../../platform/database/database.js'
import type { DownloadClient, HttpClient } from '../../platform/http-client/http-client.js'
import type { Logger } from '../../platform/logger.js'
import type { Timers } from '../../platform/timers.js'
import type { Job, JobCounts } from './job.js'

/** The result of an attempt, for metrics. */
export interface JobEvent {
  readonly job: string
  /** Unfinished: nothing failed, and the run is tried again. */
  readonly status: 'succeeded' | 'failed' | 'unfinished'
  readonly counts: JobCounts
}

export interface SchedulerOptions {
  readonly jobs: readonly Job[]
  readonly database: Database
  readonly clock: Clock
  /** By default the timers of the process. */
  readonly timers?: Timers
  readonly http: HttpClient & DownloadClient
  readonly signer: SnapshotSigner
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly onRun?: (event: JobEvent) => void
  /** From 0 to 1, for jitter and pauses. */
  readonly random?: () => number
}
