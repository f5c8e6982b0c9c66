import type { Sql } from '../../../platform/database/database.js'
import type { Logger } from '../../../platform/logger.js'
import { type DigestMove, moveDigests } from './key-digest-store.js'

const FLUSH_EVERY_MS = 1_000
/** Bounds memory and statements. Other keys are moved at their next use. */
const MAX_PENDING = 1_000
/** A key that another transaction holds, e.g. to record its use, is tried again this often. */
const MAX_TRIES = 5

interface PendingMove extends DigestMove {
  readonly tries: number
  readonly onMoved: () => void
}

/**
 * Moves the digests of used keys to the current pepper, in batches off the path of requests. Only the use of a key makes that
 * possible, because its text is stored nowhere.
 */
export class DigestMover {
  readonly #sql: Sql
  readonly #pepperId: string
  readonly #log: Pick<Logger, 'warn'>
  readonly #timer: NodeJS.Timeout
  #pending = new Map<string, PendingMove>()
  #flushing: Promise<void> | null = null

  constructor(sql: Sql, pepperId: string, log: Pick<Logger, 'warn'>) {
    this.#sql = sql
    this.#pepperId = pepperId
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref()
  }

  note(move: DigestMove, onMoved: () => void): void {
    if (this.#pending.size < MAX_PENDING) this.#pending.set(move.keyId, { ...move, onMoved, tries: 1 })
  }

  /** Stores the pending digests. When that fails, it logs and drops them; the next use of such a key notes it again. */
  flush(): Promise<void> {
    if (this.#flushing === null && this.#pending.size > 0) {
      this.#flushing = this.#write().finally(() => {
        this.#flushing = null
      })
    }
    return this.#flushing ?? Promise.resolve()
  }

  async #write(): Promise<void> {
    const moves = [...this.#pending.values()]
    this.#pending = new Map()
    try {
      const moved = await moveDigests(this.#sql, moves, this.#pepperId)
      for (const move of moves) {
        if (moved.has(move.keyId)) move.onMoved()
        else if (move.tries < MAX_TRIES) this.#pending.set(move.keyId, { ...move, tries: move.tries + 1 })
      }
    } catch (error) {
      this.#log.warn({ err: error, keys: moves.length }, 'could not store digests of keys with KEY_PEPPER')
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) await this.flush()
  }
}
