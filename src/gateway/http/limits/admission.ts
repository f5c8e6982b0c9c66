import { ApiError } from '../../../core/errors.js'
import { InFlight } from '../../../core/in-flight.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import type { Principal } from '../../../policy/principal.js'

/** Number of requests that run at once: enough to keep the database connections busy, few enough to finish each soon. */
const SLOTS = 32
/** Maximum number of slots per account, so that slow requests of one account leave slots for the others. */
const SLOTS_PER_ACCOUNT = 24
/** Maximum number of waiting requests. */
const MAX_WAITING = 1_000
/** A request with a longer expected wait is rejected at once, so that its client can use another node. */
const MAX_EXPECTED_MS = 1_000
/** A request that has waited this long is rejected. */
const MAX_WAIT_MS = 2_000
/** Weight of the newest run in the moving average of run times. */
const SMOOTHING = 0.05
const RETRY_SECONDS = 1

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
 * Limits how many requests run at once and how many wait. Accounts are served round-robin, so that an account with many
 * requests delays only itself. A request that would wait too long is rejected at once with 503.
 */
export class Admission {
  readonly #slots: number
  readonly #slotsPerAccount: number
  readonly #maxWaiting: number
  readonly #running = new InFlight()
  /** By account, in round-robin order. */
  readonly #queues = new Map<string, Waiting[]>()
  #waitingCount = 0
  #averageMs = 0

  constructor(options: AdmissionOptions = {}) {
    this.#slots = options.slots ?? SLOTS
    this.#slotsPerAccount = options.slotsPerAccount ?? Math.min(SLOTS_PER_ACCOUNT, this.#slots)
    this.#maxWaiting = options.maxWaiting ?? MAX_WAITING
  }

  /**
   * Acquires a permit, at once or after a wait. Throws `service_unavailable` if too many requests wait. `now` is the time
   * of the request, for `retry_after`.
   */
  acquire(account: string, now: Date): Release | Promise<Release> {
    // While a slot is free, only accounts at their own limit wait, so this request overtakes none that could run.
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

  /** Runs the work with a permit. `release` returns the permit early, for work that then only waits. */
  async run<Result>(
    account: string,
    now: Date,
    work: (release: Release) => Result | Promise<Result>,
  ): Promise<Result> {
    const permit = this.acquire(account, now)
    const release = permit instanceof Promise ? await permit : permit
    try {
      return await work(release)
    } finally {
      release()
    }
  }

  /** Throws if too many requests wait. */
  #assertRoom(account: string, now: Date): void {
    const own = this.#queues.get(account)?.length ?? 0
    const accounts = this.#queues.size + (own === 0 ? 1 : 0)
    // Round-robin serves one request of each account per round.
    const before = Math.min(this.#waitingCount, (own + 1) * accounts)
    const expectedMs = (before * this.#averageMs) / this.#slots
    const share = Math.ceil(this.#maxWaiting / accounts)
    if (own >= share || this.#waitingCount >= this.#maxWaiting || expectedMs > MAX_EXPECTED_MS)
      throw overloaded(now)
  }

  /** Number of running and waiting requests, for metrics. */
  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running.total, waiting: this.#waitingCount }
  }

  #hasSlotFor(account: string): boolean {
    return this.#running.total < this.#slots && this.#running.of(account) < this.#slotsPerAccount
  }

  #start(account: string): Release {
    const end = this.#running.begin(account)
    const startedAt = performance.now()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#averageMs += SMOOTHING * (performance.now() - startedAt - this.#averageMs)
      end()
      this.#admit()
    }
  }

  /** Starts the next request of the next account, which moves to the end of the round. */
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

/** Whose permits a request uses: the account, the visitor with the demo key, or the client address of an anonymous caller. */
export function accountOf(principal: Principal, { clientAddress }: Pick<Exchange, 'clientAddress'>): string {
  return principal.kind === 'anonymous' ? clientAddress : principal.meterId
}

function overloaded(now: Date): ApiError {
  return new ApiError('service_unavailable', {
    message: 'Too many requests are waiting; try again shortly.',
    retryAfter: Math.ceil(now.getTime() / 1000) + RETRY_SECONDS,
  })
}
