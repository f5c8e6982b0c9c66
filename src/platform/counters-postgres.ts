import { readCounters, writeCounters } from './counter-table.js'
import type { Charge, Counters, Taken } from './counters.js'
import type { Sql } from './database.js'
import type { Group, GroupCharge } from './take-plan.js'
import { TakeQueue } from './take-queue.js'
import { Tally } from './tally.js'

/**
 * Locks the rows in key order (so that two statements never wait for each other in a circle), each by one probe of the
 * index whatever the table's statistics, decides per group, and takes from all of a group's counters or from none. A group
 * without quotas only looks. When a counter that is to be taken from has no row yet, nothing is taken for any group. A
 * counter without a row is left out of the result.
 *
 * The commit does not wait for the disk: a crash of PostgreSQL forgets at most the takes of its last fraction of a second
 * (three times wal_writer_delay), to the callers' advantage, and a node that saw them puts them back as its floor.
 */
const TAKE = `
with settings as materialized (
  select set_config('synchronous_commit', 'off', true)
), wanted as materialized (
  select * from unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::int[])
    as w(key, group_number, units, quota, floor) order by key
), standing as materialized (
  select c.key, greatest(c.points, w.floor) as points, w.group_number, w.units, w.quota
  from wanted w cross join lateral (select key, points from rate_counter where key = w.key for update) c
), verdict as materialized (
  select group_number, coalesce(bool_and(points::bigint + units <= quota), true)
    and (select count(quota) from standing) = (select count(quota) from wanted) as accepted
  from standing group by group_number
), taken as (
  update rate_counter c set points = s.points + s.units
  from standing s join verdict v using (group_number)
  where c.key = s.key and s.units > 0 and v.accepted
)
select s.key, v.accepted, s.points + case when v.accepted then s.units else 0 end as used
from settings cross join standing s join verdict v using (group_number)`

interface TakenRow {
  readonly key: string
  readonly accepted: boolean
  readonly used: number
}

/**
 * Counters in PostgreSQL, shared by every node: one statement for all takes that come together. Throws
 * `service_unavailable` without it.
 */
export class PostgresCounters implements Counters {
  readonly #sql: Sql
  /** What the database told of each counter: a floor, since counters only rise. */
  readonly #seen = new Tally()
  readonly #queue: TakeQueue

  constructor(sql: Sql) {
    this.#sql = sql
    this.#queue = new TakeQueue({
      seen: this.#seen,
      send: (groups) => this.#send(groups),
      instead: (_call, error) => {
        throw error
      },
    })
  }

  take(charges: readonly Charge[], now: Date): Taken | Promise<Taken> {
    this.#seen.prune(now)
    // A spent window stays spent: refusing it from memory keeps a caller's retries away from the database.
    if (this.#seen.refuses(charges)) return { accepted: false, used: this.#seen.usedOf(charges) }
    return this.#queue.take(charges)
  }

  peek(charges: readonly Charge[]): Promise<readonly number[]> {
    return this.#queue.peek(charges)
  }

  close(): Promise<void> {
    return this.#queue.drained()
  }

  async #send(groups: readonly Group[]): Promise<readonly Taken[]> {
    const charges = groups.flat()
    const rows = await (charges.every(isLookedAt) ? this.#look(charges) : this.#take(groups))
    return groups.map((group) => ({
      accepted: group.every(({ key, quota }) => rows.get(key)?.accepted ?? quota === null),
      used: group.map(({ key, floor }) => rows.get(key)?.used ?? floor),
    }))
  }

  /** A plain read: it locks nothing and leaves nothing to commit. */
  async #look(charges: Group): Promise<ReadonlyMap<string, TakenRow>> {
    const stored = await readCounters(
      this.#sql,
      charges.map(({ key }) => key),
    )
    return new Map([...stored].map(([key, used]) => [key, { key, accepted: true, used }]))
  }

  async #take(groups: readonly Group[]): Promise<ReadonlyMap<string, TakenRow>> {
    const rows = await this.#takeFromRows(groups)
    const missing = missingOf(groups, rows)
    if (missing.length === 0) return rows
    await writeCounters(
      this.#sql,
      missing.map(({ key, windowEnd }) => ({ key, windowEnd, used: 0 })),
    )
    const again = await this.#takeFromRows(groups)
    if (missingOf(groups, again).length > 0)
      throw new Error('a counter vanished between its insert and its take')
    return again
  }

  async #takeFromRows(groups: readonly Group[]): Promise<ReadonlyMap<string, TakenRow>> {
    const charges = groups.flat()
    const rows = await this.#sql.rows<TakenRow>(TAKE, [
      charges.map(({ key }) => key),
      groups.flatMap((group, number) => group.map(() => number)),
      charges.map(({ units }) => units),
      charges.map(({ quota }) => quota),
      charges.map(({ floor }) => floor),
    ])
    return new Map(rows.map((row) => [row.key, row]))
  }
}

function isLookedAt({ quota }: GroupCharge): boolean {
  return quota === null
}

/** The counters to take from that have no row; one that is only looked at needs none. */
function missingOf(groups: readonly Group[], rows: ReadonlyMap<string, TakenRow>): readonly GroupCharge[] {
  return groups.flat().filter((charge) => !isLookedAt(charge) && !rows.has(charge.key))
}
