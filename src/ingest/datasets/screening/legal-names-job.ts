import { gleifRecords } from '../../providers/gleif/lei-records.js'
import { fetchBodyWith } from '../../run/ask-for-body.js'
import { type Job, jobCounts } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { runLegalNames } from './run-legal-names.js'

/** Requests the names of entities on the lists, after the lists are read. */
export const legalNamesJob: Job = {
  name: gleifRecords.id,
  dataset: gleifRecords.dataset,
  cadence: gleifRecords.cadence,
  schedule: byCron('30 6 * * *', 600_000),
  feeds: [gleifRecords.id],
  run: async ({ http, ...context }) => {
    const summary = await runLegalNames({ ...context, fetchBody: fetchBodyWith(http) })
    return { counts: jobCounts(summary), note: null, unfinished: null }
  },
}
