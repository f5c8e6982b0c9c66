import { loadFunds } from '../../../domains/etf/fund-list-store.js'
import { bindFeed } from '../../feed.js'
import { isharesHoldings } from '../../providers/ishares/holdings-csv.js'
import { ishares } from '../../providers/providers.js'
import type { RunDeps } from '../../run/run-feed.js'
import { type FeedsSummary, type NamedRun, type RunFeedsOptions, runFeeds } from '../../run/run-feeds.js'
import { etfSink } from './ingestion.js'
import { runFundFeed } from './run-fund-feed.js'

/** Reads the newest holdings of each iShares fund with a known address. Throws like `runFeeds`. */
export async function runIshares(deps: RunDeps, { signal }: RunFeedsOptions = {}): Promise<FeedsSummary> {
  const funds = await loadFunds(deps.database)
  const runs = funds
    .filter(({ isharesUrl }) => isharesUrl !== null)
    .map((fund): NamedRun => {
      const bound = bindFeed(isharesHoldings(fund), etfSink)
      return { name: fund.ticker, provider: ishares.id, bound, source: { kind: 'live' } }
    })
  return runFeeds(deps, runs, { run: runFundFeed, ...(signal === undefined ? {} : { signal }) })
}
