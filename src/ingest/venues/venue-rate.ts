import { setTimeout as sleep } from 'node:timers/promises'
import type { Venue } from '../../domains/market/model.js'
import type { Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'

/** Milliseconds until the next request to a venue may start; the time is reserved for the caller. */
export type ReserveRequest = (venue: Venue) => Promise<number>

/**
 * No honest queue is longer: 60 processes wait for Kraken, one request each. After the clock of the database was set back,
 * a time beyond this does not count.
 */
const LONGEST_WAIT_MS = 66_000

const RESERVE_MS = 5_000

/**
 * Plain SQL, one statement on the clock of the database: requests of all processes take turns, also those of commands, however
 * many nodes share the work and however their clocks differ.
 */
const RESERVE = statement(
  { waitMs: 'float8' },
  `insert into venue_rate as p (venue, next_at)
   values ($1, clock_timestamp() + $2 * interval '1 millisecond')
   on conflict (venue) do update set next_at = $2 * interval '1 millisecond' + case
     when p.next_at > clock_timestamp() + $3 * interval '1 millisecond' then clock_timestamp()
     else greatest(p.next_at, clock_timestamp()) end
   returning extract(epoch from next_at - clock_timestamp())::float8 * 1000 - $2 as "waitMs"`,
)

/**
 * Spaces the requests of the whole installation to each venue by at least `pauseMs`, in the database. A pause of 0 reserves
 * nothing. Throws `service_unavailable` if the database does not answer, so that no request is sent.
 */
export function reserveInDatabase(sql: Sql, pauseMs: (venue: Venue) => number): ReserveRequest {
  return async (venue) => {
    const pause = pauseMs(venue)
    if (pause === 0) return 0
    const [row] = await sql.rows(RESERVE, [venue, pause, LONGEST_WAIT_MS], { withinMs: RESERVE_MS })
    return Math.max(0, row?.waitMs ?? pause)
  }
}

/** Waits until the next request to the venue may start. */
export async function waitForTurn(reserve: ReserveRequest, venue: Venue): Promise<void> {
  await sleep(await reserve(venue))
}
