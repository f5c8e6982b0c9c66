import type { Charge, Taken } from './counters.js'
import { answersOf, type Call, type Group, nextBatch, planGroup } from './take-plan.js'
import type { Tally } from './tally.js'

/**
 * Groups per round trip. The rows of a batch stay locked until its statement ends, and Redis serves nobody else while
 * its script runs, so a batch has to stay short; at this size the round trip is a small part of each caller's cost.
 */
export const MAX_GROUPS = 64

export interface TakeQueueOptions {
  /** What is known of each counter; the queue raises it by what the store tells. */
  readonly seen: Tally
  /**
   * One round trip: each group is judged and taken by itself, all or nothing. No key is in two groups. Returns per group
   * how its counters stand, after the take or as they were; a group that only looks is always accepted.
   */
  readonly send: (groups: readonly Group[]) => Promise<readonly Taken[]>
  /** Answers a call of a batch whose round trip failed, or throws what its caller gets. */
  readonly instead: (call: Call, error: unknown) => Taken
}

interface WaitingCall extends Call {
  readonly settle: (taken: Taken) => void
  readonly fail: (error: unknown) => void
}

interface PlannedGroup {
  readonly calls: readonly WaitingCall[]
  readonly group: Group
}

/**
 * Group commit for counters: what arrives while a round trip is under way goes out together with the next one, so the
 * store's work does not grow with the number of calls. Every call is judged as if it had come alone, in order of arrival:
 * a group that is refused as a whole tells how its counters stand, is planned anew and goes out again.
 */
export class TakeQueue {
  readonly #options: TakeQueueOptions
  #waiting: WaitingCall[] = []
  #draining: Promise<void> | null = null

  constructor(options: TakeQueueOptions) {
    this.#options = options
  }

  take(charges: readonly Charge[]): Promise<Taken> {
    return new Promise((settle, fail) => this.#enter({ charges, isPeek: false, settle, fail }))
  }

  /** Units used per charge, in the order given. */
  peek(charges: readonly Charge[]): Promise<readonly number[]> {
    return new Promise((resolve, fail) =>
      this.#enter({ charges, isPeek: true, settle: ({ used }) => resolve(used), fail }),
    )
  }

  /** Settles once every call so far has its answer. */
  async drained(): Promise<void> {
    await this.#draining
  }

  #enter(call: WaitingCall): void {
    if (call.charges.length === 0) {
      call.settle({ accepted: true, used: [] })
      return
    }
    this.#waiting.push(call)
    this.#draining ??= this.#drain()
  }

  async #drain(): Promise<void> {
    await null // what else comes in this tick goes along; to wait any longer gained nothing measurable
    while (this.#waiting.length > 0) {
      const { groups, rest } = nextBatch(this.#waiting, MAX_GROUPS)
      this.#waiting = [...rest]
      const refused = await this.#run(groups)
      if (refused.length > 0) this.#waiting = [...refused, ...this.#waiting]
    }
    this.#draining = null
  }

  /** One round trip; returns the calls of refused groups, which go out again. */
  async #run(groups: readonly (readonly WaitingCall[])[]): Promise<readonly WaitingCall[]> {
    const planned = groups
      .filter((calls) => !this.#refusesAll(calls))
      .map((calls) => ({ calls, group: planGroup(calls, this.#options.seen) }))
    if (planned.length === 0) return []
    try {
      const answers = await this.#options.send(planned.map(({ group }) => group))
      return answered(planned, answers).flatMap(([one, answer]) => this.#conclude(one, answer))
    } catch (error) {
      for (const { calls } of planned) for (const call of calls) this.#failOver(call, error)
      return []
    }
  }

  /** A spent window stays spent: what cannot fit, as is known here, needs no round trip. */
  #refusesAll(calls: readonly WaitingCall[]): boolean {
    const { seen } = this.#options
    if (!calls.every(({ charges, isPeek }) => !isPeek && seen.refuses(charges))) return false
    for (const { charges, settle } of calls) settle({ accepted: false, used: seen.usedOf(charges) })
    return true
  }

  #conclude({ calls, group }: PlannedGroup, { accepted, used }: Taken): readonly WaitingCall[] {
    const { seen } = this.#options
    if (!accepted) {
      seen.raiseAll(group, used)
      return calls
    }
    for (const [call, taken] of answersOf(calls, group, used)) {
      call.settle({ accepted: taken.accepted, used: seen.raiseAll(call.charges, taken.used) })
    }
    return []
  }

  #failOver(call: WaitingCall, error: unknown): void {
    try {
      call.settle(this.#options.instead(call, error))
    } catch (failure) {
      call.fail(failure)
    }
  }
}

/** Pairs each group with its answer; throws when the store's answers cannot be right, rather than ask for ever. */
function answered(
  sent: readonly PlannedGroup[],
  answers: readonly Taken[],
): readonly (readonly [PlannedGroup, Taken])[] {
  return sent.map((one, index) => {
    const answer = answers[index]
    if (answer === undefined) throw new Error('the store left a group without an answer')
    const isLearnt = one.group.some(({ floor }, at) => (answer.used[at] ?? 0) > floor)
    if (!answer.accepted && !isLearnt) throw new Error('the store refused what fits by its own figures')
    return [one, answer]
  })
}
