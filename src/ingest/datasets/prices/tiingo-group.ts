import { orPreviousFriday } from '../../../core/calendars/days.js'
import { PROVIDERS } from '../../../core/providers.js'
import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import {
  loadProviderListings,
  type ProviderListing,
  withStatedElsewhere,
} from '../../../domains/prices/provider-store.js'
import { bindFeed, SEED_SOURCE } from '../../feed.js'
import { type FeedGroup, liveRun, runEach } from '../../feed-group.js'
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
import { splitsSink, statedDividendsSink } from './action-sinks.js'
import { pricesSink } from './ingestion.js'

/** The first request of a listing begins here. */
const FIRST_DAY = '2000-01-01' as IsoDate // safe: a calendar day

/** Later requests repeat so many days, because Tiingo corrects days of the last weeks. */
const REPEATED_DAYS = 30

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
  const all = await loadProviderListings(database, PROVIDERS.tiingo.id, TIINGO_MICS)
  const due = all.filter(({ newestDay }) => newestDay === null || newestDay < lastDay)
  const requested = due.map((listing) => ({ ...listing, from: firstDayOf(listing) }))
  const listings = await withStatedElsewhere(database, requested, [PROVIDERS.tiingo.id, SEED_SOURCE])
  return listings.flatMap(runsOf)
})

function firstDayOf({ newestDay }: ProviderListing): IsoDate {
  return newestDay === null ? FIRST_DAY : addDays(newestDay, -REPEATED_DAYS)
}

function runsOf(requested: TiingoListing) {
  const bounds = [
    bindFeed(tiingoPrices(requested), pricesSink),
    bindFeed(tiingoSplits(requested), splitsSink),
    bindFeed(tiingoDividends(requested), statedDividendsSink),
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
