import type { DataFreshness } from '../../core/freshness.js'

/**
 * How long a response stays valid without a data change. Services and the envelope record it while they create the
 * response. Later the same request has another response, such as another freshness status or a new "today".
 */
export class Validity {
  #endsAtMs = Number.POSITIVE_INFINITY
  #refreshAtMs = Number.POSITIVE_INFINITY
  readonly #observedMs = new Set<number>()

  /** From this instant on the same request may have another response. */
  endsBy(instant: Date): void {
    this.#endsAtMs = Math.min(this.#endsAtMs, instant.getTime())
  }

  /** The response shows this age. */
  shows(freshness: DataFreshness): void {
    if (freshness.changesAt !== null) this.endsBy(freshness.changesAt)
    if (freshness.next_refresh_at !== null)
      this.#refreshAtMs = Math.min(this.#refreshAtMs, freshness.next_refresh_at.getTime())
    this.#observedMs.add(freshness.last_updated_at.getTime())
  }

  /** Epoch milliseconds; Infinity if only new data end it. */
  get endsAtMs(): number {
    return this.#endsAtMs
  }

  /** When newer facts are due, epoch milliseconds; Infinity if none are, or for a response that shows no age. */
  get refreshAtMs(): number {
    return this.#refreshAtMs
  }

  /** The instants whose ages the response shows, epoch milliseconds. */
  get observedMs(): ReadonlySet<number> {
    return this.#observedMs
  }

  /** A copy, for a separate run. */
  copy(): Validity {
    const copy = new Validity()
    copy.#endsAtMs = this.#endsAtMs
    copy.#refreshAtMs = this.#refreshAtMs
    for (const instant of this.#observedMs) copy.#observedMs.add(instant)
    return copy
  }
}
