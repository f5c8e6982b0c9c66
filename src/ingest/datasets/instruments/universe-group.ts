import { loadFundProgress } from '../../../domains/instruments/funds/fund-classes-store.js'
import { bindFeed } from '../../feed.js'
import { type FeedGroup, liveRun } from '../../feed-group.js'
import { secFunds } from '../../providers/sec/fund-list.js'
import { secFundNames } from '../../providers/sec/fund-names.js'
import { secSymbols } from '../../providers/sec/listed-symbols.js'
import { SEC_VARIABLE } from '../../providers/sec/request.js'
import { addSummaries, runFeeds } from '../../run/run-feeds.js'
import { reportOfRuns } from '../../run-report.js'
import { byCron } from '../../schedule.js'
import { listedSymbolsSink } from './ingestion.js'
import { runFundLists } from './run-fund-lists.js'

/**
 * Reads the SEC's lists once a day: that of tickers for identifiers of known stocks and for assets of the others, and that of
 * funds for ETFs.
 */
export const universeGroup: FeedGroup = {
  name: 'universe',
  keyVariable: SEC_VARIABLE,
  job: {
    feeds: [secSymbols.id, secFundNames.id, secFunds.id],
    dataset: 'instruments',
    cadence: 'daily',
    schedule: byCron('20 10 * * *', 1_200_000),
    needsAssets: true,
    describeProgress: async (sql) => {
      const { listed, made, unnamed } = await loadFundProgress(sql)
      return listed === 0
        ? null
        : `${made} of ${listed} classes of funds on exchanges have an asset; ${unnamed} wait for a name`
    },
  },
  run: async (deps) => {
    const tickers = await runFeeds(deps, [liveRun(secSymbols.id, bindFeed(secSymbols, listedSymbolsSink))])
    return reportOfRuns('universe', 'lists', addSummaries(tickers, await runFundLists(deps)))
  },
}
