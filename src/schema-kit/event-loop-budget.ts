import { setImmediate as nextTick } from 'node:timers/promises'

/** Rows that are completed per event loop tick. With all fields and aliases they take some milliseconds. */
const ROWS_PER_TICK = 200

/** Characters of response text that are written per event loop tick. */
const CHARS_PER_TICK = 64 * 1024

/** Spreads the work of one large operation over ticks of the event loop, so that other requests are not delayed. */
export class EventLoopBudget {
  #rowsLeft = ROWS_PER_TICK
  #charsLeft = CHARS_PER_TICK
  /** Resolves in the tick that further rows belong to; null for the current tick. */
  #tick: Promise<void> | null = null

  /** Spends the budget of `rows`. Returns a promise for the tick that may complete them; null for the current tick. */
  spend(rows: number): Promise<void> | null {
    if (this.#rowsLeft < rows && this.#rowsLeft < ROWS_PER_TICK) {
      this.#rowsLeft = ROWS_PER_TICK
      this.#tick = this.#tick === null ? nextTick() : this.#tick.then(() => nextTick())
    }
    this.#rowsLeft -= rows
    return this.#tick
  }

  /** Replaces the rows of later ticks by promises that resolve in their tick. */
  spread<Row>(rows: readonly Row[]): readonly (Row | Promise<Row>)[] {
    return rows.map((row) => this.spend(1)?.then(() => row) ?? row)
  }

  /** Returns a promise for the next tick if this tick has written enough text, else null. */
  afterText(chars: number): Promise<void> | null {
    this.#charsLeft -= chars
    if (this.#charsLeft > 0) return null
    this.#charsLeft = CHARS_PER_TICK
    return nextTick()
  }
}
