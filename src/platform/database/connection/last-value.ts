import { CoalescedRead } from '../../coalesced-read.js'
import type { Outage } from './outage.js'

/** While the database is away, a value that was read before serves for this long. */
const USED_IN_OUTAGE_MS = 300_000

export interface LastValueOptions<Value> {
  /** Gets the value of the last read, or null. */
  readonly read: (last: Value | null) => Promise<Value>
  readonly maxAgeMs: number
  /** The clock by which values age. */
  readonly nowMs: () => number
  readonly outage: Outage
}

/**
 * A value of the database that is read again when it is older than `maxAgeMs`, once for all simultaneous callers. While the
 * database is away the last value serves, and nobody waits for the reads that find out whether it is back.
 */
export class LastValue<Value> {
  readonly #options: LastValueOptions<Value>
  readonly #reads = new CoalescedRead(() => this.#read())
  #last: { readonly value: Value; readonly readAtMs: number } | null = null

  constructor(options: LastValueOptions<Value>) {
    this.#options = options
  }

  /** Without a promise if the value is young enough, or if the database is away. */
  get(): Value | Promise<Value> {
    const { maxAgeMs, outage } = this.#options
    const last = this.#last
    if (last === null) return this.#reads.join()
    if (this.#isYounger(last.readAtMs, maxAgeMs)) return last.value
    const isServed = () => outage.isOn && this.#isYounger(last.readAtMs, USED_IN_OUTAGE_MS)
    if (isServed()) {
      if (outage.mayAsk()) this.#reads.join().catch(() => {}) // the outage goes on
      return last.value
    }
    return this.#reads.join().catch((error: unknown) => {
      if (isServed()) return last.value
      throw error
    })
  }

  /** The value of a read that starts after this call. */
  fresh(): Promise<Value> {
    return this.#reads.next()
  }

  async #read(): Promise<Value> {
    const { read, nowMs, outage } = this.#options
    const readAtMs = nowMs()
    try {
      const value = await read(this.#last?.value ?? null)
      this.#last = { value, readAtMs }
      outage.end()
      return value
    } catch (error) {
      outage.note(error)
      throw error
    }
  }

  /** False for a value of the future: the clock was put back. */
  #isYounger(readAtMs: number, ms: number): boolean {
    const ageMs = this.#options.nowMs() - readAtMs
    return ageMs >= 0 && ageMs < ms
  }
}
