import { loadFigis } from '../../../domains/instruments/symbols/figi-symbols-store.js'
import { bindFeed } from '../../feed.js'
import { type FeedGroup, liveRun, runEach } from '../../feed-group.js'
import { figiSymbols, figiSymbolsOf } from '../../providers/openfigi/figi-symbols.js'
import { jobsPerRequest } from '../../providers/openfigi/mapping-request.js'
import type { FeedsSummary } from '../../run/run-feeds.js'
import { byCron } from '../../schedule.js'
import { figiSymbolsSink } from './ingestion.js'

const { id, dataset, cadence } = figiSymbols

/**
 * Asks OpenFIGI once a week for the ticker of each FIGI of the followed stocks and ETFs, several with a request and each request
 * as a separate run.
 */
export const figiSymbolsGroup: FeedGroup<FeedsSummary> = {
  name: id,
  job: {
    dataset,
    cadence,
    schedule: byCron('20 11 * * 6', 1_200_000),
    needsAssets: true,
  },
  command: { options: ['file'] },
  run: runEach(id, 'answers', async ({ database, settings: { openFigiKey } }) => {
    const size = jobsPerRequest(openFigiKey)
    const figis = await loadFigis(database)
    return Array.from({ length: Math.ceil(figis.length / size) }, (_, at) => {
      const part = figis.slice(at * size, (at + 1) * size)
      const name = `FIGIs ${at * size + 1} to ${at * size + part.length}`
      return liveRun(name, bindFeed(figiSymbolsOf(part, openFigiKey), figiSymbolsSink))
    })
  }),
}
