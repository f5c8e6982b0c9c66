import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../core/time.js'
import type { Logger } from '../../logger.js'
import { connectRedis } from '../../redis/connect-redis.js'
import { setReadingTimeout } from '../../redis/reading-timeout.js'
import { ForeignAnswer, OverdueAnswer } from '../../redis/redis-answer.js'
import type { RedisConnection } from '../../redis/redis-connection.js'
import { CounterCache } from '../counter-cache.js'
import { type Charge, type ConsumeResult, type Counters, refundable } from '../counters.js'
import type { ReadRecordedUse } from '../recorded-use.js'
import { counterOfClusterKey, hashTag, type SlotCharges, toSlotCharges } from './cluster-keys.js'
import { RecordedFloors } from './recorded-floors.js'
import { type ConsumingRedis, defineConsumeScript } from './redis-scripts.js'
import { RoundTrips } from './round-trips.js'
import { SlotCounters } from './slot-counters.js'
import { SlotRecovery } from './slot-recovery.js'

/** On a single server all counters are one slot, and keys have no hash tag. */
const ONLY_SLOT = 0

/** How long after the start calls wait for the first connection, although attempts to open it fail. */
const START_MS = 1_000

/**
 * Counters in Redis, shared by every node: one script charges all calls that arrive together. In a cluster one script charges
 * those of one slot, and scripts for several slots run at once.
 *
 * Without Redis (no connection, or an answer overdue by 250 ms; by a second from a busy server of a cluster) each node
 * counts by itself, from the last figures that it saw. So each node admits at most what was left when it last heard from
 * Redis (the whole quota for a key that it never saw in this window), and n nodes admit at most n times the quota. When Redis
 * is back, the units charged in the meantime are added to its counters within a second, before any other call. In a cluster
 * this holds for each slot by itself: while one server is lost, the counters on the others stay exact.
 *
 * An emptied server gets back what nodes saw. The first node that is back restores its figures and adds its own units, and
 * these hide as many units that another node charged before the loss and the first had not seen.
 *
 * A counter that this node sees for the first time holds at least what the database recorded, so an emptied Redis does not
 * grant a month's quota twice. Each charge counts once, even if its answer or that of its settlement was lost: Redis
 * remembers which script of a node it ran last, in each slot.
 */
export class RedisCounters implements Counters {
  readonly #connection: RedisConnection
  readonly #redis: ConsumingRedis
  readonly #clock: Clock
  readonly #log: Logger
  readonly #seen = new CounterCache()
  readonly #floors: RecordedFloors
  /** At most the 16,384 slots of a cluster. */
  readonly #slots = new Map<number, SlotCounters>()
  readonly #recovery: SlotRecovery
  readonly #record = `node:${randomUUID()}`
  #tripNumber = 0
  /** Null until the first connection is open, or `START_MS` have passed without one. */
  #isConnected: boolean | null = null
  /** Why the first connection is not open yet. */
  #startError = new Error('no connection yet')
  readonly #endStart: () => void
  /** Whether the log says that Redis is lost. */
  #isLost = false

  readonly isRedisUp = () => this.#isConnected === true && [...this.#slots.values()].every(({ isUp }) => isUp)

