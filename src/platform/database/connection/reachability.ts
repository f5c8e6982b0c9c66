/**
 * After one statement times out, later ones get this share of their usual limit until one succeeds. A request runs several
 * statements one after the other, and its client must not wait the full limit for each.
 */
const SUSPECT_SHARE = 0.2

/** Tracks, from the results of statements, whether the server answers. */
export class Reachability {
  readonly #usualMs: number
  #isSuspect = false
  #isDoubtful = false

  /** `usualMs`: the usual limit of a statement. A statement with a longer limit, such as one of a batch, keeps it. */
  constructor(usualMs: number) {
    this.#usualMs = usualMs
  }

  get isSuspect(): boolean {
    return this.#isSuspect
  }

  /** Whether a connection was lost or a result was late since the last result. */
  get isDoubtful(): boolean {
    return this.#isDoubtful
  }

  /** The limit for a statement whose usual limit is `ms`. */
  limit(ms: number): number {
    return this.#isSuspect && ms <= this.#usualMs ? Math.min(ms, SUSPECT_SHARE * this.#usualMs) : ms
  }

  /** The server returned a result or an error, or accepted a connection. */
  answered(): void {
    this.#isSuspect = false
    this.#isDoubtful = false
  }

  /** A connection broke or could not be opened. */
  lost(): void {
    this.#isDoubtful = true
  }

  /** A result or a connection did not come in time. */
  timedOut(): void {
    this.#isDoubtful = true
    this.#isSuspect = true
  }
}
