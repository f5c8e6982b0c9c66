import type { Config } from '../config.js'
import type { Clock } from '../core/time.js'
import type { Access } from '../domains/access/model.js'
import { credentialsOf } from '../http/identity/credentials.js'
import { readJobReports } from '../ingest/schedule/report.js'
import { reportJson } from '../ingest/schedule/report-json.js'
import type { BurstGuard } from '../platform/counters/burst-guard.js'
import type { Database } from '../platform/database/database.js'
import type { Exchange } from '../platform/request/exchange.js'
import { configuredJobs } from './configured-jobs.js'

export interface OperatorDetailsDependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly access: Pick<Access, 'recognise'>
  readonly burst: BurstGuard
}

/** The jobs of the schedule, for a caller who holds the scope admin; null for everybody else. */
export function operatorDetails(
  deps: OperatorDetailsDependencies,
): (exchange: Exchange) => Promise<object | null> {
  const { config, database, clock } = deps
  const configured = configuredJobs(config)
  return async (exchange) => {
    if (!(await isOperator(deps, exchange))) return null
    const reports = await readJobReports(database, { ...configured, now: clock.now() })
    return { schedule: config.schedule, jobs: reports.map(reportJson) }
  }
}

/**
 * The path is open: a caller that is not recognised is treated as an anonymous one. Guessing keys is limited by address,
 * as on every other path.
 */
async function isOperator(
  { access, burst }: OperatorDetailsDependencies,
  exchange: Exchange,
): Promise<boolean> {
  try {
    const { apiKey, bearer } = credentialsOf(exchange)
    if (apiKey === null && bearer === null) return false
    if (!burst.allow(exchange.origin, exchange.now).allowed) return false
    const principal = await access.recognise({ apiKey, bearer }, exchange.now)
    return principal.kind !== 'anonymous' && principal.scopes.has('admin')
  } catch {
    return false
  }
}
