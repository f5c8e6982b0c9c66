import type { Config } from '../config.js'
import type { Clock } from '../core/time.js'
import { readJobReports } from '../ingest/schedule/report.js'
import { reportJson } from '../ingest/schedule/report-json.js'
import type { Database } from '../platform/database/database.js'
import { configuredJobs } from './configured-jobs.js'

export interface OperatorDetailsDependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
}

/** The jobs of the schedule, for an operator. */
export function operatorDetails({
  config,
  database,
  clock,
}: OperatorDetailsDependencies): () => Promise<object> {
  const configured = configuredJobs(config)
  return async () => {
    const reports = await readJobReports(database, { ...configured, now: clock.now() })
    return { schedule: config.schedule, jobs: reports.map(reportJson) }
  }
}
