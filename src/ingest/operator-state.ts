import type { Sql } from '../platform/database/database.js'
import {
  loadRestingProviders,
  type RestingProvider,
  restJson,
} from '../platform/http-client/request-turns.js'
import { type JobReport, loadJobReports, type ReportInput } from './schedule/report.js'
import { reportJson } from './schedule/report-json.js'
import { type LaneReport, laneJson, loadLaneReports } from './venues/lanes/lane-report.js'

/** What runs for an operator's schedule, and what waits. */
export interface OperatorState {
  readonly jobs: readonly JobReport[]
  readonly lanes: readonly LaneReport[]
  readonly resting: readonly RestingProvider[]
}

/** Loads the jobs of the schedule, the lanes of the exchanges and the resting providers. */
export async function loadOperatorState(sql: Sql, facts: ReportInput): Promise<OperatorState> {
  const jobs = await loadJobReports(sql, facts)
  const lanes = await loadLaneReports(sql, facts.now)
  return { jobs, lanes, resting: await loadRestingProviders(sql) }
}

/** The state as JSON for the operator's tool and `/readyz`. `schedule` is the setting. */
export function operatorStateJson(schedule: string, { jobs, lanes, resting }: OperatorState) {
  return {
    schedule,
    jobs: jobs.map(reportJson),
    lanes: lanes.map(laneJson),
    resting: resting.map(restJson),
  }
}
