import type { Clock } from '../../../core/time.js'
import type { Call, ConsumeGroup, GroupAnswer } from '../consume-plan.js'
import { ConsumeQueue } from '../consume-queue.js'
import type { CounterCache } from '../counter-cache.js'
import { type Charge, type ConsumeResult, EMPTY_COUNT } from '../counters.js'
import { PendingChanges } from '../pending-changes.js'
import type { RecordedFloors } from './recorded-floors.js'
import type { CounterChange } from './redis-scripts.js'
import type { RoundTrips } from './round-trips.js'

/** Keys per settling script: a script blocks Redis while it runs. */
const SETTLE_BATCH = 500

export interface SlotCountersOptions {
  readonly trips: RoundTrips
  /** What this node knows of each counter: a floor while Redis answers, and the counter itself while Redis does not. */
  readonly seen: CounterCache
  readonly floors: RecordedFloors
  readonly clock: Clock
  /** Whether commands can be sent. */
  readonly isConnected: () => boolean
  /** Redis did not answer, or with an error. */
  readonly onLost: (slot: SlotCounters, error: unknown) => void
  /** Null: not known yet, so calls wait until it is. */
  readonly isUp: boolean | null
}

/**
 * The counters that one script may change: those of one slot in a cluster, all on a single server. While Redis does not answer
 * for them, this node counts by itself. When Redis is back, it applies what was counted meanwhile, before any other call.
 */
export class SlotCounters {
  readonly #options: SlotCountersOptions
  readonly #queue: ConsumeQueue
  readonly #debts = new PendingChanges()
  /** Settles when the state is not `waiting` any more. */
  #decided: Promise<void> = Promise.resolve()
  #decide: () => void = () => {}
  /** `waiting` at the start and at the end of an outage: calls wait until Redis is known to be up or down. */
  #state: 'waiting' | 'up' | 'down' = 'up'
  #isRecovering = false

  constructor(options: SlotCountersOptions) {
    this.#options = options
    if (options.isUp === null) this.#wait()
    else this.#state = options.isUp ? 'up' : 'down'
    this.#queue = new ConsumeQueue({
      seen: options.seen,
      send: (groups) => this.#send(groups),
      instead: (call, error) => this.#answerHere(call, error),
    })
  }

  get isUp(): boolean {
    return this.#state === 'up'
  }

  /** Counters whose changes during an outage Redis has not applied yet. */
  get owedCount(): number {
    return this.#state === 'down' ? this.#debts.size : 0
  }

  consume(charges: readonly Charge[]): ConsumeResult | Promise<ConsumeResult> {
    return this.#state === 'down' ? this.#takeHere(charges) : this.#queue.take(charges)
  }

  refund(charges: readonly Charge[]): void | Promise<void> {
    return this.#state === 'down' ? this.#refundHere(charges) : this.#queue.refund(charges)
  }

  peek(charges: readonly Charge[]): readonly number[] | Promise<readonly number[]> {
    return this.#state === 'down' ? this.#options.seen.usedOf(charges) : this.#queue.peek(charges)
  }

  /** Settles once every call so far has its answer. */
  drained(): Promise<void> {
    return this.#queue.drained()
  }

  lose(error: unknown): void {
    this.#state = 'down'
    this.#decide()
    this.#options.onLost(this, error)
  }

  /** Settles what was counted here, and counts in Redis from then on. Never rejects. */
  async recover(): Promise<void> {
    if (this.#isRecovering || this.#state === 'up' || !this.#options.isConnected()) return
    this.#isRecovering = true
    try {
      for (const change of await this.#options.trips.endLost()) this.#debts.settle(change)
      await this.#settle()
      // Units charged while the first settlement ran are settled before every later charge.
      if (this.#state === 'down') this.#wait()
      await this.#settle()
      // Otherwise Redis was lost again; the units charged since then are still pending.
      if (this.#state === 'waiting') {
        this.#state = 'up'
        this.#decide()
      }
    } catch (error) {
      this.lose(error)
    } finally {
      this.#isRecovering = false
    }
  }

  async #send(groups: readonly ConsumeGroup[]): Promise<readonly GroupAnswer[]> {
    await this.#decided
    const { floors, trips, clock } = this.#options
    const known = await floors.raise(groups)
    if (this.#state !== 'up') throw new Error('Redis is not connected')
    return trips.take(known, clock.now())
  }

  /** Synchronous: if Redis came back between the loss and this call, the call would never be settled. */
  #answerHere({ charges, kind }: Call, error: unknown): ConsumeResult {
    this.lose(error)
    if (kind === 'take') return this.#takeHere(charges)
    if (kind === 'refund') this.#refundHere(charges)
    return { accepted: true, used: this.#options.seen.usedOf(charges) }
  }

  #takeHere(charges: readonly Charge[]): ConsumeResult {
    const taken = this.#options.seen.consume(charges)
    if (taken.accepted) for (const charge of charges) this.#debts.add({ ...charge, refund: 0 })
    return taken
  }

  #refundHere(charges: readonly Charge[]): void {
    const given = this.#options.seen.refund(charges)
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

  /** Applies the pending changes in Redis, batch after batch. After the first failure the rest stays pending. */
  async #settle(): Promise<void> {
    const now = this.#options.clock.now()
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
    const { seen, trips } = this.#options
    const counters = owed.map((change) => {
      const { charged, refunded } = seen.countOf(change.key)
      const floor = {
        charged: Math.max(0, charged - change.units),
        refunded: Math.max(0, refunded - change.refund),
      }
      return { ...change, floor }
    })
    const counts = await trips.settle(counters, now)
    owed.forEach(({ key, windowEnd }, index) => {
      seen.raise(key, counts[index] ?? EMPTY_COUNT, windowEnd)
    })
  }
}
