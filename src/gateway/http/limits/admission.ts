import { ApiError } from '../../../core/errors.js'
import { InFlight } from '../../../core/in-flight.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import type { Principal } from '../../../policy/principal.js'

/** Requests that run at once: enough to keep a pool of database connections busy, few enough to answer each soon. */
const SLOTS = 32
/** Of them for one account, so that one account's slow requests leave slots to the others'. */
const SLOTS_PER_ACCOUNT = 24
/** Waiting requests, whatever they wait for. */
const MAX_WAITING = 1_000
/** Longest that a request may be expected to wait: a client that is refused at once can go elsewhere. */
const MAX_EXPECTED_MS = 1_000
/** Longest that a request does wait. */
const MAX_WAIT_MS = 2_000
/** Weight of the newest run in the average. */
const SMOOTHING = 0.05
const RETRY_SECONDS = 1

/** Gives the place back. */
export type Release = () => void

interface Waiting {
  readonly enter: () => void
  readonly refuse: (error: ApiError) => void
  readonly timer: NodeJS.Timeout
}

export interface AdmissionOptions {
  readonly slots?: number
  readonly slotsPerAccount?: number
  readonly maxWaiting?: number
}

/**
 * Bounds how many requests run at once and how many wait. Accounts take turns, so that one that asks much waits for itself.
 * A request that would wait too long is refused at once with 503.
 */
export class Admission {
  readonly #slots: number
  readonly #slotsPerAccount: number
  readonly #maxWaiting: number
  readonly #running = new InFlight()
  /** By account, in the order of their turns. */
  readonly #queues = new Map<string, Waiting[]>()
  #waitingCount = 0
  #averageMs = 0

  constructor(options: AdmissionOptions = {}) {
    this.#slots = options.slots ?? SLOTS
    this.#slotsPerAccount = options.slotsPerAccount ?? Math.min(SLOTS_PER_ACCOUNT, this.#slots)
    this.#maxWaiting = options.maxWaiting ?? MAX_WAITING
  }

  /**
   * A place to run in, at once or after a wait. Throws `service_unavailable` when there are too many before it; `now` is the
   * request's, for when to come back.
   */
  acquire(account: string, now: Date): Release | Promise<Release> {
    // While a slot is free, only accounts that use all of theirs wait: this request overtakes none that could run.
    if (this.#hasSlotFor(account)) return this.#start(account)
    this.#assertRoom(account, now)
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        enter: () => {
          clearTimeout(waiting.timer)
          resolve(this.#start(account))
        },
        refuse: reject,
        timer: setTimeout(() => {
          this.#forget(account, waiting)
          reject(overloaded(now))
        }, MAX_WAIT_MS),
      }
      const queue = this.#queues.get(account)
      if (queue === undefined) this.#queues.set(account, [waiting])
      else queue.push(waiting)
      this.#waitingCount += 1
    })
  }

  /** Runs the work in a place of its own; `leave` gives it back early, for work that then only waits. */
  async run<Result>(
    account: string,
    now: Date,
    work: (leave: Release) => Result | Promise<Result>,
  ): Promise<Result> {
    const place = this.acquire(account, now)
    const leave = place instanceof Promise ? await place : place
    try {
      return await work(leave)
    } finally {
      leave()
    }
  }

  /** Throws where there are too many before it. */
  #assertRoom(account: string, now: Date): void {
    const own = this.#queues.get(account)?.length ?? 0
    const accounts = this.#queues.size + (own === 0 ? 1 : 0)
    // Its turn comes once in a round of all accounts.
    const before = Math.min(this.#waitingCount, (own + 1) * accounts)
    const expectedMs = (before * this.#averageMs) / this.#slots
    const share = Math.ceil(this.#maxWaiting / accounts)
    if (own >= share || this.#waitingCount >= this.#maxWaiting || expectedMs > MAX_EXPECTED_MS)
      throw overloaded(now)
  }

  /** Requests that run and that wait, for the metrics. */
  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running.total, waiting: this.#waitingCount }
  }

  #hasSlotFor(account: string): boolean {
    return this.#running.total < this.#slots && this.#running.of(account) < this.#slotsPerAccount
  }

  #start(account: string): Release {
    const end = this.#running.begin(account)
    const startedAt = performance.now()
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      this.#averageMs += SMOOTHING * (performance.now() - startedAt - this.#averageMs)
      end()
      this.#admit()
    }
  }

  /** The next of the account whose turn it is; its account goes to the end of the round. */
  #admit(): void {
    if (this.#waitingCount === 0 || this.#running.total >= this.#slots) return
    for (const [account, queue] of this.#queues) {
      if (!this.#hasSlotFor(account)) continue
      const next = queue.shift()
      this.#queues.delete(account)
      if (queue.length > 0) this.#queues.set(account, queue)
      if (next === undefined) continue
      this.#waitingCount -= 1
      next.enter()
      return
    }
  }

  #forget(account: string, waiting: Waiting): void {
    const queue = this.#queues.get(account)
    const index = queue?.indexOf(waiting) ?? -1
    if (queue === undefined || index < 0) return
    queue.splice(index, 1)
    if (queue.length === 0) this.#queues.delete(account)
    this.#waitingCount -= 1
  }
}

/** Whose places a request takes: its account's; without one, its address's. */
export function accountOf(principal: Principal, { clientAddress }: Pick<Exchange, 'clientAddress'>): string {
  return principal.kind === 'anonymous' ? clientAddress : principal.accountId
}

function overloaded(now: Date): ApiError {
  return new ApiError('service_unavailable', {
    message: 'Too many requests are waiting; try again shortly.',
    retryAfter: Math.ceil(now.getTime() / 1000) + RETRY_SECONDS,
  })
}
