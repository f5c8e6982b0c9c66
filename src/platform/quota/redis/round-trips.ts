import { answerWithin, REDIS_ANSWER_MS } from '../../redis/redis-answer.js'
import type { ConsumeGroup, GroupAnswer } from '../consume-plan.js'
import type { Count } from '../counters.js'
import {
  type ConsumingRedis,
  type CounterChange,
  consumeGroups,
  endRoundTrip,
  type OwedUnits,
  type RoundTrip,
  settleUnits,
} from './redis-scripts.js'

/** A round trip and its changes, per group. */
interface Sent {
  readonly trip: RoundTrip
  readonly groups: readonly (readonly CounterChange[])[]
}

export interface RoundTripsOptions {
  readonly redis: ConsumingRedis
  /** The key of this node's record. In a cluster it is in the slot of the counters. */
  readonly record: string
  /** Whether the server of the record answers others, so that a late answer is waited for. */
  readonly isAnswering: (record: string) => boolean
  /** Numbers the round trips of this node, so that an answer to another one is recognized. */
  readonly nextNumber: () => number
}

/**
 * The round trips of one node to counters that one script may change, one at a time. After one fails, the next may start
 * only when `endLost` has found out whether Redis ran it.
 */
export class RoundTrips {
  readonly #options: RoundTripsOptions
  /** The round trip that is sent and not answered yet. */
  #sent: Sent | null = null

  constructor(options: RoundTripsOptions) {
    this.#options = options
  }

  take(groups: readonly ConsumeGroup[], now: Date): Promise<readonly GroupAnswer[]> {
    return this.#send(groups, (trip) => consumeGroups(this.#options.redis, trip, groups, now))
  }

  settle(owed: readonly OwedUnits[], now: Date): Promise<readonly Count[]> {
    return this.#send([owed], (trip) => settleUnits(this.#options.redis, trip, owed, now))
  }

  /** Ends a failed round trip in Redis, so that it cannot run later, and returns what it changed there. */
  async endLost(): Promise<readonly CounterChange[]> {
    const { redis, record } = this.#options
    if (this.#sent === null) {
      await this.#answered(redis.exists(record)) // fails while the server of the counters is lost
      return []
    }
    const { trip, groups } = this.#sent
    const verdicts = await this.#answered(endRoundTrip(redis, trip))
    this.#sent = null
    if (verdicts === null) return []
    // The refunds of a refused group are made all the same.
    return groups.flatMap((group, index) =>
      group.map((change) => (verdicts[index] ? change : { ...change, units: 0 })),
    )
  }

  async #send<T>(groups: Sent['groups'], send: (trip: RoundTrip) => Promise<T>): Promise<T> {
    const trip = { record: this.#options.record, number: this.#options.nextNumber() }
    this.#sent = { trip, groups }
    const answer = await this.#answered(send(trip))
    this.#sent = null
    return answer
  }

  #answered<T>(answer: Promise<T>): Promise<T> {
    const { isAnswering, record } = this.#options
    return answerWithin(REDIS_ANSWER_MS, answer, () => isAnswering(record))
  }
}
