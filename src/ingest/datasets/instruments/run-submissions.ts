import { loadMasters } from '../../../domains/instruments/masters-store.js'
import { LIST_SOURCES } from '../../../domains/instruments/model.js'
import { bindFeed } from '../../feed.js'
import { secSubmissions, submissionsRequest } from '../../providers/sec/submissions.js'
import type { RunDeps } from '../../run/run-feed.js'
import type { NamedRun } from '../../run/run-feeds.js'
import { type FeedsSummary, runFeeds } from '../../run/run-feeds.js'
import { companiesSink } from './ingestion.js'

export interface SubmissionsDeps extends RunDeps {
  readonly signal?: AbortSignal
}

/** Requests each followed stock that has a CIK from the SEC, one after another, each as a separate run. */
export async function runSubmissions(deps: SubmissionsDeps): Promise<FeedsSummary> {
  const { signal } = deps
  const masters = await loadMasters(deps.database)
  const runs = masters.flatMap(({ assetClass, ticker, cik, source }): readonly NamedRun[] => {
    if (assetClass !== 'stock' || cik === null || LIST_SOURCES.includes(source)) return []
    const feed = { ...secSubmissions, request: () => submissionsRequest(cik) }
    return [
      {
        name: ticker,
        provider: feed.provider.id,
        bound: bindFeed(feed, companiesSink),
        source: { kind: 'live' },
      },
    ]
  })
  return runFeeds(deps, runs, signal === undefined ? {} : { signal })
}
