import {
  loadFigiProgress,
  loadListingsToAsk,
} from '../../../domains/instruments/identifiers/listed-figis-store.js'
import { loadIsinProgress, loadIsinsToAsk } from '../../../domains/instruments/isins/isin-candidates-store.js'
import type { Sql } from '../../../platform/database/database.js'
import { bindFeed, type PagedFeed, type Sink } from '../../feed.js'
import type { FeedGroup, GroupDeps } from '../../feed-group.js'
import { LISTED_FIGIS_FEED, listedFigisOf } from '../../providers/openfigi/listed-figis.js'
import { LISTED_ISINS_FEED, listedIsinsOf } from '../../providers/openfigi/listed-isins.js'
import { identifiersPerRun } from '../../providers/openfigi/mapping-feed.js'
import { runFeed } from '../../run/run-feed.js'
import { type RunReport, reportOfRun } from '../../run-report.js'
import { NO_ROWS } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { listedFigisSink, listedIsinsSink } from './ingestion.js'

const JITTER_MS = 300_000

/** Asks OpenFIGI for the FIGIs of some stocks and ETFs of the SEC's lists. */
export const listedFigisGroup: FeedGroup = {
  name: LISTED_FIGIS_FEED,
  job: {
    dataset: 'instruments',
    needsAssets: true,
    cadence: 'hourly, until each listing was asked for',
    schedule: byCron('50 * * * *', JITTER_MS),
    describeProgress: async (sql) => {
      const { all, known, open } = await loadFigiProgress(sql)
      return all === 0 ? null : `${known} of ${all} listings have a FIGI; ${open} were not asked for yet`
    },
  },
  run: runSome(LISTED_FIGIS_FEED, loadListingsToAsk, listedFigisOf, listedFigisSink),
}

/** Asks OpenFIGI which FIGIs some ISINs of holdings have. */
export const listedIsinsGroup: FeedGroup = {
  name: LISTED_ISINS_FEED,
  job: {
    dataset: 'instruments',
    needsAssets: true,
    cadence: 'hourly, until each ISIN of a holding was asked for',
    schedule: byCron('5 * * * *', JITTER_MS),
    describeProgress: async (sql) => {
      const { all, known, open } = await loadIsinProgress(sql)
      return all === 0
        ? null
        : `${known} of ${all} listings have an ISIN; ${open} ISINs of holdings were not asked for yet`
    },
  },
  run: runSome(LISTED_ISINS_FEED, loadIsinsToAsk, listedIsinsOf, listedIsinsSink),
}

/** Asks for some identifiers. A run is stored as a whole, and the next one goes on where it ended. */
function runSome<Item, Row>(
  name: string,
  loadItems: (sql: Sql, now: Date, limit: number) => Promise<readonly Item[]>,
  feedOf: (items: readonly Item[], apiKey: string | null) => PagedFeed<Row>,
  sink: Sink<Row>,
) {
  return async (deps: GroupDeps): Promise<RunReport> => {
    const { database, clock, settings } = deps
    const items = await loadItems(database, clock.now(), identifiersPerRun(settings.openFigiKey))
    if (items.length === 0)
      return {
        summary: NO_ROWS,
        text: `${name}: nothing to ask for\n`,
        isEmpty: false,
        counts: NO_ROWS,
        note: null,
      }
    const bound = bindFeed(feedOf(items, settings.openFigiKey), sink)
    return reportOfRun(name, await runFeed(deps, bound, { kind: 'live' }))
  }
}
