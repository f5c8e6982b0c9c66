import type { Venue } from '../../../core/consensus/venue-symbols.js'
import type { RequestRate } from '../../../core/request-rate.js'

/** Least time between two requests to a venue, well below its limit for callers without a key. */
const VENUE_PAUSE_MS: Readonly<Record<Venue, number>> = {
  binance: 100, // 6,000 weight a minute, 2 a request
  bitstamp: 100, // 10,000 in 10 minutes
  coinbase: 150, // about 10 a second
  kraken: 1_100, // about 1 a second
  okx: 100, // 40 in 2 seconds
}

/** Requests for candles and for lists take turns. */
export function venueRequestRate(venue: Venue): RequestRate {
  return { provider: venue, pauseMs: VENUE_PAUSE_MS[venue] }
}
