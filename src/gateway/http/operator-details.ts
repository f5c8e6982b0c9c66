import type { Clock } from '../../core/time.js'
import type { Job } from '../../ingest/schedule/job.js'
import { loadJobReports } from '../../ingest/schedule/report.js'
import { reportJson } from '../../ingest/schedule/report-json.js'
import { laneJson, loadLaneReports } from '../../ingest/venues/lanes/lane-report.js'
import type { Database } from '../../platform/database/database.js'
import { loadRestingProviders, restJson } from '../../platform/http-client/request-turns.js'

export interface OperatorDetailsDependencies {
  readonly database: Database
  readonly clock: Clock
  /** The setting SCHEDULE as it was read last, all jobs, and those that it enables. */
  readonly schedule: () => {
    readonly schedule: string
    readonly jobs: readonly Job[]
    readonly scheduled: readonly Job[]
  }
}

/** Loads the jobs of the schedule, the lanes of the exchanges and the resting providers for an operator. */
export function operatorDetails(deps: OperatorDetailsDependencies): () => Promise<object> {
  const { database, clock } = deps
  return async () => {
    const { schedule, ...jobs } = deps.schedule()
    const now = clock.now()
    const reports = await loadJobReports(database, { ...jobs, now })
    const lanes = await loadLaneReports(database, now)
    const resting = await loadRestingProviders(database)
    return {
      schedule,
      jobs: reports.map(reportJson),
      lanes: lanes.map(laneJson),
      resting: resting.map(restJson),
    }
  }
}
