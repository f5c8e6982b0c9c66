import { loadFigis } from '../../../domains/instruments/figi-symbols-store.js'
import { bindFeed } from '../../feed.js'
import { FIGI_LIMITS, figiSymbolsOf } from '../../providers/openfigi/figi-symbols.js'
import type { OpenFigiAccount } from '../../providers/openfigi/mapping-request.js'
import type { RunDeps } from '../../run/run-feed.js'
import { type FeedsSummary, runFeeds } from '../../run/run-feeds.js'
import { figiSymbolsSink } from './ingestion.js'

export interface FigiSymbolsDeps extends RunDeps {
  /** Milliseconds between two requests; by default the published limit. */
  readonly pauseMs?: number
  readonly signal?: AbortSignal
}

/**
 * Asks OpenFIGI for the ticker of each FIGI of the followed stocks and ETFs, several with a request and each request as a separate run,
 * at the published limits.
 */
export async function runFigiSymbols(deps: FigiSymbolsDeps, account: OpenFigiAccount): Promise<FeedsSummary> {
  const limit = account.apiKey === null ? FIGI_LIMITS.withoutKey : FIGI_LIMITS.withKey
  const figis = await loadFigis(deps.database)
  const runs = Array.from({ length: Math.ceil(figis.length / limit.figis) }, (_, at) => {
    const part = figis.slice(at * limit.figis, (at + 1) * limit.figis)
    const feed = figiSymbolsOf(part, account)
    return {
      name: `FIGIs ${at * limit.figis + 1} to ${at * limit.figis + part.length}`,
      provider: feed.provider.id,
      bound: bindFeed(feed, figiSymbolsSink),
      source: { kind: 'live' } as const,
    }
  })
  const { pauseMs = limit.pauseMs, signal } = deps
  return runFeeds(deps, runs, { pauseMs, ...(signal === undefined ? {} : { signal }) })
}
