import type { Clock } from '../../core/time.js'
import type { Job } from '../../ingest/schedule/job.js'
import { loadJobReports } from '../../ingest/schedule/report.js'
import { reportJson } from '../../ingest/schedule/report-json.js'
import type { Database } from '../../platform/database/database.js'

export interface OperatorDetailsDependencies {
  readonly database: Database
  readonly clock: Clock
  /** The setting SCHEDULE. */
  readonly schedule: string
  readonly jobs: readonly Job[]
  /** The jobs that SCHEDULE enables. */
  readonly scheduled: readonly Job[]
}

/** Loads the jobs of the schedule for an operator. */
export function operatorDetails(deps: OperatorDetailsDependencies): () => Promise<object> {
  const { database, clock, schedule, jobs, scheduled } = deps
  return async () => {
    const reports = await loadJobReports(database, { jobs, scheduled, now: clock.now() })
    return { schedule, jobs: reports.map(reportJson) }
  }
}
