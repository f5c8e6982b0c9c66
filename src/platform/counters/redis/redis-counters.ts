import type { Clock } from '../../../core/time.js'
import { monthOfCounter } from '../../../policy/quota.js'
import type { Logger } from '../../logger.js'
import {
  answerWithin,
  connectRedis,
  OverdueAnswer,
  type RedisConnection,
} from '../../redis/redis-connection.js'
import type { Call, ConsumeGroup, GroupAnswer, GroupCharge } from '../consume-plan.js'
import { ConsumeQueue } from '../consume-queue.js'
import { CounterCache } from '../counter-cache.js'
import {
  type Charge,
  type ConsumeResult,
  type Counters,
  EMPTY_COUNT,
  maxCount,
  refundable,
} from '../counters.js'
import { PendingChanges } from '../pending-changes.js'
import type { ReadRecordedUse } from '../recorded-use.js'
import { RedisNode } from './redis-node.js'
import { type CounterChange, defineConsumeScript } from './redis-scripts.js'

/** Keys per settling script: a script blocks Redis while it runs. */
const SETTLE_BATCH = 500

/** Longest wait for the use that the database recorded: a frozen database must not delay what Redis can answer. */
const RECORDED_MS = 250

/** Pause before the recorded use is read again after the database did not answer. */
const RECORDED_RETRY_MS = 10_000

/** Pause before a Redis that is connected but does not answer is tried again. */
const RETRY_MS = 500

/**
 * Counters in Redis, shared by every node: one script charges all calls that arrive together.
 *
 * Without Redis (no connection, or an answer overdue by 250 ms) each node counts by itself, from the last figures that it
 * saw. So each node admits at most what was left when it last heard from Redis (the whole quota for a key that it never saw
 * in this window), and n nodes admit at most n times that. When Redis is back, the units charged in the meantime are added
 * to its counters within a second, before any other call.
 *
 * A counter that this node sees for the first time holds at least what the database recorded, so an emptied Redis does not
 * grant a month's quota twice. Each charge counts once, even if its answer or that of its settlement was lost: Redis
 * remembers which script of a node it ran last.
 */
export class RedisCounters implements Counters {
  readonly #connection: RedisConnection
  readonly #node: RedisNode
  readonly #queue: ConsumeQueue
  readonly #clock: Clock
  readonly #log: Logger
  readonly #recordedUse: ReadRecordedUse
  /** Counters whose recorded use could not be read, with the end of their window. */
  readonly #unrecorded = new Map<string, Date>()
  #askRecordedAt = 0
  /** What this node knows of each counter: a floor while Redis answers, and the counter itself while Redis does not. */
  readonly #seen = new CounterCache()
  readonly #debts = new PendingChanges()
  /** Settles when the state is not `waiting` any more. */
  #decided: Promise<void> = Promise.resolve()
  #decide: () => void = () => {}
  /** `waiting` at the start and at the end of an outage: calls wait until Redis is known to be up or down. */
  #state: 'waiting' | 'up' | 'down' = 'waiting'
  /** Whether the log says that Redis is lost. */
  #isLost = false
  #isRecovering = false
  #retry: NodeJS.Timeout | undefined

  readonly isRedisUp = () => this.#state === 'up'

