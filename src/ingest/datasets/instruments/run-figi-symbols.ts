import { loadFigis } from '../../../domains/instruments/figi-symbols-store.js'
import { bindFeed } from '../../feed.js'
import { figiSymbolsOf } from '../../providers/openfigi/figi-symbols.js'
import { jobsPerRequest, type OpenFigiAccount } from '../../providers/openfigi/mapping-request.js'
import type { RunDeps } from '../../run/run-feed.js'
import { type FeedsSummary, runFeeds } from '../../run/run-feeds.js'
import { figiSymbolsSink } from './ingestion.js'

export interface FigiSymbolsDeps extends RunDeps {
  readonly signal?: AbortSignal
}

/**
 * Asks OpenFIGI for the ticker of each FIGI of the followed stocks and ETFs, several with a request and each request as a separate run.
 */
export async function runFigiSymbols(deps: FigiSymbolsDeps, account: OpenFigiAccount): Promise<FeedsSummary> {
  const size = jobsPerRequest(account)
  const figis = await loadFigis(deps.database)
  const runs = Array.from({ length: Math.ceil(figis.length / size) }, (_, at) => {
    const part = figis.slice(at * size, (at + 1) * size)
    const feed = figiSymbolsOf(part, account)
    return {
      name: `FIGIs ${at * size + 1} to ${at * size + part.length}`,
      provider: feed.provider.id,
      bound: bindFeed(feed, figiSymbolsSink),
      source: { kind: 'live' } as const,
    }
  })
  const { signal } = deps
  return runFeeds(deps, runs, signal === undefined ? {} : { signal })
}
