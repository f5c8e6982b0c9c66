import type { CounterChange } from './redis/redis-scripts.js'

/** Changes of counters that Redis has not applied yet, one per counter. */
export class PendingChanges {
  readonly #owed = new Map<string, CounterChange>()

  /** Counters with a pending change. */
  get size(): number {
    return this.#owed.size
  }

  add({ key, units, refund, windowEnd }: CounterChange): void {
    const known = this.#owed.get(key)
    this.#set({ key, units: units + (known?.units ?? 0), refund: refund + (known?.refund ?? 0), windowEnd })
  }

  /** Redis applied a change. If it applied more than was pending, the excess is undone: units are refunded, refunds charged. */
  settle({ key, units, refund, windowEnd }: CounterChange): void {
    const known = this.#owed.get(key)
    const [charge, back] = [(known?.units ?? 0) - units, (known?.refund ?? 0) - refund]
    this.#set({
      key,
      units: Math.max(0, charge) + Math.max(0, -back),
      refund: Math.max(0, back) + Math.max(0, -charge),
      windowEnd,
    })
  }

  /** Removes and returns the pending changes of open windows; those of ended windows are dropped. */
  takeAll(now: Date): readonly CounterChange[] {
    const open = [...this.#owed.values()].filter(({ windowEnd }) => windowEnd > now)
    this.#owed.clear()
    return open
  }

  #set(change: CounterChange): void {
    if (change.units === 0 && change.refund === 0) this.#owed.delete(change.key)
    else this.#owed.set(change.key, change)
  }
}
