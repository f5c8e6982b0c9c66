import { type BoundFeed, bindFeed } from '../../../feed.js'
import { type FeedGroup, runEach } from '../../../feed-group.js'
import { binanceListings } from '../../../providers/exchanges/listings/binance-listings.js'
import { bitstampListings } from '../../../providers/exchanges/listings/bitstamp-listings.js'
import { coinbaseListings } from '../../../providers/exchanges/listings/coinbase-listings.js'
import { krakenListings } from '../../../providers/exchanges/listings/kraken-listings.js'
import { okxListings } from '../../../providers/exchanges/listings/okx-listings.js'
import { byCron } from '../../../schedule.js'
import { coinListingsSink } from './sinks.js'

/** The lists of all exchanges that coins are taken from. */
export const COIN_LISTINGS: readonly BoundFeed[] = [
  bindFeed(coinbaseListings, coinListingsSink),
  bindFeed(bitstampListings, coinListingsSink),
  bindFeed(krakenListings, coinListingsSink),
  bindFeed(binanceListings, coinListingsSink),
  bindFeed(okxListings, coinListingsSink),
]

/** Reads the lists of the exchanges once a day: coins that three of them trade become assets. */
export const coinUniverseGroup: FeedGroup = {
  name: 'coin-universe',
  job: {
    feeds: COIN_LISTINGS.map(({ feed }) => feed.id),
    dataset: 'instruments',
    cadence: 'daily',
    schedule: byCron('40 9 * * *', 1_200_000),
    needsAssets: true,
  },
  run: runEach('coin-universe', 'lists', async () =>
    COIN_LISTINGS.map((bound) => ({ name: bound.feed.id, bound, source: { kind: 'live' } })),
  ),
}
