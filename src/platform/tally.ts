import type { Charge, Taken } from './counters.js'

/** How often windows that are over are looked for: often enough to bound memory, rarely enough to cost nothing. */
const PRUNE_MS = 60_000

interface Count {
  used: number
  windowEnd: Date
}

/** Counters in the memory of this process. Counts only rise; those whose window is over are dropped. */
export class Tally {
  readonly #counts = new Map<string, Count>()
  #prunedAtMs = 0

  knows(key: string): boolean {
    return this.#counts.has(key)
  }

  /** 0 for a key it does not know. */
  used(key: string): number {
    return this.#counts.get(key)?.used ?? 0
  }

  usedOf(charges: readonly Charge[]): readonly number[] {
    return charges.map((charge) => this.used(charge.key))
  }

  /** Notes what a counter stands at, unless more is known already; returns the higher of the two. */
  raise(key: string, used: number, windowEnd: Date): number {
    const count = this.#counts.get(key)
    if (count === undefined) {
      this.#counts.set(key, { used, windowEnd })
      return used
    }
    count.used = Math.max(count.used, used)
    return count.used
  }

  /** Notes what several counters stand at; returns per counter the higher of that and what is known. */
  raiseAll(
    charges: readonly Pick<Charge, 'key' | 'windowEnd'>[],
    used: readonly number[],
  ): readonly number[] {
    return charges.map(({ key, windowEnd }, index) => this.raise(key, used[index] ?? 0, windowEnd))
  }

  knowsAll(charges: readonly Charge[]): boolean {
    return charges.every((charge) => this.knows(charge.key))
  }

  /** Whether the charges are sure not to fit: counts only rise, so what is known of them is enough to say no. */
  refuses(charges: readonly Charge[]): boolean {
    return this.knowsAll(charges) && this.lacks(charges)
  }

  /** Whether some counter, as far as is known here, has not enough left. */
  lacks(charges: readonly Charge[]): boolean {
    return charges.some((charge) => this.used(charge.key) + charge.units > charge.quota)
  }

  /** All or none; in one tick, so that nothing comes between the check and the take. */
  take(charges: readonly Charge[]): Taken {
    if (this.lacks(charges)) return { accepted: false, used: this.usedOf(charges) }
    for (const charge of charges) {
      this.raise(charge.key, this.used(charge.key) + charge.units, charge.windowEnd)
    }
    return { accepted: true, used: this.usedOf(charges) }
  }

  prune(now: Date): void {
    const ageMs = now.getTime() - this.#prunedAtMs
    if (ageMs >= 0 && ageMs < PRUNE_MS) return
    this.#prunedAtMs = now.getTime()
    for (const [key, count] of this.#counts) if (count.windowEnd <= now) this.#counts.delete(key)
  }
}
