import { loadFundProgress } from '../../../domains/instruments/funds/fund-classes-store.js'
import { bindFeed } from '../../feed.js'
import { type FeedGroup, type GroupDeps, liveRun } from '../../feed-group.js'
import { secTickers } from '../../providers/sec/company-tickers.js'
import { secFunds } from '../../providers/sec/fund-list.js'
import { secFundNames } from '../../providers/sec/fund-names.js'
import { secSymbols } from '../../providers/sec/listed-symbols.js'
import { SEC_VARIABLE } from '../../providers/sec/request.js'
import type { FetchBody } from '../../run/feed-body.js'
import { addSummaries, type FeedsSummary, runFeeds } from '../../run/run-feeds.js'
import { reportOfRuns } from '../../run-report.js'
import { byCron } from '../../schedule.js'
import { companiesSink, listedSymbolsSink } from './ingestion.js'
import { runFundLists } from './run-fund-lists.js'

/**
 * Reads the SEC's lists once a day: that of tickers for identifiers of known stocks and for assets of the others, and that of
 * funds for ETFs.
 */
export const universeGroup: FeedGroup = {
  name: 'universe',
  keyVariable: SEC_VARIABLE,
  job: {
    feeds: [secTickers.id, secSymbols.id, secFundNames.id, secFunds.id],
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
  run: async (deps) =>
    reportOfRuns('universe', 'lists', addSummaries(await runTickers(deps), await runFundLists(deps))),
}

/**
 * Reads the SEC's list of tickers with one request for two runs: the first gives known stocks their CIK and their new ticker,
 * the second makes assets of the other tickers.
 */
function runTickers(deps: GroupDeps): Promise<FeedsSummary> {
  const runs = [
    liveRun(secTickers.id, bindFeed(secTickers, companiesSink)),
    liveRun(secSymbols.id, bindFeed(secSymbols, listedSymbolsSink)),
  ]
  return runFeeds({ ...deps, fetchBody: fetchOnce(deps.fetchBody) }, runs)
}

/** Both feeds have the same URL. */
function fetchOnce(fetchBody: FetchBody): FetchBody {
  let body: ReturnType<FetchBody> | null = null
  return (request) => {
    body ??= fetchBody(request)
    return body
  }
}