  constructor(url: string, clock: Clock, log: Logger, recordedUse: ReadRecordedUse) {
    this.#clock = clock
    this.#log = log
    this.#recovery = new SlotRecovery(() => this.#reportBack())
    this.#endStart = setReadingTimeout(START_MS, () => {
      this.#isConnected = false
      this.#disconnected(this.#startError)
    })
    this.#connection = connectRedis(url, {
      keyPrefix: 'mdg:counter:',
      onReady: () => this.#connected(),
      onLost: (error) => this.#disconnected(error),
    })
    this.#redis = defineConsumeScript(this.#connection.redis)
    const counterOf = this.#connection.isCluster ? counterOfClusterKey : (key: string) => key
    this.#floors = new RecordedFloors({ recordedUse, counterOf, seen: this.#seen, clock, log })
    if (!this.#connection.isCluster) this.#slotOf(ONLY_SLOT, this.#record)
  }

  consume(charges: readonly Charge[], now: Date): ConsumeResult | Promise<ConsumeResult> {
    this.#seen.prune(now)
    if (charges.length === 0) return { accepted: true, used: [] }
    const named = this.#named(charges)
    // Refusing a spent window from memory keeps a caller's retries away from Redis.
    if (this.#seen.refuses(named.charges)) return { accepted: false, used: this.#seen.usedOf(named.charges) }
    return this.#countersOf(named).consume(named.charges)
  }

  refund(charges: readonly Charge[], now: Date): void | Promise<void> {
    if (charges.length === 0) return
    const named = this.#named(charges)
    return this.#countersOf(named).refund(refundable(named.charges, now))
  }

  peek(charges: readonly Charge[], now: Date): readonly number[] | Promise<readonly number[]> {
    this.#seen.prune(now)
    if (charges.length === 0) return []
    const named = this.#named(charges)
    return this.#countersOf(named).peek(named.charges)
  }

  async close(): Promise<void> {
    const slots = [...this.#slots.values()]
    await Promise.all(slots.map((slot) => slot.drained()))
    this.#endStart()
    this.#recovery.close()
    const owed = slots.reduce((sum, { owedCount }) => sum + owedCount, 0)
    if (owed > 0) {
      this.#log.warn(
        { counters: owed },
        'stopping without Redis: the units charged during the outage are lost',
      )
    }
    await this.#connection.close()
  }

  #named(charges: readonly Charge[]): SlotCharges {
    return this.#connection.isCluster ? toSlotCharges(charges) : { slot: ONLY_SLOT, charges }
  }

  #countersOf({ slot, charges }: SlotCharges): SlotCounters {
    return this.#slots.get(slot) ?? this.#slotOf(slot, `${hashTag(charges[0]?.owner ?? '')}:${this.#record}`)
  }

  #slotOf(slot: number, record: string): SlotCounters {
    const nextNumber = () => {
      this.#tripNumber += 1
      return this.#tripNumber
    }
    const isAnswering = (key: string) => this.#connection.isAnswering(key)
    const counters = new SlotCounters({
      trips: new RoundTrips({ redis: this.#redis, record, isAnswering, nextNumber }),
      seen: this.#seen,
      floors: this.#floors,
      clock: this.#clock,
      isConnected: () => this.#connection.redis.status === 'ready',
      onLost: (lost, error) => this.#lost(lost, error),
      isUp: this.#isConnected,
    })
    this.#slots.set(slot, counters)
    if (this.#isConnected === false) this.#recovery.add(counters)
    return counters
  }

  #connected(): void {
    this.#endStart()
    this.#isConnected = true
    for (const slot of this.#slots.values()) if (!slot.isUp) this.#recovery.add(slot)
    if (this.#recovery.lostCount === 0) this.#reportBack()
    void this.#recovery.run()
  }

  /** No server is connected. */
  #disconnected(error: Error): void {
    this.#startError = error
    if (this.#isConnected === null) return
    this.#isConnected = false
    if (this.#slots.size === 0) this.#reportLost(error)
    for (const slot of this.#slots.values()) slot.lose(error)
  }

  #lost(slot: SlotCounters, error: unknown): void {
    this.#reportLost(error)
    if (error instanceof OverdueAnswer || error instanceof ForeignAnswer) this.#connection.drop(error)
    this.#recovery.add(slot)
  }

  #reportLost(error: unknown): void {
    if (this.#isLost) return
    this.#isLost = true
    const what = this.#connection.isCluster ? 'a part of the Redis cluster' : 'Redis'
    this.#log.error({ err: error }, `${what} is lost: each node counts by itself until it is back`)
  }

  #reportBack(): void {
    if (this.#isLost) this.#log.info({}, 'Redis is back: counting there again')
    this.#isLost = false
  }
}
