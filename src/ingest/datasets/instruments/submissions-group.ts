import { loadMasters } from '../../../domains/instruments/masters/masters-store.js'
import { LIST_SOURCES } from '../../../domains/instruments/model.js'
import { bindFeed } from '../../feed.js'
import { type FeedGroup, liveRun, runEach } from '../../feed-group.js'
import { secSubmissions, submissionsRequest } from '../../providers/sec/submissions.js'
import type { FeedsSummary } from '../../run/run-feeds.js'
import { byCron } from '../../schedule.js'
import { companiesSink } from './ingestion.js'

const { id, dataset, cadence, keyVariable } = secSubmissions

/** Requests the names and tickers of each followed stock that has a CIK from the SEC, once a week. */
export const submissionsGroup: FeedGroup<FeedsSummary> = {
  name: id,
  keyVariable,
  job: { dataset, cadence, schedule: byCron('40 10 * * 6', 1_200_000), needsAssets: true },
  command: { options: ['file'] },
  run: runEach(id, 'companies', async ({ database }) => {
    const masters = await loadMasters(database)
    return masters.flatMap(({ assetClass, ticker, cik, source }) => {
      if (assetClass !== 'stock' || cik === null || LIST_SOURCES.includes(source)) return []
      const feed = { ...secSubmissions, request: () => submissionsRequest(cik) }
      return [liveRun(ticker, bindFeed(feed, companiesSink))]
    })
  }),
}
