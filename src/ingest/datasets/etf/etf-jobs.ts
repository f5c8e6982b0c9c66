import { toIsoDate } from '../../../core/time.js'
import { loadFilingsProgress } from '../../../domains/etf/fund-list-store.js'
import { ishares } from '../../providers/providers.js'
import { SEC_VARIABLE } from '../../providers/sec/request.js'
import { downloadBodyWith, fetchBodyWith } from '../../run/ask-for-body.js'
import { type Job, type JobContext, jobOutcomeOfSeveral, withProgress } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { runIshares } from './run-ishares.js'
import { runNport } from './run-nport.js'

const JITTER_MS = 600_000

function depsOf({ http, ...context }: JobContext) {
  return { ...context, fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
}

/** Creates the jobs for the holdings of ETFs with a known address; `masters`: the job that creates the funds. */
export function etfJobs(masters: string | null): readonly Job[] {
  const needs = masters === null ? {} : { needs: masters }
  return [
    {
      name: 'nport',
      dataset: 'etf',
      cadence: 'each day, for filings of each quarter',
      schedule: byCron('20 7 * * *', JITTER_MS),
      feeds: ['nport'],
      keyVariable: SEC_VARIABLE,
      ...needs,
      run: async (context) => {
        const summary = await runNport(depsOf(context), { signal: context.signal })
        const outcome = jobOutcomeOfSeveral(summary)
        const { all, asked, oldest } = await loadFilingsProgress(context.database)
        const since = oldest === null ? '' : `, the first on ${toIsoDate(oldest)}`
        return withProgress(
          outcome,
          all === 0 ? null : `${asked} of ${all} listed ETFs were asked for their filings${since}`,
        )
      },
    },
    {
      name: ishares.id,
      dataset: 'etf',
      cadence: 'each day',
      schedule: byCron('50 7 * * *', JITTER_MS),
      feeds: [ishares.id],
      ...needs,
      run: async (context) =>
        jobOutcomeOfSeveral(await runIshares(depsOf(context), { signal: context.signal })),
    },
  ]
}
