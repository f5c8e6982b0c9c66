import type { Charge, ConsumeResult } from '../../../src/platform/quota/counters.js'

/** What plain addition says of takes one after the other. */
export class SequentialModel {
  readonly #used = new Map<string, number>()

  take(charges: readonly Charge[]): ConsumeResult {
    const fits = charges.every(({ key, units, quota }) => this.usedOf(key) + units <= quota)
    if (fits) for (const { key, units } of charges) this.#used.set(key, this.usedOf(key) + units)
    return { accepted: fits, used: charges.map(({ key }) => this.usedOf(key)) }
  }

  usedOf(key: string): number {
    return this.#used.get(key) ?? 0
  }
}
