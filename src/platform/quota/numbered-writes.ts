import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../../core/time.js'
import type { Sql } from '../database/database.js'

/** A write that is repeated for longer, because the database does not answer, could be applied twice. */
const KEEP_MS = 2 * DAY_MS

/**
 * Begins a statement that changes something only `where exists (select from newer)`: its first three parameters are the writer,
 * the number of the write, and when the row may be deleted. A repetition waits for the first attempt and then finds its number.
 */
export const IF_NEWER = `with newer as (
  insert into rate_counter as known (key, points, expire) values ($1, $2, $3)
  on conflict (key) do update set points = excluded.points, expire = excluded.expire where known.points < excluded.points
  returning key
)`

interface Write {
  readonly number: number
  readonly text: string
  readonly parameters: readonly unknown[]
}

/**
 * The writes of one process, in their order. Each is sent until the database answers, always with the same number, and changes
 * rows once: also when the database had committed it and the answer was lost.
 */
export class NumberedWrites {
  readonly #sql: Sql
  readonly #writer = `writer:${randomUUID()}`
  readonly #waiting: Write[] = []
  #last = 0

  constructor(sql: Sql) {
    this.#sql = sql
  }

  get size(): number {
    return this.#waiting.length
  }

  /** `text` begins with `IF_NEWER`; its parameters begin with the fourth. */
  add(text: string, parameters: readonly unknown[]): void {
    this.#last += 1
    this.#waiting.push({ number: this.#last, text, parameters })
  }

  /** Sends what waits. Throws where the database does not answer; that write and those after it wait for the next call. */
  async send(): Promise<void> {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      await this.#sql.rows(next.text, [this.#writer, next.number, Date.now() + KEEP_MS, ...next.parameters])
      this.#waiting.shift()
    }
  }
}
