import { LRUCache } from 'lru-cache'
import type { DatasetStates } from './data-version.js'
import { type KeptAnswer, keptAnswer, type MadeText, stands } from './kept-answer.js'

/** An answer's facts, key and places in maps take about this much beside its bytes. */
const OVERHEAD_BYTES = 1_024

/** Where nodes keep answers for each other. A failure is a miss, never an error. */
export interface SharedAnswers {
  get(key: string): Promise<MadeText | null>
  set(key: string, made: MadeText): void
  close(): Promise<void>
}

export interface AnswerCacheOptions {
  /** Bytes of memory for answers; 0 keeps none. */
  readonly maxBytes: number
  readonly shared: SharedAnswers | null
}

/**
 * Answers by key, the least recently asked for dropped first. An answer is given only while the versions it was made
 * from stand, so it needs no invalidation; a newer one takes its place.
 */
export class AnswerCache {
  readonly #answers: LRUCache<string, KeptAnswer> | null
  readonly #shared: SharedAnswers | null

  constructor({ maxBytes, shared }: AnswerCacheOptions) {
    this.#shared = maxBytes > 0 ? shared : null
    this.#answers =
      maxBytes > 0
        ? new LRUCache({
            maxSize: maxBytes,
            sizeCalculation: ({ body }, key) => body.size + 2 * key.length + OVERHEAD_BYTES,
          })
        : null
  }

  /** False: nothing is kept. */
  get isKeeping(): boolean {
    return this.#answers !== null
  }

  /** What this node holds and what still stands. */
  get(key: string, states: DatasetStates, now: Date): KeptAnswer | null {
    const kept = this.#answers?.get(key)
    return kept !== undefined && stands(kept, states, now) ? kept : null
  }

  /** What another node made, taken over; null without a second level. */
  async fetch(key: string, states: DatasetStates, now: Date): Promise<KeptAnswer | null> {
    const made = (await this.#shared?.get(key)) ?? null
    if (made === null || !stands(made, states, now)) return null
    const kept = keptAnswer(made)
    if (kept !== null) this.#answers?.set(key, kept)
    return kept
  }

  keep(key: string, made: MadeText): void {
    if (this.#answers === null) return
    const kept = keptAnswer(made)
    if (kept === null) return
    this.#answers.set(key, kept)
    this.#shared?.set(key, made)
  }

  /** Bytes held now, about. */
  get bytes(): number {
    return this.#answers?.calculatedSize ?? 0
  }

  async close(): Promise<void> {
    this.#answers?.clear()
    await this.#shared?.close()
  }
}
