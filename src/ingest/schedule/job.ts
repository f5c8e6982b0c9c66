import type { DatasetName } from '../../core/datasets.js'
import type { SnapshotSigner } from '../../domains/analysis/model.js'
import type { DownloadClient, HttpClient } from '../../platform/http-client/http-client.js'
import type { ProviderKeyVariable } from '../../platform/http-client/provider-keys.js'
import type { Logger } from '../../platform/logger.js'
import type { IngestDeps } from '../run/run.js'
import type { Schedule } from '../schedule.js'

/** The context of an attempt of a job. */
export interface JobContext extends IngestDeps {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Ends requests in flight when the attempt is aborted. */
  readonly http: HttpClient & DownloadClient
  readonly signer: SnapshotSigner
  /** The newest due instant that the run covers. */
  readonly coversTo: Date
  /** Aborted when the process stops, or when another node takes over the run. */
  readonly signal: AbortSignal
}

/** The numbers of rows (or cells) that were read, by result. */
export interface JobCounts {
  readonly added: number
  readonly revised: number
  readonly unchanged: number
  readonly rejected: number
  readonly absent: number
}

/** Only the counts of a summary with more members. */
export function jobCounts({ added, revised, unchanged, rejected, absent }: JobCounts): JobCounts {
  return { added, revised, unchanged, rejected, absent }
}

export const NO_ROWS: JobCounts = { added: 0, revised: 0, unchanged: 0, rejected: 0, absent: 0 }

export interface JobOutcome {
  readonly counts: JobCounts
  /** What the run skipped, for operators, or null. */
  readonly note: string | null
  /** Whether a part failed, which the note names, while the rest succeeded. */
  readonly isPartial?: boolean
  /** Why the run is not complete yet although nothing failed here; null if it is complete. */
  readonly unfinished: string | null
}

/** Work that the scheduler starts. */
export interface Job {
  /** Stable: SCHEDULE, metrics and the table job_run use it. */
  readonly name: string
  readonly dataset: DatasetName
  /** When it runs, in words. */
  readonly cadence: string
  /** The word in SCHEDULE that turns it on, as its name does; `all` leaves it off. Absent: `all` turns it on. */
  readonly optIn?: string | undefined
  readonly schedule: Schedule
  /** Ids of the feeds whose runs it records in the ledger. */
  readonly feeds: readonly string[]
  /** The variable with the key that the job requires. */
  readonly keyVariable?: ProviderKeyVariable | undefined
  /** A job that must have succeeded once before; checked only while that job is scheduled too. */
  readonly needs?: string | undefined
  /** A job that must have succeeded for the same due instant or a later one; checked like `needs`. */
  readonly follows?: string
  /** Runs one attempt. Throws if it fails; the scheduler waits as long as an UpstreamError says. */
  run(context: JobContext): Promise<JobOutcome>
}
