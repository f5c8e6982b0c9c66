/** Requests that start in one turn of the event loop: some milliseconds of work. */
const PER_TURN = 64

/**
 * Bounds how many requests start in one turn of the event loop. When hundreds of connections ask in one moment, the others
 * start in the turns that follow, so that health checks and what comes from the database are not held up by all of them.
 */
export class RequestQueue {
  readonly #perTurn: number
  readonly #waiting: (() => void)[] = []
  #started = 0
  #isRenewing = false

  constructor(perTurn: number = PER_TURN) {
    this.#perTurn = perTurn
  }

  /** Null: start now. Otherwise resolves when it is this request's turn, in the order of arrival. */
  enter(): Promise<void> | null {
    this.#started += 1
    // Few requests need no renewal of their own, which would cost each of them a turn of the loop without waiting.
    if (this.#started * 2 >= this.#perTurn) this.#renewSoon()
    if (this.#started <= this.#perTurn) return null
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #renewSoon(): void {
    if (this.#isRenewing) return
    this.#isRenewing = true
    setImmediate(() => {
      this.#isRenewing = false
      const next = this.#waiting.splice(0, this.#perTurn)
      this.#started = next.length
      if (this.#waiting.length > 0) this.#renewSoon()
      for (const start of next) start()
    })
  }
}