  constructor(url: string, clock: Clock, log: Logger, recordedUse: ReadRecordedUse) {
    this.#recordedUse = recordedUse
    this.#clock = clock
    this.#log = log
    this.#wait()
    this.#connection = connectRedis(url, {
      keyPrefix: 'mdg:counter:',
      onReady: () => void this.#recover(),
      onLost: (error) => this.#lose(error),
    })
    this.#node = new RedisNode(defineConsumeScript(this.#connection.redis))
    this.#queue = new ConsumeQueue({
      seen: this.#seen,
      send: (groups) => this.#send(groups),
      instead: (call, error) => this.#answerHere(call, error),
    })
  }

  consume(charges: readonly Charge[], now: Date): ConsumeResult | Promise<ConsumeResult> {
    this.#seen.prune(now)
    // Refusing a spent window from memory keeps a caller's retries away from Redis.
    if (this.#seen.refuses(charges)) return { accepted: false, used: this.#seen.usedOf(charges) }
    return this.#state === 'down' ? this.#takeHere(charges) : this.#queue.take(charges)
  }

  refund(charges: readonly Charge[], now: Date): void | Promise<void> {
    const open = refundable(charges, now)
    return this.#state === 'down' ? this.#refundHere(open) : this.#queue.refund(open)
  }

  peek(charges: readonly Charge[], now: Date): readonly number[] | Promise<readonly number[]> {
    this.#seen.prune(now)
    return this.#state === 'down' ? this.#seen.usedOf(charges) : this.#queue.peek(charges)
  }

  async close(): Promise<void> {
    await this.#queue.drained()
    clearTimeout(this.#retry)
    if (this.#state === 'down' && this.#debts.size > 0) {
      this.#log.warn(
        { counters: this.#debts.size },
        'stopping without Redis: the units charged during the outage are lost',
      )
    }
    await this.#connection.close()
  }

  async #send(groups: readonly ConsumeGroup[]): Promise<readonly GroupAnswer[]> {
    await this.#decided
    const known = await this.#withRecordedUse(groups)
    if (this.#state !== 'up') throw new Error('Redis is not connected')
    return this.#node.take(known, this.#clock.now())
  }

  /** The groups with a floor of what the database recorded, for counters that this node has not seen before. */
  async #withRecordedUse(groups: readonly ConsumeGroup[]): Promise<readonly ConsumeGroup[]> {
    const isFresh = ({ key }: GroupCharge) => !this.#seen.knows(key) || this.#unrecorded.has(key)
    const fresh = groups.flat().filter((charge) => isFresh(charge) && monthOfCounter(charge.key) !== null)
    if (fresh.length === 0) return groups
    const now = this.#clock.now()
    for (const [key, windowEnd] of this.#unrecorded) if (windowEnd <= now) this.#unrecorded.delete(key)
    for (const { key, windowEnd } of fresh) this.#unrecorded.set(key, windowEnd)
    if (now.getTime() < this.#askRecordedAt) return groups
    try {
      const used = await answerWithin(RECORDED_MS, this.#recordedUse(fresh.map(({ key }) => key)))
      for (const { key, windowEnd } of fresh) {
        this.#unrecorded.delete(key)
        this.#seen.raise(key, { charged: used.get(key) ?? 0, refunded: 0 }, windowEnd)
      }
    } catch (error) {
      this.#askRecordedAt = now.getTime() + RECORDED_RETRY_MS
      this.#log.warn({ err: error }, 'the use of this month could not be read; trying again in 10 s')
    }
    return groups.map((group) =>
      group.map((charge) => ({ ...charge, floor: maxCount(this.#seen.countOf(charge.key), charge.floor) })),
    )
  }

  /** Synchronous: if Redis came back between the loss and this call, the call would never be settled. */
  #answerHere({ charges, kind }: Call, error: unknown): ConsumeResult {
    this.#lose(error)
    if (kind === 'take') return this.#takeHere(charges)
    if (kind === 'refund') this.#refundHere(charges)
    return { accepted: true, used: this.#seen.usedOf(charges) }
  }

  #takeHere(charges: readonly Charge[]): ConsumeResult {
    const taken = this.#seen.consume(charges)
    if (taken.accepted) for (const charge of charges) this.#debts.add({ ...charge, refund: 0 })
    return taken
  }

  #refundHere(charges: readonly Charge[]): void {
    const given = this.#seen.refund(charges)
    charges.forEach((charge, index) => {
      this.#debts.add({ ...charge, units: 0, refund: given[index] ?? 0 })
    })
  }

  #wait(): void {
    this.#state = 'waiting'
    this.#decided = new Promise((resolve) => {
      this.#decide = resolve
    })
  }

  #lose(error: unknown): void {
    if (!this.#isLost) {
      this.#log.error({ err: error }, 'Redis is lost: each node counts by itself until it is back')
    }
    this.#isLost = true
    this.#state = 'down'
    this.#decide()
    if (error instanceof OverdueAnswer) this.#connection.drop()
    // A connection that is opened again reports when it is ready; one that merely failed a command is tried again.
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#recover(), RETRY_MS)
    this.#retry.unref()
  }

  async #recover(): Promise<void> {
    if (this.#isRecovering || this.#state === 'up' || this.#connection.redis.status !== 'ready') return
    this.#isRecovering = true
    try {
      for (const change of await this.#node.endLost()) this.#debts.settle(change)
      await this.#settle()
      // Units charged while the first settlement ran are settled before every later charge.
      if (this.#state === 'down') this.#wait()
      await this.#settle()
      // Redis was lost again; the units charged since then are still pending.
      if (this.#state !== 'waiting') return
      if (this.#isLost) this.#log.info({}, 'Redis is back: counting there again')
      this.#isLost = false
      this.#state = 'up'
      this.#decide()
    } catch (error) {
      this.#lose(error)
    } finally {
      this.#isRecovering = false
    }
  }

  /** Applies the pending changes in Redis, batch after batch. After the first failure the rest stays pending. */
  async #settle(): Promise<void> {
    const now = this.#clock.now()
    const owed = this.#debts.takeAll(now)
    let settled = 0
    try {
      for (; settled < owed.length; settled += SETTLE_BATCH) {
        await this.#settleBatch(owed.slice(settled, settled + SETTLE_BATCH), now)
      }
    } catch (error) {
      for (const change of owed.slice(settled)) this.#debts.add(change)
      throw error
    }
  }

  async #settleBatch(owed: readonly CounterChange[], now: Date): Promise<void> {
    const counters = owed.map((change) => {
      const { charged, refunded } = this.#seen.countOf(change.key)
      const floor = {
        charged: Math.max(0, charged - change.units),
        refunded: Math.max(0, refunded - change.refund),
      }
      return { ...change, floor }
    })
    const counts = await this.#node.settle(counters, now)
    owed.forEach(({ key, windowEnd }, index) => {
      this.#seen.raise(key, counts[index] ?? EMPTY_COUNT, windowEnd)
    })
  }
}
