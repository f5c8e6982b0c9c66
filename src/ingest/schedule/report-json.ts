import type { JobReport } from './report.js'

/** The report as JSON for the operator's tool and `/readyz`. */
export function reportJson(report: JobReport) {
  return {
    job: report.job,
    dataset: report.dataset,
    cadence: report.cadence,
    scheduled: report.isScheduled,
    node: report.node,
    status: report.status,
    attempts: report.attempts,
    last_run_at: report.lastRunAt,
    last_success_at: report.lastSuccessAt,
    next_run_at: report.nextRunAt,
    lag_seconds: report.lagSeconds,
    last_error: report.lastError,
  }
}
