import type { Config } from '../../../config.js'
import { IngestError } from '../../../ingest/feed.js'
import { type JobReport, loadJobReports } from '../../../ingest/schedule/report.js'
import { type ConfiguredJobs, configuredJobs } from '../../../ingest/wiring.js'
import type { Sql } from '../../../platform/database/database.js'
import { commandLine } from '../../../platform/installation/command-line.js'
import { ageText, type Finding, ok, problem, warning } from './finding.js'

/** Attempts after which a failure is reported. Earlier ones are repeated within seconds. */
const ATTEMPTS_TO_WARN = 2

/** A job that is due for longer does not run: the longest pause between two attempts is 15 min. */
const LAG_TO_WARN_S = 20 * 60

/** Checks the last run and the lag of each enabled job. */
export async function checkJobs(sql: Sql, config: Config, now: Date): Promise<readonly Finding[]> {
  const configured = configuredOr(config)
  if (configured instanceof IngestError) return [problem('schedule', configured.message, 'correct SCHEDULE')]
  if (configured.scheduled.length === 0) return [ok('schedule', `off (SCHEDULE=${config.schedule})`)]
  const reports = await loadJobReports(sql, { ...configured, now })
  const isRunning = reports.some(({ node }) => node !== null)
  return reports.filter(({ isScheduled }) => isScheduled).map((report) => judgeJob(report, now, isRunning))
}

/** `isRunning`: whether a node has jobs. */
function judgeJob(report: JobReport, now: Date, isRunning: boolean): Finding {
  const { job, status, attempts, lagSeconds, detail, lastError } = report
  const check = `job ${job}`
  const reason = lastError ?? 'no reason was recorded'
  const behind = lagSeconds === 0 ? '' : `, ${ageText(lagSeconds)} behind`
  if (isRunning && report.node === null) {
    const advice = `start a node whose SCHEDULE has it; ${commandLine('admin')} feeds shows the node of each job`
    return warning(check, `no node runs it${behind}`, advice)
  }
  if (status === 'retrying' && attempts >= ATTEMPTS_TO_WARN) {
    const message = `${attempts} attempts failed or did not finish${behind}: ${reason}`
    return warning(check, message, 'remove the cause; the schedule tries again by itself')
  }
  if (lagSeconds > LAG_TO_WARN_S) {
    const message = `${lastRunText(report, now)}${behind}`
    const advice = `check that a gateway with this SCHEDULE runs, and read its log; ${commandLine('admin')} feeds shows all jobs`
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
  return `last run${age} ${status === 'running' ? 'is running' : status === 'retrying' ? 'will be repeated' : 'succeeded'}`
}

/** The feeds that the jobs of this installation run. */
export function scheduledFeeds(config: Config): readonly string[] {
  const configured = configuredOr(config)
  return configured instanceof IngestError ? [] : configured.scheduled.flatMap(({ feeds }) => feeds)
}

/** Returns the error if SCHEDULE contains an unknown name. */
function configuredOr(config: Config): ConfiguredJobs | IngestError {
  try {
    return configuredJobs(config)
  } catch (error) {
    if (error instanceof IngestError) return error
    throw error
  }
}
