import { secSubmissions } from '../../providers/sec/submissions.js'
import { fetchBodyWith } from '../../run/ask-for-body.js'
import { type Job, jobOutcomeOfSeveral } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { runSubmissions } from './run-submissions.js'

/** Requests the names and tickers of each US company from the SEC once a week. */
export function submissionsJob(masters: string | null): Job {
  const { id, dataset, cadence, keyVariable } = secSubmissions
  return {
    name: id,
    dataset,
    cadence,
    schedule: byCron('40 10 * * 6', 1_200_000),
    feeds: [id],
    ...(keyVariable === undefined ? {} : { keyVariable }),
    ...(masters === null ? {} : { needs: masters }),
    run: async ({ http, ...context }) =>
      jobOutcomeOfSeveral(await runSubmissions({ ...context, fetchBody: fetchBodyWith(http) })),
  }
}
