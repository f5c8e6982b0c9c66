import { companyFactsFile } from '../../providers/sec/company-facts.js'
import { downloadBodyWith } from '../../run/ask-for-body.js'
import { type Job, jobOutcomeOfSeveral } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { runCompanyFacts } from './run-company-facts.js'

/** Requests the figures of every followed stock that has a CIK, at night in New York. */
export function companyFactsJob(masters: string | null): Job {
  const { id, dataset, cadence, keyVariable } = companyFactsFile
  return {
    name: id,
    dataset,
    cadence,
    schedule: byCron('10 8 * * *', 600_000),
    feeds: [id],
    ...(keyVariable === undefined ? {} : { keyVariable }),
    ...(masters === null ? {} : { needs: masters }),
    run: async ({ http, signal, ...context }) =>
      jobOutcomeOfSeveral(await runCompanyFacts(context, { downloadBody: downloadBodyWith(http), signal })),
  }
}
