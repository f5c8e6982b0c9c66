import type { Config } from '../../../config.js'
import { IngestError } from '../../../ingest/feed.js'
import { type JobReport, loadJobReports } from '../../../ingest/schedule/report.js'
import { type ConfiguredJobs, configuredJobs } from '../../../ingest/wiring.js'
import type { Sql } from '../../../platform/database/database.js'
import { commandLine } from '../../../platform/installation/command-line.js'
import { ageText, type Finding, ok, problem, warning } from './finding.js'

/** A run that failed once is tried again within seconds; from then on somebody should look. */
const ATTEMPTS_TO_WARN = 2

/** The longest pause between two attempts is 15 min: what is open for longer is not being run. */
const LAG_TO_WARN_S = 20 * 60

/** Per scheduled job when it ran last, how that ended, and how far it is behind; jobs that are off are left out. */
export async function checkJobs(sql: Sql, config: Config, now: Date): Promise<readonly Finding[]> {
  const configured = configuredOr(config)
  if (configured instanceof IngestError) return [problem('schedule', configured.message, 'correct SCHEDULE')]
  if (configured.scheduled.length === 0) return [ok('schedule', `off (SCHEDULE=${config.schedule})`)]
  const reports = await loadJobReports(sql, { ...configured, now })
  return reports.filter(({ isScheduled }) => isScheduled).map((report) => judgeJob(report, now))
}

function judgeJob(report: JobReport, now: Date): Finding {
  const { job, status, attempts, lagSeconds, detail, lastError } = report
  const check = `job ${job}`
  const reason = lastError ?? 'no reason was noted'
  const behind = lagSeconds === 0 ? '' : `, ${ageText(lagSeconds)} behind`
  if (status === 'retrying' && attempts >= ATTEMPTS_TO_WARN) {
    const message = `${attempts} attempts are not done${behind}: ${reason}`
    return warning(check, message, 'remove the cause; the schedule tries again by itself')
  }
  if (lagSeconds > LAG_TO_WARN_S) {
    const message = `${lastRunText(report, now)}${behind}`
    const advice = `see that a gateway with this SCHEDULE runs, and its log; ${commandLine('admin')} feeds has all jobs`
    return warning(check, message, advice)
  }
  const why = status === 'retrying' ? `: ${reason}` : detail === null ? '' : `, but ${detail}`
  return ok(check, `${lastRunText(report, now)}${behind}${why}`)
}

function lastRunText({ lastRunAt, status }: JobReport, now: Date): string {
  if (status === null) return 'never ran'
  const age =
    lastRunAt === null
      ? ''
      : ` ${ageText(Math.max(0, Math.floor((now.getTime() - lastRunAt.getTime()) / 1_000)))} ago`
  return `last run${age} ${status === 'running' ? 'is under way' : status === 'retrying' ? 'is tried again' : 'succeeded'}`
}

/** The feeds that the jobs of this installation run. */
export function scheduledFeeds(config: Config): readonly string[] {
  const configured = configuredOr(config)
  return configured instanceof IngestError ? [] : configured.scheduled.flatMap(({ feeds }) => feeds)
}

/** The error says which name in SCHEDULE there is not. */
function configuredOr(config: Config): ConfiguredJobs | IngestError {
  try {
    return configuredJobs(config)
  } catch (error) {
    if (error instanceof IngestError) return error
    throw error
  }
}
