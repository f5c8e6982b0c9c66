import type { RequestRate } from '../../core/request-rate.js'
import type { Sql } from '../database/database.js'
import { statement } from '../database/statement.js'

/** Milliseconds until the next request may begin; the time is reserved for the caller. Null if it would wait too long. */
export type ReserveTurn = (rate: RequestRate) => Promise<number | null>

/** No honest queue is longer. After the clock of the database was set back, a time beyond this does not count. */
const LONGEST_QUEUE = 60

const RESERVE_MS = 5_000

/**
 * Plain SQL, one statement on the clock of the database: requests take turns, however much the clocks of the nodes differ. The
 * column holds whole milliseconds, rounded, so a wait that is longer by less than one is not too long.
 */
const RESERVE = statement(
  { waitMs: 'float8' },
  `insert into venue_rate as p (venue, next_at)
   values ($1, clock_timestamp() + $2 * interval '1 millisecond')
   on conflict (venue) do update set next_at = $2 * interval '1 millisecond' + case
     when p.next_at > clock_timestamp() + $3 * interval '1 millisecond' then clock_timestamp()
     else greatest(p.next_at, clock_timestamp()) end
   where p.next_at < clock_timestamp() + ($4 + 1) * interval '1 millisecond'
     or p.next_at > clock_timestamp() + $3 * interval '1 millisecond'
   returning extract(epoch from next_at - clock_timestamp())::float8 * 1000 - $2 as "waitMs"`,
)

/**
 * Reserves turns in the database. A pause of 0 reserves nothing. Throws `service_unavailable` if the database does not answer,
 * so that no request is sent.
 */
export function reserveInDatabase(sql: Sql): ReserveTurn {
  return async ({ provider, pauseMs, burst = 0, maxWaitMs }) => {
    if (pauseMs === 0) return 0
    const burstMs = burst * pauseMs
    const longestMs = LONGEST_QUEUE * pauseMs
    const facts = [provider, pauseMs, longestMs, burstMs + (maxWaitMs ?? longestMs)]
    const [row] = await sql.rows(RESERVE, facts, { withinMs: RESERVE_MS })
    return row === undefined ? null : Math.max(0, row.waitMs - burstMs)
  }
}
