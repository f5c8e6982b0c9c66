import { loadConfig } from '../../config.js'
import { type JobReport, loadJobReports } from '../../ingest/schedule/report.js'
import { reportJson } from '../../ingest/schedule/report-json.js'
import { configuredJobs } from '../../ingest/wiring.js'
import type { Command } from './command.js'
import { withAccess } from './installation.js'
import { table } from './table.js'

export const feeds: Command = {
  name: 'feeds',
  parameters: [],
  options: [],
  summary: 'each job of the schedule: last and next run, lag and last error',
  run: (given) => {
    const config = loadConfig(given.env)
    const configured = configuredJobs(config)
    return withAccess(given, async ({ database, clock }) => {
      const reports = await loadJobReports(database, { ...configured, now: clock.now() })
      return { json: { schedule: config.schedule, jobs: reports.map(reportJson) }, text: textOf(reports) }
    })
  },
}

function textOf(reports: readonly JobReport[]): string {
  const shown = table(
    ['job', 'dataset', 'status', 'last run', 'last success', 'next run', 'lag s', 'attempts', 'last error'],
    reports.map((report) => [
      report.job,
      report.dataset,
      report.isScheduled ? (report.status ?? 'never ran') : 'off',
      report.lastRunAt,
      report.lastSuccessAt,
      report.nextRunAt,
      report.lagSeconds,
      report.attempts,
      report.lastError,
    ]),
    'no jobs',
  )
  const cadences = table(
    ['job', 'runs'],
    reports.map(({ job, cadence }) => [job, cadence]),
    '',
  )
  return `${shown}\n${cadences}`
}
