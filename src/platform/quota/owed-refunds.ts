import { setTimeout as sleep } from 'node:timers/promises'
import type { Charge } from './counters.js'

/** Pause between two attempts to give units back. */
const RETRY_MS = 500

/** At most so many counters are remembered; refunds to further counters are dropped. */
const MAX_COUNTERS = 10_000

/** Counters that are refunded at the same time. */
const AT_ONCE = 64

export interface OwedRefundsOptions {
  /** Tries a refund again. What the store did not receive is passed to `owe` again. */
  readonly giveBack: (charge: Charge) => Promise<void>
}

/** Refunds, in memory, to counters whose store did not answer. They are tried again every half second. */
export class OwedRefunds {
  readonly #owed = new Map<string, Charge>()
  readonly #options: OwedRefundsOptions
  readonly #end = new AbortController()
  #isRepaying = false

  constructor(options: OwedRefundsOptions) {
    this.#options = options
  }

  /** Counters to which something is owed. */
  get size(): number {
    return this.#owed.size
  }

  /** False when no further counter can be remembered. */
  owe(charges: readonly Charge[]): boolean {
    if (this.#end.signal.aborted || this.#owed.size + charges.length > MAX_COUNTERS) return false
    for (const charge of charges) {
      const units = charge.units + (this.#owed.get(charge.key)?.units ?? 0)
      this.#owed.set(charge.key, { ...charge, units })
    }
    if (!this.#isRepaying) void this.#repay()
    return true
  }

  /** Drops everything that is owed. */
  close(): void {
    this.#end.abort()
  }

  async #repay(): Promise<void> {
    this.#isRepaying = true
    try {
      while (this.#owed.size > 0) {
        await sleep(RETRY_MS, null, { ref: false, signal: this.#end.signal })
        await this.#giveBackSome()
      }
    } catch (error) {
      if (!this.#end.signal.aborted) throw error
    } finally {
      this.#isRepaying = false
    }
  }

  /** Runs until everything is given back or the store fails again. */
  async #giveBackSome(): Promise<void> {
    for (let left = this.#owed.size; left > 0; ) {
      const some = [...this.#owed.values()].slice(0, AT_ONCE)
      for (const { key } of some) this.#owed.delete(key)
      await Promise.all(some.map((charge) => this.#options.giveBack(charge)))
      if (this.#owed.size > left - some.length) return
      left = this.#owed.size
    }
  }
}
