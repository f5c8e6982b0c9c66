/** A read that many ask for at the same time: one run of it serves all of them. */
export class CoalescedRead<Result> {
  readonly #read: () => Promise<Result>
  #running: Promise<Result> | null = null
  #next: Promise<Result> | null = null

  constructor(read: () => Promise<Result>) {
    this.#read = read
  }

  /** The run under way, or one that begins now. */
  join(): Promise<Result> {
    this.#running ??= this.#read().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** A run that begins after the call: what the caller read before is no newer than its result. */
  next(): Promise<Result> {
    this.#next ??= this.#afterThis()
    return this.#next
  }

  async #afterThis(): Promise<Result> {
    await this.#running?.catch(() => {}) // its own callers get the failure
    this.#next = null
    return this.join()
  }
}
