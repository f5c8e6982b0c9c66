import { randomUUID } from 'node:crypto'
import { answerWithin, REDIS_ANSWER_MS } from '../../redis/redis-connection.js'
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

/**
 * The round trips of one node to its counters in Redis, one at a time. After one fails, the next may start only when
 * `endLost` has found out whether Redis ran it.
 */
export class RedisNode {
  readonly #redis: ConsumingRedis
  readonly #record = `node:${randomUUID()}`
  #number = 0
  /** The round trip that is sent and not answered yet. */
  #sent: Sent | null = null

  constructor(redis: ConsumingRedis) {
    this.#redis = redis
  }

  take(groups: readonly ConsumeGroup[], now: Date): Promise<readonly GroupAnswer[]> {
    return this.#send(groups, (trip) => consumeGroups(this.#redis, trip, groups, now))
  }

  settle(owed: readonly OwedUnits[], now: Date): Promise<readonly Count[]> {
    return this.#send([owed], (trip) => settleUnits(this.#redis, trip, owed, now))
  }

  /** Ends a failed round trip in Redis, so that it cannot run later, and returns what it changed there. */
  async endLost(): Promise<readonly CounterChange[]> {
    if (this.#sent === null) {
      await answerWithin(REDIS_ANSWER_MS, this.#redis.ping())
      return []
    }
    const { trip, groups } = this.#sent
    const verdicts = await answerWithin(REDIS_ANSWER_MS, endRoundTrip(this.#redis, trip))
    this.#sent = null
    if (verdicts === null) return []
    // The refunds of a refused group are made all the same.
    return groups.flatMap((group, index) =>
      group.map((change) => (verdicts[index] ? change : { ...change, units: 0 })),
    )
  }

  async #send<T>(groups: Sent['groups'], send: (trip: RoundTrip) => Promise<T>): Promise<T> {
    this.#number += 1
    const trip = { record: this.#record, number: this.#number }
    this.#sent = { trip, groups }
    const answer = await answerWithin(REDIS_ANSWER_MS, send(trip))
    this.#sent = null
    return answer
  }
}
