import { orPreviousFriday } from '../../../core/calendars/days.js'
import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import {
  loadProviderListings,
  type ProviderListing,
  withStatedElsewhere,
} from '../../../domains/prices/provider-store.js'
import { recordActionChanges } from '../../../domains/stocks/changes/change-record-store.js'
import type { ActionRow, DividendRow } from '../../../domains/stocks/model.js'
import { writeActions, writeDividends } from '../../../domains/stocks/store.js'
import type { Known, WriteCounts } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import { bindFeed, SEED_SOURCE, type Sink } from '../../feed.js'
import { type FeedGroup, liveRun, runEach } from '../../feed-group.js'
import { tiingo } from '../../providers/providers.js'
import {
  TIINGO_DIVIDENDS_FEED,
  TIINGO_MICS,
  TIINGO_PRICES_FEED,
  TIINGO_SPLITS_FEED,
  type TiingoListing,
  tiingoDividends,
  tiingoPrices,
  tiingoSplits,
} from '../../providers/tiingo/daily-feeds.js'
import type { FetchBody } from '../../run/feed-body.js'
import type { FeedsSummary } from '../../run/run-feeds.js'
import { byCron } from '../../schedule.js'
import { removeSeedActions, removeSeedDividends } from '../stocks/ingestion.js'
import { pricesSink } from './ingestion.js'

/** The first request of a listing begins here. */
const FIRST_DAY = '2000-01-01' as IsoDate // safe: a calendar day

/** Later requests repeat so many days, because Tiingo corrects days of the last weeks. */
const REPEATED_DAYS = 30

/** Writes rows and records what changed with them. */
function recorded<Row extends { readonly assetId: number }>(
  write: (tx: Transaction, rows: readonly Row[], known: Known) => Promise<WriteCounts>,
): Sink<Row>['write'] {
  return async (tx, rows, known) => {
    const counts = await write(tx, rows, known)
    await recordActionChanges(
      tx,
      rows.map(({ assetId }) => assetId),
      known,
    )
    return counts
  }
}

/** Splits that a provider states. A body withdraws nothing, because it holds the last days only. */
const splitsSink: Sink<ActionRow> = {
  write: recorded(writeActions),
  removeSeed: removeSeedActions,
  newest: (_actions, { knownAt }) => knownAt,
}

/** As above. */
const dividendsSink: Sink<DividendRow> = {
  write: recorded(writeDividends),
  removeSeed: removeSeedDividends,
  newest: (_dividends, { knownAt }) => knownAt,
}

/**
 * Requests the days of each listing in the United States from Tiingo after the close in New York, one request after another,
 * those with the oldest prices first. Each listing is three runs in the ledger: prices, splits and dividends. A listing whose prices reach the
 * last weekday gets no request, so an attempt after a failure continues where the one before it ended. Throws RetryLater
 * when a limit of the plan is used up.
 */
export const tiingoGroup: FeedGroup<FeedsSummary> = {
  name: TIINGO_PRICES_FEED,
  keyVariable: 'TIINGO_API_KEY',
  job: {
    feeds: [TIINGO_PRICES_FEED, TIINGO_SPLITS_FEED, TIINGO_DIVIDENDS_FEED],
    dataset: 'prices',
    cadence: 'each evening in New York; needs TIINGO_API_KEY',
    schedule: byCron('30 1 * * *', 600_000),
    needsAssets: true,
  },
  run: (deps, selection) => runListings({ ...deps, fetchBody: oncePerListing(deps.fetchBody) }, selection),
}

const runListings = runEach(TIINGO_PRICES_FEED, 'listings', async ({ database, clock }) => {
  const lastDay = orPreviousFriday(addDays(toIsoDate(clock.now()), -1))
  const all = await loadProviderListings(database, tiingo.id, TIINGO_MICS)
  const due = all.filter(({ newestDay }) => newestDay === null || newestDay < lastDay)
  const requested = due.map((listing) => ({ ...listing, from: firstDayOf(listing) }))
  const listings = await withStatedElsewhere(database, requested, [tiingo.id, SEED_SOURCE])
  return listings.flatMap(runsOf)
})

function firstDayOf({ newestDay }: ProviderListing): IsoDate {
  return newestDay === null ? FIRST_DAY : addDays(newestDay, -REPEATED_DAYS)
}

function runsOf(requested: TiingoListing) {
  const bounds = [
    bindFeed(tiingoPrices(requested), pricesSink),
    bindFeed(tiingoSplits(requested), splitsSink),
    bindFeed(tiingoDividends(requested), dividendsSink),
  ]
  return bounds.map((bound) => liveRun(`${requested.ticker} (${bound.feed.dataset})`, bound))
}

/** The three feeds of a listing read one body, so its request is sent once. */
function oncePerListing(fetchBody: FetchBody): FetchBody {
  let last: { readonly url: string; readonly body: Promise<Uint8Array> } | null = null
  return (request) => {
    if (last?.url !== request.url) last = { url: request.url, body: fetchBody(request) }
    return last.body
  }
}
