import type { DataFreshness } from '../core/freshness.js'

/**
 * How long an answer stays what it is while no data change: services and the envelope note it as they make the
 * answer. Beyond that the same question has another answer, such as another freshness status or a new "today".
 */
export class AnswerLife {
  #endsAtMs = Number.POSITIVE_INFINITY
  #refreshAtMs = Number.POSITIVE_INFINITY
  readonly #observedMs = new Set<number>()

  /** From this instant on the same question may have another answer. */
  endsBy(instant: Date): void {
    this.#endsAtMs = Math.min(this.#endsAtMs, instant.getTime())
  }

  /** The answer tells this age. */
  tells(freshness: DataFreshness): void {
    if (freshness.changesAt !== null) this.endsBy(freshness.changesAt)
    this.#refreshAtMs = Math.min(this.#refreshAtMs, freshness.next_refresh_at.getTime())
    this.#observedMs.add(freshness.last_updated_at.getTime())
  }

  /** Epoch milliseconds; Infinity where nothing but new data ends it. */
  get endsAtMs(): number {
    return this.#endsAtMs
  }

  /** When newer facts are due, epoch milliseconds; Infinity for an answer that tells no age. */
  get refreshAtMs(): number {
    return this.#refreshAtMs
  }

  /** The instants whose ages the answer tells, epoch milliseconds. */
  get observedMs(): ReadonlySet<number> {
    return this.#observedMs
  }
}
