import { loadFundProgress } from '../../../domains/instruments/funds/fund-classes-store.js'
import { secTickers } from '../../providers/sec/company-tickers.js'
import { secFunds } from '../../providers/sec/fund-list.js'
import { secFundNames } from '../../providers/sec/fund-names.js'
import { secSymbols } from '../../providers/sec/listed-symbols.js'
import { SEC_VARIABLE } from '../../providers/sec/request.js'
import { fetchBodyWith } from '../../run/ask-for-body.js'
import { addSummaries } from '../../run/run-feeds.js'
import { type Job, jobOutcomeOfSeveral, withProgress } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { runFundLists } from './run-fund-lists.js'
import { runUniverse } from './run-universe.js'

/**
 * Reads the SEC's lists once a day: that of tickers for identifiers of known stocks and for assets of the others, and that of
 * funds for ETFs.
 */
export function universeJob(masters: string | null): Job {
  return {
    name: 'universe',
    dataset: 'instruments',
    cadence: 'daily',
    schedule: byCron('20 10 * * *', 1_200_000),
    feeds: [secTickers.id, secSymbols.id, secFundNames.id, secFunds.id],
    keyVariable: SEC_VARIABLE,
    ...(masters === null ? {} : { needs: masters }),
    run: async ({ http, ...context }) => {
      const deps = { ...context, fetchBody: fetchBodyWith(http) }
      const companies = await runUniverse(deps)
      const funds = await runFundLists(deps)
      const outcome = jobOutcomeOfSeveral(addSummaries(companies, funds))
      const { listed, made, unnamed } = await loadFundProgress(context.database)
      const progress = `${made} of ${listed} classes of funds on exchanges have an asset; ${unnamed} wait for a name`
      return withProgress(outcome, listed === 0 ? null : progress)
    },
  }
}
