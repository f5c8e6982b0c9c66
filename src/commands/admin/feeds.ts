import { loadConfig } from '../../config.js'
import { loadOperatorState, operatorStateJson } from '../../ingest/operator-state.js'
import type { JobReport } from '../../ingest/schedule/report.js'
import type { LaneReport } from '../../ingest/venues/lanes/lane-report.js'
import { configuredJobs } from '../../ingest/wiring.js'
import type { RestingProvider } from '../../platform/http-client/request-turns.js'
import type { Command } from './command.js'
import { withAccess } from './installation.js'
import { table } from './table.js'

export const feeds: Command = {
  name: 'feeds',
  parameters: [],
  options: [],
  summary:
    'each job of the schedule: its node, last and next run, lag and last error; the queue of each exchange; resting providers',
  run: (given) => {
    const config = loadConfig(given.env)
    const configured = configuredJobs(config)
    return withAccess(given, async ({ database, clock }) => {
      const state = await loadOperatorState(database, { ...configured, now: clock.now() })
      const { jobs, lanes, resting } = state
      const text = `${textOf(jobs)}\n${lanesText(lanes)}\n${restingText(resting)}`
      return { json: operatorStateJson(config.schedule, state), text }
    })
  },
}

function textOf(reports: readonly JobReport[]): string {
  const shown = table(
    [
      'job',
      'dataset',
      'node',
      'status',
      'last run',
      'last success',
      'next run',
      'lag s',
      'attempts',
      'last error',
    ],
    reports.map((report) => [
      report.job,
      report.dataset,
      report.node ?? (report.isScheduled ? 'none' : null),
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

function lanesText(lanes: readonly LaneReport[]): string {
  return table(
    [
      'exchange',
      'nodes',
      'queue',
      'oldest due s',
      'requests in the last minute',
      'left alone until',
      'because',
    ],
    lanes.map((lane) => [
      lane.venue,
      lane.nodes,
      lane.queue,
      lane.oldestDueSeconds,
      lane.requestsInLastMinute,
      lane.restUntil,
      lane.restCause,
    ]),
    'no node requests bars from exchanges',
  )
}

function restingText(resting: readonly RestingProvider[]): string {
  return table(
    ['provider', 'left alone until', 'because'],
    resting.map(({ provider, until, cause }) => [provider, until, cause]),
    'no provider blocks this installation or asked for a pause',
  )
}
