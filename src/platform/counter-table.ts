import type { Clock } from '../core/time.js'
import type { Sql } from './database.js'
import type { Logger } from './logger.js'

export interface StoredCounter {
  readonly key: string
  readonly used: number
  readonly windowEnd: Date
}

/** What the table holds of the keys; a key without a row is left out. */
export async function readCounters(sql: Sql, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.rows<{ key: string; points: number }>(
    'select key, points from rate_counter where key = any($1::text[])',
    [keys],
  )
  return new Map(rows.map((row) => [row.key, row.points]))
}

/** Writes absolute counts; a row that stands higher keeps its value. */
export async function writeCounters(sql: Sql, counters: readonly StoredCounter[]): Promise<void> {
  if (counters.length === 0) return
  await sql.rows(
    `insert into rate_counter (key, points, expire)
     select * from unnest($1::text[], $2::int[], $3::bigint[]) as n(key, points, expire) order by key
     on conflict (key) do update set points = greatest(rate_counter.points, excluded.points), expire = excluded.expire`,
    [
      counters.map((counter) => counter.key),
      counters.map((counter) => counter.used),
      counters.map((counter) => counter.windowEnd.getTime()),
    ],
  )
}

const SWEEP_MS = 600_000

/** Rows outlive their window by this much, so that a node whose clock is late still finds its counters. */
const KEEP_MS = 3_600_000

/** Deletes counters and throttles whose window ended over an hour ago. */
export async function sweepCounters(sql: Sql, now: Date): Promise<void> {
  await sql.rows('delete from rate_counter where expire < $1::bigint', [now.getTime() - KEEP_MS])
}

/** Sweeps every ten minutes until the returned function is called. */
export function startSweeping(sql: Sql, clock: Clock, log: Logger): () => void {
  const sweep = () => {
    sweepCounters(sql, clock.now()).catch((error: unknown) => {
      log.warn({ err: error }, 'old counters could not be deleted; the next sweep tries again')
    })
  }
  const timer = setInterval(sweep, SWEEP_MS)
  timer.unref()
  return () => clearInterval(timer)
}
