import type { Config } from '../../config.js'
import { IngestError } from '../../ingest/feed.js'
import type { Job } from '../../ingest/schedule/job.js'
import { type JobReport, loadJobReports } from '../../ingest/schedule/report.js'
import { type ConfiguredJobs, configuredJobs } from '../../ingest/wiring.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { loadInstalledAt } from '../../platform/installation/installed-at.js'
import type { CheckWorld } from '../check.js'
import {
  ageSeconds,
  ageText,
  type Facts,
  type Finding,
  NO_REASON,
  off,
  ok,
  problem,
  warning,
} from '../finding.js'

/** Attempts after which a failure is reported. Earlier ones are repeated within seconds. */
const ATTEMPTS_TO_WARN = 2

/** A job that is due for longer does not run: the longest pause between two attempts is 15 min. */
const LAG_TO_WARN_S = 20 * 60

/** Checks the last run and the lag of each job. */
export async function checkJobs({ database, config, clock }: CheckWorld): Promise<readonly Finding[]> {
  const configured = configuredOr(config)
  if (configured instanceof IngestError) return [problem('schedule', configured.message, 'correct SCHEDULE')]
  const now = clock.now()
  const installedAt = await loadInstalledAt(database)
  const reports = await loadJobReports(database, { ...configured, now, installedAt })
  const isRunning = reports.some(({ node }) => node !== null)
  return reports.map((report) => {
    const finding = report.isScheduled
      ? judgeJob(report, now, isRunning)
      : off(`job ${report.job}`, `not in SCHEDULE=${config.schedule}`, `add ${report.job} to SCHEDULE`)
    return { ...finding, facts: factsOf(report) }
  })
}

/** The report for the operator's lists. */
function factsOf(report: JobReport): Facts {
  return {
    job: report.job,
    dataset: report.dataset,
    scheduled: report.isScheduled,
    node: report.node,
    status: report.status,
    attempts: report.attempts,
    last_run_at: report.lastRunAt,
    last_success_at: report.lastSuccessAt,
    next_run_at: report.nextRunAt,
    lag_seconds: report.lagSeconds,
    cadence: report.cadence,
    last_error: report.lastError,
  }
}

/** `isRunning`: whether a node has jobs. */
function judgeJob(report: JobReport, now: Date, isRunning: boolean): Finding {
  const { job, status, attempts, lagSeconds, detail, lastError } = report
  const check = `job ${job}`
  const reason = lastError ?? NO_REASON
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
  const age = lastRunAt === null ? '' : ` ${ageText(ageSeconds(lastRunAt, now))} ago`
  return `last run${age} ${status === 'running' ? 'is running' : status === 'retrying' ? 'will be repeated' : 'succeeded'}`
}

/** The jobs of this installation; none if SCHEDULE is wrong, which the check of the jobs reports. */
export function scheduledJobs(config: Config): readonly Job[] {
  const configured = configuredOr(config)
  return configured instanceof IngestError ? [] : configured.scheduled
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
