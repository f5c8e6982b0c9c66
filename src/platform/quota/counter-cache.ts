import { type Charge, type ConsumeResult, type Count, EMPTY_COUNT, usedOf } from './counters.js'

/** How often ended windows are removed: often enough to bound memory, rarely enough to cost nothing. */
const PRUNE_MS = 60_000

/**
 * How long a used-up window is refused from memory. After that the store is read again, because another node may have given
 * units back. So a caller causes at most one read per second.
 */
const REFUSAL_MS = 1_000

interface KnownCount {
  readonly count: Count
  readonly windowEnd: Date
  /** When the store, or this node itself, last reported it: milliseconds of the steady clock. */
  readonly reportedAtMs: number
}

/** Counters in the memory of this process. Both figures only rise; counters whose window is over are dropped. */
export class CounterCache {
  readonly #counts = new Map<string, KnownCount>()
  readonly #steadyMs: () => number
  #prunedAtMs = 0

  /** `steadyMs`: milliseconds of a clock that never goes back. */
  constructor(steadyMs: () => number = () => performance.now()) {
    this.#steadyMs = steadyMs
  }

  knows(key: string): boolean {
    return this.#counts.has(key)
  }

  /** Nothing taken for a key it does not know. */
  countOf(key: string): Count {
    return this.#counts.get(key)?.count ?? EMPTY_COUNT
  }

  /** 0 for a key it does not know. */
  used(key: string): number {
    return usedOf(this.countOf(key))
  }

  usedOf(charges: readonly Pick<Charge, 'key'>[]): readonly number[] {
    return charges.map((charge) => this.used(charge.key))
  }

  /** Notes what a counter holds, unless more is known already; returns the higher figures. */
  raise(key: string, { charged, refunded }: Count, windowEnd: Date): Count {
    const known = this.#counts.get(key)
    const count = {
      charged: Math.max(known?.count.charged ?? 0, charged),
      refunded: Math.max(known?.count.refunded ?? 0, refunded),
    }
    this.#counts.set(key, {
      count,
      windowEnd: known?.windowEnd ?? windowEnd,
      reportedAtMs: this.#steadyMs(),
    })
    return count
  }

  /** Units are being given back to these counters, so nothing is refused from memory until the store has reported them. */
  doubt(charges: readonly Charge[]): void {
    for (const { key } of charges) {
      const known = this.#counts.get(key)
      if (known !== undefined) this.#counts.set(key, { ...known, reportedAtMs: Number.NEGATIVE_INFINITY })
    }
  }

  knowsAll(charges: readonly Charge[]): boolean {
    return charges.every((charge) => this.knows(charge.key))
  }

  /** Whether all counters are known, and one of them had not enough left within the last second. */
  refuses(charges: readonly Charge[]): boolean {
    return this.knowsAll(charges) && charges.some((charge) => this.#lacks(charge) && this.#isRecent(charge))
  }

  /** Whether some counter, as far as is known here, has not enough left. */
  lacks(charges: readonly Charge[]): boolean {
    return charges.some((charge) => this.#lacks(charge))
  }

  /** Charges all counters or none, synchronously, so that no other call comes between check and charge. */
  consume(charges: readonly Charge[]): ConsumeResult {
    if (this.lacks(charges)) return { accepted: false, used: this.usedOf(charges) }
    for (const { key, units, windowEnd } of charges) {
      const { charged, refunded } = this.countOf(key)
      this.raise(key, { charged: charged + units, refunded }, windowEnd)
    }
    return { accepted: true, used: this.usedOf(charges) }
  }

  /** Gives units back, at most what is used; returns what each charge got back, in the order given. */
  refund(charges: readonly Charge[]): readonly number[] {
    return charges.map(({ key, units, windowEnd }) => {
      const { charged, refunded } = this.countOf(key)
      const back = Math.min(units, charged - refunded)
      this.raise(key, { charged, refunded: refunded + back }, windowEnd)
      return back
    })
  }

  prune(now: Date): void {
    const ageMs = now.getTime() - this.#prunedAtMs
    if (ageMs >= 0 && ageMs < PRUNE_MS) return
    this.#prunedAtMs = now.getTime()
    for (const [key, count] of this.#counts) if (count.windowEnd <= now) this.#counts.delete(key)
  }

  #isRecent({ key }: Charge): boolean {
    const known = this.#counts.get(key)
    return known !== undefined && this.#steadyMs() - known.reportedAtMs < REFUSAL_MS
  }

  #lacks({ key, units, quota }: Charge): boolean {
    return this.used(key) + units > quota
  }
}
