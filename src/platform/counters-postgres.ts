import { readCounters, writeCounters } from './counter-table.js'
import type { Charge, Counters, Taken } from './counters.js'
import type { Sql } from './database.js'
import { Tally } from './tally.js'

/**
 * Locks the rows in key order (so that two calls never wait for each other), decides over all of them, and takes from
 * all or none. Returns fewer rows than were asked for when a counter has no row yet; then nothing was taken.
 */
const TAKE = `
with wanted as (
  select * from unnest($1::text[], $2::int[], $3::int[]) with ordinality as w(key, units, quota, position)
), standing as materialized (
  select c.key, c.points, w.units, w.quota, w.position
  from rate_counter c join wanted w on w.key = c.key
  order by c.key for update of c
), verdict as materialized (
  select count(*) = cardinality($1::text[]) and bool_and(points::bigint + units <= quota) as accepted from standing
), taken as (
  update rate_counter c set points = s.points + s.units
  from standing s where c.key = s.key and (select accepted from verdict)
)
select v.accepted, s.points + case when v.accepted then s.units else 0 end as used
from standing s cross join verdict v order by s.position`

/** Counters in PostgreSQL, shared by every node: one statement per take. Throws `service_unavailable` without it. */
export class PostgresCounters implements Counters {
  readonly #sql: Sql
  /** What the database told of each counter: a floor, since counters only rise. */
  readonly #seen = new Tally()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async take(charges: readonly Charge[], now: Date): Promise<Taken> {
    this.#seen.prune(now)
    // A spent window stays spent: refusing it from memory keeps a caller's retries away from the database.
    const isKnown = charges.every((charge) => this.#seen.knows(charge.key))
    if (isKnown && this.#seen.lacks(charges)) return { accepted: false, used: this.#seen.usedOf(charges) }
    const taken = await this.#take(charges)
    return {
      accepted: taken.accepted,
      used: charges.map(({ key, windowEnd }, index) =>
        this.#seen.raise(key, taken.used[index] ?? 0, windowEnd),
      ),
    }
  }

  async peek(charges: readonly Charge[]): Promise<readonly number[]> {
    const stored = await readCounters(
      this.#sql,
      charges.map((charge) => charge.key),
    )
    return charges.map(({ key, windowEnd }) => this.#seen.raise(key, stored.get(key) ?? 0, windowEnd))
  }

  async close(): Promise<void> {}

  async #take(charges: readonly Charge[]): Promise<Taken> {
    const parameters = [
      charges.map((charge) => charge.key),
      charges.map((charge) => charge.units),
      charges.map((charge) => charge.quota),
    ]
    let rows = await this.#sql.rows<{ accepted: boolean; used: number }>(TAKE, parameters)
    if (rows.length < charges.length) {
      await writeCounters(
        this.#sql,
        charges.map(({ key, windowEnd }) => ({ key, windowEnd, used: 0 })),
      )
      rows = await this.#sql.rows<{ accepted: boolean; used: number }>(TAKE, parameters)
    }
    if (rows.length < charges.length) throw new Error('a counter vanished between its insert and its take')
    return { accepted: rows.every((row) => row.accepted), used: rows.map((row) => row.used) }
  }
}
