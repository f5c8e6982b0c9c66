import type { Clock } from '../../core/time.js'
import type { Database, RowsOptions, Sql } from '../database/database.js'
import type { PrismaModels } from '../database/prisma/prisma-models.js'
import { statement } from '../database/statement.js'
import type { Logger } from '../logger.js'
import type { Count } from './counters.js'

export interface StoredCounter extends Count {
  readonly key: string
  readonly windowEnd: Date
}

// Plain SQL, as the take of quota (postgres-counters.ts), which waits for it.
const BY_KEY = statement(
  'lacks deadline',
  { key: 'varchar', charged: 'int8', refunded: 'int8' },
  'select key, points as charged, refunded from rate_counter where key = any($1::text[])',
)

/** The counters of these keys; a key without a row is not in the result. */
export async function loadCounters(
  sql: Sql,
  keys: readonly string[],
  options?: RowsOptions,
): Promise<ReadonlyMap<string, Count>> {
  const rows = await sql.rows(BY_KEY, [keys], options)
  return new Map(rows.map((row) => [row.key, row]))
}

/** Writes absolute figures; a row that holds a higher one keeps it. */
export async function writeCounters(
  sql: Sql,
  counters: readonly StoredCounter[],
  options?: RowsOptions,
): Promise<void> {
  if (counters.length === 0) return
  await sql.rows(
    `insert into rate_counter (key, points, refunded, expire)
     select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as n(key, points, refunded, expire)
     order by key
     on conflict (key) do update set points = greatest(rate_counter.points, excluded.points),
       refunded = greatest(rate_counter.refunded, excluded.refunded), expire = excluded.expire`,
    [
      counters.map((counter) => counter.key),
      counters.map((counter) => counter.charged),
      counters.map((counter) => counter.refunded),
      counters.map((counter) => counter.windowEnd.getTime()),
    ],
    options,
  )
}

const SWEEP_MS = 600_000

/** Rows outlive their window by this much, so that a node whose clock is late still finds its counters. */
const KEEP_MS = 3_600_000

/** Deletes counters and throttles whose window ended over an hour ago. */
export async function sweepCounters(prisma: PrismaModels, now: Date): Promise<void> {
  await prisma.rateCounter.deleteMany({ where: { expire: { lt: now.getTime() - KEEP_MS } } })
}

/** Sweeps every ten minutes until the returned function is called. */
export function startSweeping(database: Database, clock: Clock, log: Logger): () => void {
  const sweep = () => {
    // A transaction has a longer limit, for rows that piled up during an outage.
    database
      .transaction((tx) => sweepCounters(tx.prisma, clock.now()))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'old counters could not be deleted; the next sweep tries again')
      })
  }
  const timer = setInterval(sweep, SWEEP_MS)
  timer.unref()
  return () => clearInterval(timer)
}
