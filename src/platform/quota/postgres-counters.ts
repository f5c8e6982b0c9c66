import { wasNeverSent } from '../database/connection/connection-loss.js'
import { type Outage, outageOf } from '../database/connection/outage.js'
import type { RowsOptions, Sql } from '../database/database.js'
import { arraysOf, statement } from '../database/statement.js'
import { urgent } from '../database/urgent.js'
import type { Logger } from '../logger.js'
import { settledWithin } from '../settled-within.js'
import {
  type Call,
  type ConsumeGroup,
  type GroupAnswer,
  type GroupCharge,
  isReadOnly,
} from './consume-plan.js'
import { ConsumeQueue } from './consume-queue.js'
import { CounterCache } from './counter-cache.js'
import { loadCounters, writeCounters } from './counter-table.js'
import {
  type Charge,
  type ConsumeResult,
  type Count,
  type Counters,
  EMPTY_COUNT,
  type PeekOptions,
  refundable,
  usedOf,
} from './counters.js'
import { OwedRefunds } from './owed-refunds.js'

/**
 * Locks the rows in key order (so that two statements never wait for each other in a circle), each by one probe of the
 * index whatever the table's statistics, gives back what is refunded, decides per group, and takes from all of a group's
 * counters or from none. A group without quotas takes nothing. When a counter that is to be changed has no row yet,
 * nothing is changed for any group. A counter without a row is left out of the result.
 *
 * Plain SQL: Prisma's client takes three statements in a transaction and 7 to 8 times the CPU for a take from two counters
 * (bench sql), and one take at a time.
 *
 * The commit does not wait for the disk: a crash of PostgreSQL forgets at most the takes of its last fraction of a second
 * (three times wal_writer_delay), to the callers' advantage, and a node that saw them puts them back as its floor.
 */
const TAKE = statement(
  'lacks row lock',
  { key: 'text', accepted: 'bool', charged: 'int8', refunded: 'int8' },
  `with settings as materialized (
  select set_config('synchronous_commit', 'off', true)
), wanted as materialized (
  select *, quota is not null or refund > 0 as is_changed
  from unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    as w(key, group_number, units, refund, quota, charged_floor, refunded_floor) order by key
), locked as materialized (
  select w.*, c.charged, least(c.charged, c.refunded + w.refund) as refunded
  from wanted w cross join lateral (
    select greatest(points, w.charged_floor) as charged, greatest(refunded, w.refunded_floor) as refunded
    from rate_counter where key = w.key for update
  ) c
), completeness as materialized (
  select (select count(*) from locked where is_changed) = (select count(*) from wanted where is_changed) as is_complete
), verdict as materialized (
  select group_number, is_complete, is_complete and coalesce(bool_and(charged - refunded + units <= quota), true) as accepted
  from locked cross join completeness group by group_number, is_complete
), result as materialized (
  select l.key, l.refunded, l.charged + case when v.accepted then l.units else 0 end as charged, v.accepted,
    v.is_complete and (l.refund > 0 or (l.units > 0 and v.accepted)) as is_written
  from locked l join verdict v using (group_number)
), written as (
  update rate_counter c set points = r.charged, refunded = r.refunded
  from result r where c.key = r.key and r.is_written
)
select r.key, r.accepted, r.charged, r.refunded from settings cross join result r`,
)

/** Longest time for the statements of one batch; the connection is destroyed when it takes longer. */
const BATCH_MS = 2_000

/** How long `close` waits for running batches. */
const CLOSE_MS = 3_000

interface ConsumedRow extends Count {
  readonly key: string
  readonly accepted: boolean
}

/**
 * Counters in PostgreSQL, shared by every node: one statement for all takes that come together. While it is away each node
 * counts by itself.
 */
export class PostgresCounters implements Counters {
  readonly #sql: Sql
  readonly #log: Pick<Logger, 'warn'>
  /** The figures that the database reported of each counter. They are a floor, because they only rise. */
  readonly #seen = new CounterCache()
  readonly #queue: ConsumeQueue
  readonly #outage: Outage
  readonly #owed = new OwedRefunds({ giveBack: (charge) => this.#queue.refund([charge]) })

