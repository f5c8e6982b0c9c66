import type { Clock } from '../../core/time.js'
import type { Logger } from '../logger.js'
import {
  answerWithin,
  connectRedis,
  OverdueAnswer,
  REDIS_ANSWER_MS,
  type RedisConnection,
} from '../redis/redis-connection.js'
import { type Charge, type Counters, EMPTY_COUNT, refundable, type Taken } from './counters.js'
import { defineTake, settleUnits, type TakingRedis, takeGroups } from './redis-scripts.js'
import type { Call, GroupAnswer, TakeGroup } from './take-plan.js'
import { TakeQueue } from './take-queue.js'
import { Tally } from './tally.js'

/** Keys per settling script: a script blocks Redis while it runs. */
const SETTLE_BATCH = 500

/** Pause before a Redis that is connected but does not answer is tried again. */
const RETRY_MS = 500

/** What is to be added to a counter in Redis. */
interface Debt {
  readonly units: number
  /** Units to be given back. */
  readonly refund: number
  readonly windowEnd: Date
}

/**
 * Counters in Redis, shared by every node: one script for all takes that come together. Without Redis (no connection, or
 * an answer overdue by 250 ms) the node goes on counting by itself, from what it last saw of each counter. So each node
 * admits at most what was left when it last heard from Redis (the whole quota for a key it never saw in this window):
 * with n nodes an outage admits at most n times that rest. When Redis is back, within a second, the units taken
 * meanwhile are put on its counters before any other call; takes whose answer was lost under way may then count twice,
 * never less.
 */
export class RedisCounters implements Counters {
  readonly #connection: RedisConnection
  readonly #redis: TakingRedis
  readonly #queue: TakeQueue
  readonly #clock: Clock
  readonly #log: Logger
  /** What this node knows of each counter: a floor while Redis answers, the counter itself while it does not. */
  readonly #seen = new Tally()
  readonly #debts = new Map<string, Debt>()
  readonly #started: Promise<void>
  #start: () => void = () => {}
  #state: 'starting' | 'up' | 'down' = 'starting'
  #isRecovering = false
  #retry: NodeJS.Timeout | undefined

  readonly isRedisUp = () => this.#state === 'up'

  constructor(url: string, clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
    this.#started = new Promise((resolve) => {
      this.#start = resolve
    })
    this.#connection = connectRedis(url, {
      keyPrefix: 'mdg:counter:',
      onReady: () => void this.#recover(),
      onLost: (error) => this.#lose(error),
    })
    this.#redis = defineTake(this.#connection.redis)
    this.#queue = new TakeQueue({
      seen: this.#seen,
      send: (groups) => this.#send(groups),
      instead: (call, error) => this.#answerHere(call, error),
    })
  }

  take(charges: readonly Charge[], now: Date): Taken | Promise<Taken> {
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
      this.#log.warn({ counters: this.#debts.size }, 'stopping without Redis: units taken meanwhile are lost')
    }
    await this.#connection.close()
  }

  async #send(groups: readonly TakeGroup[]): Promise<readonly GroupAnswer[]> {
    if (this.#state === 'starting') await this.#started
    if (this.#state !== 'up') throw new Error('Redis is away')
    return answerWithin(REDIS_ANSWER_MS, takeGroups(this.#redis, groups, this.#clock.now()))
  }

  /** In one tick, so that Redis cannot be back between the loss and the take, which then would never be settled. */
  #answerHere({ charges, kind }: Call, error: unknown): Taken {
    this.#lose(error)
    if (kind === 'take') return this.#takeHere(charges)
    // Whether a lost refund was made is not known, and a refund made twice would give away quota: so it is not repeated.
    return { accepted: true, used: this.#seen.usedOf(charges) }
  }

  #takeHere(charges: readonly Charge[]): Taken {
    const taken = this.#seen.take(charges)
    if (taken.accepted)
      for (const { key, units, windowEnd } of charges) this.#owe(key, { units, refund: 0, windowEnd })
    return taken
  }

  #refundHere(charges: readonly Charge[]): void {
    const given = this.#seen.refund(charges)
    charges.forEach(({ key, windowEnd }, index) => {
      this.#owe(key, { units: 0, refund: given[index] ?? 0, windowEnd })
    })
  }

  #owe(key: string, debt: Debt): void {
    const known = this.#debts.get(key)
    this.#debts.set(key, {
      units: (known?.units ?? 0) + debt.units,
      refund: (known?.refund ?? 0) + debt.refund,
      windowEnd: debt.windowEnd,
    })
  }

  #lose(error: unknown): void {
    if (this.#state !== 'down') {
      this.#log.error({ err: error }, 'Redis is lost: counting on this node alone until it is back')
    }
    this.#state = 'down'
    this.#start()
    if (error instanceof OverdueAnswer) this.#connection.drop()
    // A connection that is opened again reports when it is ready; one that merely failed a command is tried again.
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#recover(), RETRY_MS)
    this.#retry.unref()
  }

  async #recover(): Promise<void> {
    if (this.#isRecovering || this.#state === 'up' || this.#redis.status !== 'ready') return
    this.#isRecovering = true
    try {
      await answerWithin(REDIS_ANSWER_MS, this.#redis.ping())
      await this.#settle()
      if (this.#state === 'down') this.#log.info({}, 'Redis is back: counting there again')
      this.#state = 'up'
      this.#start()
      // Taken while the first settling ran: sent in this tick, so ahead of every later take on the one connection.
      await this.#settle()
    } catch (error) {
      this.#lose(error)
    } finally {
      this.#isRecovering = false
    }
  }

  /** Puts the debts on Redis' counters; those that fail stay owed, and the first failure is thrown. */
  async #settle(): Promise<void> {
    const now = this.#clock.now()
    const owed = [...this.#debts].filter(([, debt]) => debt.windowEnd > now)
    this.#debts.clear()
    const batches: Promise<void>[] = []
    for (let from = 0; from < owed.length; from += SETTLE_BATCH) {
      batches.push(this.#settleBatch(owed.slice(from, from + SETTLE_BATCH), now))
    }
    const failure = (await Promise.allSettled(batches)).find((outcome) => outcome.status === 'rejected')
    if (failure !== undefined) throw failure.reason
  }

  async #settleBatch(owed: readonly (readonly [string, Debt])[], now: Date): Promise<void> {
    const counters = owed.map(([key, debt]) => {
      const { charged, refunded } = this.#seen.countOf(key)
      const floor = {
        charged: Math.max(0, charged - debt.units),
        refunded: Math.max(0, refunded - debt.refund),
      }
      return { key, floor, ...debt }
    })
    try {
      const counts = await answerWithin(REDIS_ANSWER_MS, settleUnits(this.#redis, counters, now))
      owed.forEach(([key, { windowEnd }], index) => {
        this.#seen.raise(key, counts[index] ?? EMPTY_COUNT, windowEnd)
      })
    } catch (error) {
      for (const [key, debt] of owed) this.#owe(key, debt)
      throw error
    }
  }
}
