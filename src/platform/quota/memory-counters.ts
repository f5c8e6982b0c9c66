import type { Sql } from '../database/database.js'
import type { Logger } from '../logger.js'
import { CounterCache } from './counter-cache.js'
import { loadCounters, writeCounters } from './counter-table.js'
import { type Charge, type ConsumeResult, type Counters, EMPTY_COUNT, refundable } from './counters.js'

/** A crash may lose the units of the last two seconds, to the caller's advantage. */
const FLUSH_MS = 2_000

/**
 * Counters of a single process: counted in memory, read from the database at the first touch of a key, and written
 * back every 2 s and on close. Exact while the process lives and over an orderly restart.
 */
export class MemoryCounters implements Counters {
  readonly #sql: Sql
  readonly #log: Logger
  readonly #cache = new CounterCache()
  readonly #changed = new Map<string, Date>()
  readonly #loading = new Map<string, Promise<void>>()
  readonly #timer: NodeJS.Timeout
  #flushing: Promise<void> | null = null
  #isFailing = false

  constructor(sql: Sql, log: Logger) {
    this.#sql = sql
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS)
    this.#timer.unref()
  }

  consume(charges: readonly Charge[], now: Date): ConsumeResult | Promise<ConsumeResult> {
    this.#cache.prune(now)
    if (this.#cache.knowsAll(charges)) return this.#take(charges)
    return this.#load(charges).then(() => this.#take(charges))
  }

  peek(charges: readonly Charge[], now: Date): readonly number[] | Promise<readonly number[]> {
    this.#cache.prune(now)
    if (this.#cache.knowsAll(charges)) return this.#cache.usedOf(charges)
    return this.#load(charges).then(() => this.#cache.usedOf(charges))
  }

  refund(charges: readonly Charge[], now: Date): void | Promise<void> {
    const open = refundable(charges, now)
    if (this.#cache.knowsAll(open)) return this.#refund(open)
    return this.#load(open).then(
      () => this.#refund(open),
      (error: unknown) => {
        this.#log.warn({ err: error }, 'units could not be given back: their counters could not be read')
      },
    )
  }

  /** Writes changed counters. A failure is logged once, and the next flush tries again. */
  flush(): Promise<void> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = null
    })
    return this.#flushing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#flushing
    await this.flush()
  }

  #take(charges: readonly Charge[]): ConsumeResult {
    const taken = this.#cache.consume(charges)
    if (taken.accepted) for (const charge of charges) this.#changed.set(charge.key, charge.windowEnd)
    return taken
  }

  #refund(charges: readonly Charge[]): void {
    this.#cache.refund(charges)
    for (const charge of charges) this.#changed.set(charge.key, charge.windowEnd)
  }

  /** Callers that touch the same new key at once wait for the same read. */
  async #load(charges: readonly Charge[]): Promise<void> {
    const missing = charges.filter(({ key }) => !this.#cache.knows(key) && !this.#loading.has(key))
    if (missing.length > 0) {
      const loaded = this.#read(missing).finally(() => {
        for (const charge of missing) this.#loading.delete(charge.key)
      })
      for (const charge of missing) this.#loading.set(charge.key, loaded)
    }
    await Promise.all(charges.map((charge) => this.#loading.get(charge.key)))
  }

  async #read(charges: readonly Charge[]): Promise<void> {
    const stored = await loadCounters(
      this.#sql,
      charges.map((charge) => charge.key),
    )
    for (const { key, windowEnd } of charges)
      this.#cache.raise(key, stored.get(key) ?? EMPTY_COUNT, windowEnd)
  }

  async #write(): Promise<void> {
    if (this.#changed.size === 0) return
    const counters = [...this.#changed].map(([key, windowEnd]) => ({
      key,
      windowEnd,
      charged: this.#cache.countOf(key).charged,
      refunded: this.#cache.countOf(key).refunded,
    }))
    this.#changed.clear()
    try {
      await writeCounters(this.#sql, counters)
      this.#isFailing = false
    } catch (error) {
      for (const { key, windowEnd } of counters) this.#changed.set(key, windowEnd)
      if (!this.#isFailing) this.#log.error({ err: error }, 'counters could not be written; trying again')
      this.#isFailing = true
    }
  }
}
