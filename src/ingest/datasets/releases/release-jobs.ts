import type { ReleaseStore } from '../../../domains/releases/storage/release-store.js'
import type { ReleaseTable } from '../../../domains/releases/tables/release-table.js'
import { RELEASE_TABLES } from '../../../domains/releases/tables/release-tables.js'
import { NotReleasedError, RowsRemovedError, writeRelease } from '../../../domains/releases/write-release.js'
import { type Job, type JobContext, type JobOutcome, NO_ROWS } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'

const FIRST_HOUR = 2

/** Datasets are released one after another, so that no two of the large ones are read at once. */
const MINUTES_APART = 10

const JITTER_MS = 60_000

/** The word in SCHEDULE that turns on the jobs which write releases. */
export const RELEASES = 'releases'

export interface ReleaseJobsOptions {
  readonly releases: ReleaseStore
  /** How many of the newest releases stay; null: all. */
  readonly keep: number | null
}

/** One job for each dataset. It writes a release if the dataset changed since the last one, and removes old releases. */
export function releaseJobs(options: ReleaseJobsOptions): readonly Job[] {
  return RELEASE_TABLES.map((table, index): Job => {
    const minutes = index * MINUTES_APART
    const pattern = `${minutes % 60} ${FIRST_HOUR + Math.floor(minutes / 60)} * * 0`
    return {
      name: `release-${table.dataset}`,
      dataset: table.partOf,
      cadence: 'every Sunday, where SCHEDULE names releases',
      optIn: RELEASES,
      schedule: byCron(pattern, JITTER_MS),
      feeds: [],
      run: (context) => release(context, table, options),
    }
  })
}

async function release(
  { database, signer, signal }: JobContext,
  table: ReleaseTable,
  { releases, keep }: ReleaseJobsOptions,
): Promise<JobOutcome> {
  try {
    const written = await writeRelease({ database, releases, signer, signal, keep }, table)
    const { manifest, seal, isNew, removed } = written
    const { rows } = manifest
    const what = isNew ? `wrote ${seal.release_id}` : `unchanged since ${seal.release_id}`
    return {
      counts: isNew ? { ...NO_ROWS, added: rows } : { ...NO_ROWS, unchanged: rows },
      note: removed.length === 0 ? what : `${what}; removed ${removed.length} older ones`,
      unfinished: null,
    }
  } catch (error) {
    if (!(error instanceof NotReleasedError) || error instanceof RowsRemovedError) throw error
    return { counts: NO_ROWS, note: error.message, unfinished: null }
  }
}
