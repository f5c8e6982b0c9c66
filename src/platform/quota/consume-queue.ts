import {
  type Call,
  type ConsumeGroup,
  type ConsumePlan,
  type GroupAnswer,
  nextBatch,
  planGroup,
  toConsumeResult,
  toVerdicts,
} from './consume-plan.js'
import type { CounterCache } from './counter-cache.js'
import { type Charge, type ConsumeResult, type Count, EMPTY_COUNT, maxCount } from './counters.js'

/**
 * Groups per round trip. The rows of a batch stay locked until its statement ends, and Redis serves nobody else while
 * its script runs, so a batch has to stay short; at this size the round trip is a small part of each caller's cost.
 */
export const MAX_GROUPS = 64

/**
 * When a round trip fails, calls that have waited behind it for this long fail too. A second round trip that failed the
 * same way would make them wait twice as long as their callers do.
 */
const OVERDUE_MS = 500

export interface ConsumeQueueOptions {
  /** The known figures of each counter; the queue updates them with what the store reports. */
  readonly seen: CounterCache
  /**
   * One round trip: each group is judged and taken by itself, all or nothing, after its refunds. No key is in two groups.
   * Returns an answer per group; a group that takes nothing is always accepted.
   */
  readonly send: (groups: readonly ConsumeGroup[]) => Promise<readonly GroupAnswer[]>
  /** The result of a call whose round trip failed, or throws the error that its caller gets. The result of a refund is ignored. */
  readonly instead: (call: Call, error: unknown) => ConsumeResult
}

interface WaitingCall extends Call {
  /** Milliseconds of the steady clock. */
  readonly enteredAtMs: number
  readonly settle: (taken: ConsumeResult) => void
  readonly fail: (error: unknown) => void
}

/**
 * Group commit for counters. Calls that arrive during a round trip are sent together with the next one, so the store's
 * work does not grow with the number of calls. Every call gets the result that it would get by itself, in order of
 * arrival: when the store refuses a group, it reports the counters' figures, and the group is planned and sent again.
 */
export class ConsumeQueue {
  readonly #options: ConsumeQueueOptions
  #waiting: WaitingCall[] = []
  #draining: Promise<void> | null = null

  constructor(options: ConsumeQueueOptions) {
    this.#options = options
  }

  take(charges: readonly Charge[]): Promise<ConsumeResult> {
    return new Promise((settle, fail) => this.#enter('take', charges, { settle, fail }))
  }

  /** Settles once the store has the units back. */
  refund(charges: readonly Charge[]): Promise<void> {
    this.#options.seen.doubt(charges)
    return new Promise((resolve, fail) => this.#enter('refund', charges, { settle: () => resolve(), fail }))
  }

  /** Units used per charge, in the order given. */
  peek(charges: readonly Charge[]): Promise<readonly number[]> {
    return new Promise((resolve, fail) =>
      this.#enter('peek', charges, { settle: ({ used }) => resolve(used), fail }),
    )
  }

  /** Settles once every call so far has its answer. */
  async drained(): Promise<void> {
    await this.#draining
  }

  #enter(
    kind: Call['kind'],
    charges: readonly Charge[],
    outcome: Pick<WaitingCall, 'settle' | 'fail'>,
  ): void {
    if (charges.length === 0) {
      outcome.settle({ accepted: true, used: [] })
      return
    }
    this.#waiting.push({ kind, charges, enteredAtMs: performance.now(), ...outcome })
    this.#draining ??= this.#drain()
  }

  async #drain(): Promise<void> {
    // Calls that other connections make in the same iteration of the event loop join this round trip.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      const { groups, rest } = nextBatch(this.#waiting, MAX_GROUPS)
      this.#waiting = [...rest]
      const refused = await this.#run(groups)
      if (refused.length > 0) this.#waiting = [...refused, ...this.#waiting]
    }
    this.#draining = null
  }

  /** One round trip; returns the calls that go out again. */
  async #run(groups: readonly (readonly WaitingCall[])[]): Promise<readonly WaitingCall[]> {
    const plans = groups
      .filter((calls) => !this.#refusesAll(calls))
      .map((calls) => planGroup(calls, this.#options.seen))
    if (plans.length === 0) return []
    try {
      const answers = await this.#options.send(plans.map(({ group }) => group))
      return answered(plans, answers).flatMap(([plan, answer]) => this.#conclude(plan, answer))
    } catch (error) {
      for (const { calls } of plans) for (const call of calls) this.#failOver(call, error)
      this.#failOverdue(error)
      return []
    }
  }

  /** Charges that cannot fit by the store's latest figures need no round trip. */
  #refusesAll(calls: readonly WaitingCall[]): boolean {
    const { seen } = this.#options
    if (!calls.every(({ charges, kind }) => kind === 'take' && seen.refuses(charges))) return false
    for (const { charges, settle } of calls) settle({ accepted: false, used: seen.usedOf(charges) })
    return true
  }

  #conclude(plan: ConsumePlan<WaitingCall>, { accepted, counts }: GroupAnswer): readonly WaitingCall[] {
    if (!accepted) {
      this.#learn(plan.group, counts)
      // The refunds of a refused group were made all the same.
      const refunds = plan.calls.filter(({ kind }) => kind === 'refund')
      for (const call of refunds) call.settle(toConsumeResult(true, counts))
      return plan.calls.filter(({ kind }) => kind !== 'refund')
    }
    const { answers, again } = toVerdicts(plan, counts)
    const known = plan.group.map(({ key }) => this.#options.seen.countOf(key))
    this.#learn(plan.group, counts)
    for (const { call, accepted: isTaken, counts: after } of answers) {
      const figures = after.map((count, index) => maxCount(count, known[index]))
      call.settle(toConsumeResult(isTaken, figures))
    }
    return again
  }

  /** Notes what the store reported. */
  #learn(group: ConsumeGroup, counts: readonly Count[]): void {
    const { seen } = this.#options
    for (const [index, { key, windowEnd }] of group.entries())
      seen.raise(key, counts[index] ?? EMPTY_COUNT, windowEnd)
  }

  #failOverdue(error: unknown): void {
    const sinceMs = performance.now() - OVERDUE_MS
    const overdue = this.#waiting.filter(({ enteredAtMs }) => enteredAtMs < sinceMs)
    this.#waiting = this.#waiting.filter(({ enteredAtMs }) => enteredAtMs >= sinceMs)
    for (const call of overdue) this.#failOver(call, error)
  }

  #failOver(call: WaitingCall, error: unknown): void {
    try {
      call.settle(this.#options.instead(call, error))
    } catch (failure) {
      call.fail(failure)
    }
  }
}

/** Pairs each plan with its answer. Throws when the store's answers cannot be right: retrying would never end. */
function answered(
  plans: readonly ConsumePlan<WaitingCall>[],
  answers: readonly GroupAnswer[],
): readonly (readonly [ConsumePlan<WaitingCall>, GroupAnswer])[] {
  return plans.map((plan, index) => {
    const answer = answers[index]
    if (answer === undefined) throw new Error('the store left a group without an answer')
    const isLearnt = plan.group.some(({ floor }, at) => (answer.counts[at]?.charged ?? 0) > floor.charged)
    if (!answer.accepted && !isLearnt) throw new Error('the store refused what fits by its own figures')
    return [plan, answer]
  })
}
