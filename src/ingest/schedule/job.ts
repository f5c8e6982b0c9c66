import type { DatasetName } from '../../core/datasets.js'
import type { SnapshotSigner } from '../../domains/analysis/model.js'
import type { DownloadClient, HttpClient } from '../../platform/http-client/http-client.js'
import type { ProviderKeyVariable } from '../../platform/http-client/provider-keys.js'
import type { Logger } from '../../platform/logger.js'
import { IngestError } from '../feed.js'
import type { IngestDeps } from '../run/run.js'
import type { FeedsSummary } from '../run/run-feeds.js'
import type { Schedule } from '../schedule.js'

/** What an attempt of a job works with. */
export interface JobContext extends IngestDeps {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Ends requests under way when the attempt is aborted. */
  readonly http: HttpClient & DownloadClient
  readonly signer: SnapshotSigner
  /** The newest due instant that the run is for. */
  readonly coversTo: Date
  /** Aborted when the process stops, or another node has taken the run over. */
  readonly signal: AbortSignal
}

/** What became of the rows, or cells, that were read. */
export interface JobCounts {
  readonly added: number
  readonly revised: number
  readonly unchanged: number
  readonly rejected: number
  readonly absent: number
}

/** The counts alone, of a summary that has more. */
export function jobCounts({ added, revised, unchanged, rejected, absent }: JobCounts): JobCounts {
  return { added, revised, unchanged, rejected, absent }
}

export const NO_ROWS: JobCounts = { added: 0, revised: 0, unchanged: 0, rejected: 0, absent: 0 }

export interface JobOutcome {
  readonly counts: JobCounts
  /** What the run left out, for operators; null: nothing. */
  readonly note: string | null
  /** Something failed that the note names, and did not hold up the rest. */
  readonly isPartial?: boolean
  /** Why the run is not done yet, though nothing went wrong here; null: it is done. */
  readonly unfinished: string | null
}

/** Failures that a note names; each is in the ledger. */
const MAX_NAMED = 5

/**
 * The outcome of several bodies. What could not be read does not hold up the rest, and is in the ledger with its reason;
 * IngestError where nothing could be read.
 */
export function jobOutcomeOfSeveral(summary: FeedsSummary): JobOutcome {
  const { failed, notAsked, isOut } = summary
  const named = failed.slice(0, MAX_NAMED).map(({ name, reason }) => `${name}: ${reason}`)
  if (isOut) throw new IngestError(`nothing could be read: ${named.join('; ')}`)
  if (failed.length === 0) return { counts: jobCounts(summary), note: null, unfinished: null }
  const left = notAsked > 0 ? `; ${notAsked} more were not asked for` : ''
  const note = `${failed.length} failed: ${named.join('; ')}${left}`
  return { counts: jobCounts(summary), note, isPartial: true, unfinished: null }
}

/** Work that the schedule starts. */
export interface Job {
  /** Stable: a name in SCHEDULE, in metrics and in the table job_run. */
  readonly name: string
  readonly dataset: DatasetName
  /** When it runs, in words. */
  readonly cadence: string
  readonly schedule: Schedule
  /** Ids of the feeds that it writes in the ledger. */
  readonly feeds: readonly string[]
  /** The key without which it does not run. */
  readonly keyVariable?: ProviderKeyVariable
  /** A job that must have succeeded once before; looked at only while that job is scheduled too. */
  readonly needs?: string
  /** A job that must have succeeded for the same due instant or a later one; looked at as `needs`. */
  readonly follows?: string
  /** One attempt. Throws what went wrong; an UpstreamError that says how long to wait is obeyed. */
  run(context: JobContext): Promise<JobOutcome>
}
