import { setTimeout as sleep } from 'node:timers/promises'
import type { Charge } from './counters.js'

/** Pause before what is owed is given back again. */
const RETRY_MS = 500

/** Counters with something owed; beyond this many what is owed to more of them is dropped. */
const MAX_COUNTERS = 10_000

/** Counters that are given back to at once. */
const AT_ONCE = 64

export interface OwedRefundsOptions {
  /** Tries again; what the store did not get comes back by `owe`. */
  readonly giveBack: (charge: Charge) => Promise<void>
}

/** Units that are to be given back to counters whose store was out, in memory: each half second is tried again. */
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

  /** False: no more counters are kept. */
  owe(charges: readonly Charge[]): boolean {
    if (this.#end.signal.aborted || this.#owed.size + charges.length > MAX_COUNTERS) return false
    for (const charge of charges) {
      const units = charge.units + (this.#owed.get(charge.key)?.units ?? 0)
      this.#owed.set(charge.key, { ...charge, units })
    }
    if (!this.#isRepaying) void this.#repay()
    return true
  }

  /** Owes nothing from now on. */
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

  /** Until all is given back, or the store proves to be out again. */
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