  constructor(sql: Sql, log: Pick<Logger, 'warn'>) {
    this.#sql = sql
    this.#outage = outageOf(sql)
    this.#log = log
    this.#queue = new ConsumeQueue({
      seen: this.#seen,
      send: (groups) => this.#send(groups),
      instead: (call, error) => this.#insteadOf(call, error),
    })
  }

  consume(charges: readonly Charge[], now: Date): ConsumeResult | Promise<ConsumeResult> {
    this.#seen.prune(now)
    // Refusing a spent window from memory keeps a caller's retries away from the database.
    if (this.#seen.refuses(charges)) return { accepted: false, used: this.#seen.usedOf(charges) }
    return this.#outage.isOn ? this.#seen.consume(charges) : this.#queue.take(charges)
  }

  async refund(charges: readonly Charge[], now: Date): Promise<void> {
    if (this.#outage.isOn) this.#seen.refund(refundable(charges, now))
    else await this.#queue.refund(refundable(charges, now))
  }

  peek(
    charges: readonly Charge[],
    _now?: Date,
    { isUrgent = false }: PeekOptions = {},
  ): Promise<readonly number[]> {
    if (isUrgent) return this.#peekFirst(charges)
    return this.#outage.isOn ? Promise.resolve(this.#seen.usedOf(charges)) : this.#queue.peek(charges)
  }

  async close(): Promise<void> {
    this.#owed.close()
    if (this.#owed.size > 0)
      this.#log.warn({ counters: this.#owed.size }, 'stopping although units could not be given back')
    if (!(await settledWithin(CLOSE_MS, this.#queue.drained())))
      this.#log.warn({}, 'stopping although counters have no result from the database')
  }

  /**
   * While the database is away this node counts by itself: what it counts is the floor of what it takes afterwards. A refund
   * that the server never received is made later. A refund whose answer was lost may have been applied; applied twice it would
   * give away quota, so only the floor has it.
   */
  #insteadOf({ kind, charges }: Call, error: unknown): ConsumeResult {
    const isOut = this.#outage.note(error)
    if (!isOut && kind !== 'refund') throw error
    if (kind === 'take') return this.#seen.consume(charges)
    if (kind === 'refund' && !(wasNeverSent(error) && this.#owed.owe(charges))) {
      if (isOut) this.#seen.refund(charges)
      else this.#log.warn({ err: error, counters: charges.length }, 'units may not have been given back')
    }
    return { accepted: true, used: this.#seen.usedOf(charges) }
  }

  async #send(groups: readonly ConsumeGroup[]): Promise<readonly GroupAnswer[]> {
    const charges = groups.flat()
    const deadlineMs = performance.now() + BATCH_MS
    const rows = await (charges.every(isReadOnly) ? this.#look(charges) : this.#take(groups, deadlineMs))
    this.#outage.end()
    return groups.map((group) => ({
      accepted: group.every(({ key, quota }) => rows.get(key)?.accepted ?? quota === null),
      counts: group.map(({ key, floor }) => rows.get(key) ?? floor),
    }))
  }

  async #peekFirst(charges: readonly Charge[]): Promise<readonly number[]> {
    const keys = charges.map(({ key }) => key)
    const stored = await loadCounters(urgent(this.#sql), keys, { withinMs: BATCH_MS })
    return keys.map((key) => usedOf(stored.get(key) ?? EMPTY_COUNT))
  }

  /** A plain read: it locks nothing and leaves nothing to commit. */
  async #look(charges: ConsumeGroup): Promise<ReadonlyMap<string, ConsumedRow>> {
    const stored = await loadCounters(
      this.#sql,
      charges.map(({ key }) => key),
      { withinMs: BATCH_MS },
    )
    return new Map([...stored].map(([key, count]) => [key, { key, accepted: true, ...count }]))
  }

  async #take(
    groups: readonly ConsumeGroup[],
    deadlineMs: number,
  ): Promise<ReadonlyMap<string, ConsumedRow>> {
    const rows = await this.#takeFromRows(groups, deadlineMs)
    const missing = missingOf(groups, rows)
    if (missing.length === 0) return rows
    await writeCounters(
      this.#sql,
      missing.map(({ key, windowEnd }) => ({ key, windowEnd, ...EMPTY_COUNT })),
      until(deadlineMs),
    )
    const again = await this.#takeFromRows(groups, deadlineMs)
    if (missingOf(groups, again).length > 0)
      throw new Error('a counter disappeared between its insert and its charge')
    return again
  }

  async #takeFromRows(
    groups: readonly ConsumeGroup[],
    deadlineMs: number,
  ): Promise<ReadonlyMap<string, ConsumedRow>> {
    const charges = groups.flat()
    const parameters = [
      charges.map(({ key }) => key),
      groups.flatMap((group, number) => group.map(() => number)),
      ...arraysOf(charges, 'units', 'refund', 'quota'),
      charges.map(({ floor }) => floor.charged),
      charges.map(({ floor }) => floor.refunded),
    ]
    const isChecked = charges.some(({ refund }) => refund > 0)
    const rows = await this.#sql.rows(TAKE, parameters, { ...until(deadlineMs), isChecked })
    return new Map(rows.map((row) => [row.key, row]))
  }
}

function until(deadlineMs: number): RowsOptions {
  return { withinMs: Math.max(1, deadlineMs - performance.now()) }
}

/** The counters to change that have no row; one that is only looked at needs none. */
function missingOf(
  groups: readonly ConsumeGroup[],
  rows: ReadonlyMap<string, ConsumedRow>,
): readonly GroupCharge[] {
  return groups.flat().filter((charge) => !isReadOnly(charge) && !rows.has(charge.key))
}
