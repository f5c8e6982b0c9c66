import { calendarByCode } from '../../../core/calendars/calendars.js'
import { sessionsBetween } from '../../../core/calendars/trading-calendar.js'
import { PROVIDERS } from '../../../core/providers.js'
import { addDays, type IsoDate, MINUTE_MS, toIsoDate } from '../../../core/time.js'
import { LISTED_EXCHANGES } from '../../../domains/instruments/symbols/listed-symbols-model.js'
import {
  loadProviderListings,
  type ProviderListing,
  withStatedElsewhere,
} from '../../../domains/prices/provider-store.js'
import { bindFeed, SEED_SOURCE } from '../../feed.js'
import { type FeedGroup, liveRun, runEach } from '../../feed-group.js'
import { ALPACA_KEY } from '../../providers/alpaca/alpaca.js'
import { ALPACA_BARS_FEED, alpacaBars } from '../../providers/alpaca/bars.js'
import { ALPACA_SPLITS_FEED, alpacaSplits } from '../../providers/alpaca/splits.js'
import type { FeedsSummary } from '../../run/run-feeds.js'
import { byCron } from '../../schedule.js'
import { splitsSink } from './action-sinks.js'
import { pricesSink } from './ingestion.js'

/** The first request of a listing goes back a year and a month: more would be millions of rows. Splits have the same range. */
const FIRST_DAYS = 400

/** Later requests repeat so many days, because Alpaca corrects days. */
const REPEATED_DAYS = 7

/** Symbols of a request, so that its address stays below 1,000 characters. */
const BATCH_LISTINGS = 100

/** The free plan refuses the last 15 minutes of the consolidated tape. */
const DELAY_MS = 15 * MINUTE_MS

/** No exchange closes for so long. */
const MAX_CLOSED_DAYS = 10

/** The tape has the securities of the exchanges, not those that trade over the counter. */
const EXCHANGES = LISTED_EXCHANGES.filter(({ exchange }) => exchange !== 'OTC')
const MICS = EXCHANGES.flatMap(({ markets }) => markets)
const NAMES = EXCHANGES.map(({ exchange }) => exchange)

/**
 * Requests the days of all listings of the exchanges in the United States from Alpaca, a hundred listings with each request: 99
 * requests for 9,900 listings, half a minute at 200 a minute. Each hundred is a run in the ledger. A listing whose prices reach
 * the last session gets no request, so an attempt after a failure continues where the one before it ended.
 */
export const alpacaGroup: FeedGroup<FeedsSummary> = {
  name: ALPACA_BARS_FEED,
  keyVariable: ALPACA_KEY,
  job: {
    feeds: [ALPACA_BARS_FEED, ALPACA_SPLITS_FEED],
    dataset: 'prices',
    cadence: 'after each session in New York; needs ALPACA_API_KEY_ID',
    // The last trades of a day are those of the evening in New York.
    schedule: byCron('30 1 * * 2-6', 600_000),
    needsAssets: true,
  },
  run: runEach(ALPACA_BARS_FEED, 'requests', async ({ database, clock }) => {
    const { date: to, end } = lastSession(clock.now())
    const all = await loadProviderListings(database, PROVIDERS.alpaca.id, MICS, NAMES)
    const due = all.filter(({ newestDay }) => newestDay === null || newestDay < to)
    if (due.length === 0) return []
    const first = addDays(to, -FIRST_DAYS)
    const own = [PROVIDERS.alpaca.id, SEED_SOURCE]
    const listings = await withStatedElsewhere(
      database,
      all.map((listing) => ({ ...listing, from: first })),
      own,
    )
    const splits = bindFeed(alpacaSplits({ listings, from: first, to }), splitsSink)
    return [
      liveRun('splits', splits),
      ...batchesOf(due, first).map(({ batch, from }) => {
        const [{ ticker: begin }, { ticker: last }] = [batch[0], batch.at(-1) ?? batch[0]]
        const bars = alpacaBars({ listings: batch, from, to, end })
        return liveRun(`${begin} to ${last}`, bindFeed(bars, pricesSink))
      }),
    ]
  }),
}

/** The last session of New York that ended before the delay, and its end. The body of a running session would be unfinished. */
function lastSession(now: Date): { readonly date: IsoDate; readonly end: Date } {
  const calendar = calendarByCode('XNYS')
  const today = toIsoDate(now)
  const sessions =
    calendar === undefined ? [] : sessionsBetween(calendar, addDays(today, -MAX_CLOSED_DAYS), today)
  const ended = sessions.findLast(
    ({ closesAt }) => closesAt !== null && closesAt.getTime() <= now.getTime() - DELAY_MS,
  )
  if (ended?.closesAt == null) throw new Error(`New York had no session in ${MAX_CLOSED_DAYS} days`)
  return { date: ended.date, end: ended.closesAt }
}

type Batch = readonly [ProviderListing, ...ProviderListing[]]

/** Listings without prices of Alpaca have batches of their own, because these ask for the first days too. */
function batchesOf(
  due: readonly ProviderListing[],
  first: IsoDate,
): readonly { readonly batch: Batch; readonly from: IsoDate }[] {
  const isNew = ({ newestDay }: ProviderListing) => newestDay === null
  return [due.filter(isNew), due.filter((one) => !isNew(one))].flatMap((listings) =>
    Array.from({ length: Math.ceil(listings.length / BATCH_LISTINGS) }, (_, at) => {
      const batch = listings.slice(at * BATCH_LISTINGS, (at + 1) * BATCH_LISTINGS) as unknown as Batch // safe: not empty
      const [{ newestDay }] = batch // the oldest
      const repeated = newestDay === null ? first : addDays(newestDay, -REPEATED_DAYS)
      return { batch, from: repeated < first ? first : repeated }
    }),
  )
}
