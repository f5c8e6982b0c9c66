/** Counts work in flight by key and in total. Keys without work are removed. */
export class InFlight<Key extends string = string> {
  readonly #counts = new Map<Key, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(key: Key): number {
    return this.#counts.get(key) ?? 0
  }

  /** Keys with at least this much work in flight; `most` is 1 or more. */
  keysAt(most: number): readonly Key[] {
    return [...this.#counts].filter(([, count]) => count >= most).map(([key]) => key)
  }

  /** Counts one more piece of work. The returned function ends it; calling it again does nothing. */
  begin(key: Key): () => void {
    this.#total += 1
    this.#counts.set(key, this.of(key) + 1)
    let isInFlight = true
    return () => {
      if (!isInFlight) return
      isInFlight = false
      this.#total -= 1
      const left = this.of(key) - 1
      if (left > 0) this.#counts.set(key, left)
      else this.#counts.delete(key)
    }
  }
}
