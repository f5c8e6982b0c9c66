import { bindFeed } from '../../feed.js'
import { sec } from '../../providers/providers.js'
import { secTickers } from '../../providers/sec/company-tickers.js'
import { secSymbols } from '../../providers/sec/listed-symbols.js'
import type { FetchBody } from '../../run/feed-body.js'
import type { RunDeps } from '../../run/run-feed.js'
import { type FeedsSummary, runFeeds } from '../../run/run-feeds.js'
import { companiesSink, listedSymbolsSink } from './ingestion.js'

/**
 * Reads the SEC's list of tickers with one request for two runs: the first gives known stocks their CIK and their new ticker,
 * the second makes assets of the other tickers.
 */
export function runUniverse(deps: RunDeps): Promise<FeedsSummary> {
  const live = { provider: sec.id, source: { kind: 'live' } } as const
  const runs = [
    { ...live, name: secTickers.id, bound: bindFeed(secTickers, companiesSink) },
    { ...live, name: secSymbols.id, bound: bindFeed(secSymbols, listedSymbolsSink) },
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
