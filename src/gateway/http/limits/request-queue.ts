/** Number of requests that start per tick of the event loop: some milliseconds of work. */
const PER_TICK = 64

/**
 * Limits how many requests start per tick of the event loop. If hundreds arrive at once, the others start in the following
 * ticks, so that they do not delay health checks and database results.
 */
export class RequestQueue {
  readonly #perTick: number
  readonly #waiting: (() => void)[] = []
  #started = 0
  #isRenewing = false

  constructor(perTick: number = PER_TICK) {
    this.#perTick = perTick
  }

  /** Returns null if the request may start now, else a promise that resolves in the order of arrival. */
  enter(): Promise<void> | null {
    this.#started += 1
    // With few requests per tick the counter needs no reset, which would cost an extra tick.
    if (this.#started * 2 >= this.#perTick) this.#renewSoon()
    if (this.#started <= this.#perTick) return null
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #renewSoon(): void {
    if (this.#isRenewing) return
    this.#isRenewing = true
    setImmediate(() => {
      this.#isRenewing = false
      const next = this.#waiting.splice(0, this.#perTick)
      this.#started = next.length
      if (this.#waiting.length > 0) this.#renewSoon()
      for (const start of next) start()
    })
  }
}
