/** A read whose simultaneous callers share one run. */
export class CoalescedRead<Result> {
  readonly #read: () => Promise<Result>
  #running: Promise<Result> | null = null
  #next: Promise<Result> | null = null

  constructor(read: () => Promise<Result>) {
    this.#read = read
  }

  /** The current run, or a new one. */
  join(): Promise<Result> {
    this.#running ??= this.#read().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** A run that starts after the call, so data that the caller read before is not newer than its result. */
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
