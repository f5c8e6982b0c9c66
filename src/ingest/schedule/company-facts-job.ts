import { byCron } from '../../core/schedule.js'
import { companyFactsFile } from '../providers/sec/company-facts.js'
import { downloadFromSec, runCompanyFacts } from '../run-company-facts.js'
import { type Job, jobCounts } from './job.js'

/** Failures that a note names. */
const MAX_NAMED = 5

/** Asks for the figures of every stock that has a CIK, at night in New York. */
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
    run: async ({ http, signal, ...context }) => {
      const summary = await runCompanyFacts(context, { downloadBody: downloadFromSec(http), signal })
      const { failed } = summary
      const named = failed.slice(0, MAX_NAMED).map(({ name, reason }) => `${name}: ${reason}`)
      const note = failed.length === 0 ? null : `${failed.length} companies failed: ${named.join('; ')}`
      return { counts: jobCounts(summary), note, unfinished: null }
    },
  }
}
