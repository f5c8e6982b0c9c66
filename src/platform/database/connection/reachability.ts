/**
 * Of a statement's usual limit: what one has after another had no result in time, until one has. A request makes several
 * statements one after the other, and its client must not wait for each of them in full.
 */
const SUSPECT_SHARE = 0.2

/** Whether the server gave results lately, as statements find out. */
export class Reachability {
  readonly #usualMs: number
  #isSuspect = false
  #isDoubtful = false

  /** `usualMs`: limit of a statement; one that has more time, such as those of a batch, keeps it. */
  constructor(usualMs: number) {
    this.#usualMs = usualMs
  }

  get isSuspect(): boolean {
    return this.#isSuspect
  }

  /** Whether a connection was lost, or a result was late, since the server last gave a result. */
  get isDoubtful(): boolean {
    return this.#isDoubtful
  }

  /** The time for what would otherwise have `ms`. */
  limit(ms: number): number {
    return this.#isSuspect && ms <= this.#usualMs ? Math.min(ms, SUSPECT_SHARE * this.#usualMs) : ms
  }

  /** The server gave a result, be it an error, or accepted a connection. */
  answered(): void {
    this.#isSuspect = false
    this.#isDoubtful = false
  }

  /** A connection broke, or none could be made. */
  lost(): void {
    this.#isDoubtful = true
  }

  /** A result or a connection did not come in time. */
  timedOut(): void {
    this.#isDoubtful = true
    this.#isSuspect = true
  }
}
