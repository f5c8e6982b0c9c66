import type { Clock } from '../../core/time.js'
import { loadOperatorState, operatorStateJson } from '../../ingest/operator-state.js'
import type { Job } from '../../ingest/schedule/job.js'
import type { Database } from '../../platform/database/database.js'

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
    return operatorStateJson(schedule, await loadOperatorState(database, { ...jobs, now: clock.now() }))
  }
}
