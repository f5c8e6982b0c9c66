import DataLoader from 'dataloader'
import type { Clock } from '../../../core/time.js'
import { monthOfCounter } from '../../../policy/quota.js'
import type { Logger } from '../../logger.js'
import { answerWithin } from '../../redis/redis-answer.js'
import type { ConsumeGroup, GroupCharge } from '../consume-plan.js'
import type { CounterCache } from '../counter-cache.js'
import { maxCount } from '../counters.js'
import type { ReadRecordedUse } from '../recorded-use.js'

/** Longest wait for the use that the database recorded: a frozen database must not delay what Redis can answer. */
const RECORDED_MS = 250

/** Pause before the recorded use is read again after the database did not answer. */
const RECORDED_RETRY_MS = 10_000

/** Months per query. */
const MAX_MONTHS = 500

export interface RecordedFloorsOptions {
  readonly recordedUse: ReadRecordedUse
  /** The counter that is stored under a key. */
  readonly counterOf: (key: string) => string
  readonly seen: CounterCache
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
}

/** Raises counters of months that this node sees for the first time to what the database recorded. */
export class RecordedFloors {
  readonly #options: RecordedFloorsOptions
  /** One query for all counters that are seen for the first time in one iteration of the event loop. */
  readonly #recordedUse: DataLoader<string, number>
  /** Counters whose recorded use could not be read, with the end of their window. */
  readonly #unrecorded = new Map<string, Date>()
  #askAtMs = 0

  constructor(options: RecordedFloorsOptions) {
    this.#options = options
    this.#recordedUse = new DataLoader(
      async (counters) => {
        const used = await options.recordedUse(counters)
        return counters.map((counter) => used.get(counter) ?? 0)
      },
      { cache: false, maxBatchSize: MAX_MONTHS, batchScheduleFn: (load) => setImmediate(load) },
    )
  }

  /** The groups with a floor of what the database recorded, for counters that this node has not seen before. */
  async raise(groups: readonly ConsumeGroup[]): Promise<readonly ConsumeGroup[]> {
    const { counterOf, seen, clock, log } = this.#options
    const fresh = groups.flat().filter((charge) => this.#isFresh(charge))
    if (fresh.length === 0) return groups
    const now = clock.now()
    for (const [key, windowEnd] of this.#unrecorded) if (windowEnd <= now) this.#unrecorded.delete(key)
    for (const { key, windowEnd } of fresh) this.#unrecorded.set(key, windowEnd)
    if (now.getTime() < this.#askAtMs) return groups
    try {
      const used = await answerWithin(
        RECORDED_MS,
        Promise.all(fresh.map(({ key }) => this.#recordedUse.load(counterOf(key)))),
      )
      fresh.forEach(({ key, windowEnd }, index) => {
        this.#unrecorded.delete(key)
        seen.raise(key, { charged: used[index] ?? 0, refunded: 0 }, windowEnd)
      })
    } catch (error) {
      const isReported = clock.now().getTime() < this.#askAtMs
      this.#askAtMs = now.getTime() + RECORDED_RETRY_MS
      if (!isReported)
        log.warn({ err: error }, 'the use of this month could not be read; trying again in 10 s')
    }
    return groups.map((group) =>
      group.map((charge) => ({ ...charge, floor: maxCount(seen.countOf(charge.key), charge.floor) })),
    )
  }

  #isFresh({ key }: GroupCharge): boolean {
    const { counterOf, seen } = this.#options
    if (seen.knows(key) && !this.#unrecorded.has(key)) return false
    return monthOfCounter(counterOf(key)) !== null
  }
}
