import { setImmediate as nextTurn } from 'node:timers/promises'

/** Rows that are completed at a time: with all fields and aliases some milliseconds. */
const ROWS_PER_TURN = 200

/** Characters of the text of an answer that are made at a time. */
const CHARS_PER_TURN = 64 * 1024

/** Spreads the work of one large operation over turns of the event loop, so that other requests go on. */
export class EventLoopBudget {
  #rowsLeft = ROWS_PER_TURN
  #charsLeft = CHARS_PER_TURN
  /** The turn that rows go into now; null: the one that runs. */
  #turn: Promise<void> | null = null

  /** The turn that takes so many more rows; null: the one that runs. */
  spend(rows: number): Promise<void> | null {
    if (this.#rowsLeft < rows && this.#rowsLeft < ROWS_PER_TURN) {
      this.#rowsLeft = ROWS_PER_TURN
      this.#turn = this.#turn === null ? nextTurn() : this.#turn.then(() => nextTurn())
    }
    this.#rowsLeft -= rows
    return this.#turn
  }

  /** The rows of a list, each a promise that is resolved in the turn that takes it. */
  spread<Row>(rows: readonly Row[]): readonly (Row | Promise<Row>)[] {
    return rows.map((row) => this.spend(1)?.then(() => row) ?? row)
  }

  /** A promise to wait for once enough text was made in this turn; null: go on. */
  afterText(chars: number): Promise<void> | null {
    this.#charsLeft -= chars
    if (this.#charsLeft > 0) return null
    this.#charsLeft = CHARS_PER_TURN
    return nextTurn()
  }
}
