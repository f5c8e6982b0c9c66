import { setTimeout as sleep } from 'node:timers/promises'
import type { Venue } from '../../domains/market/model.js'
import type { Sql } from '../../platform/database/database.js'
import { reserveInDatabase } from '../../platform/http-client/reserve-turn.js'
import { venueRequestRate } from '../providers/exchanges/venue-request-rate.js'

/** Milliseconds until the next request to a venue may start; the time is reserved for the caller. */
export type ReserveRequest = (venue: Venue) => Promise<number>

/** Spaces the requests of the whole installation to each venue. Throws like `reserveInDatabase`. */
export function reserveVenue(sql: Sql): ReserveRequest {
  const reserve = reserveInDatabase(sql)
  return async (venue) => {
    const rate = venueRequestRate(venue)
    return (await reserve(rate)) ?? rate.pauseMs
  }
}

/** Waits until the next request to the venue may start. */
export async function waitForTurn(reserve: ReserveRequest, venue: Venue): Promise<void> {
  await sleep(await reserve(venue))
}
