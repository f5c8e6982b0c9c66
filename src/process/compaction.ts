import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, MINUTE_MS } from '../core/time.js'
import { loadCompactSince, startCompactRows } from '../domains/market/compact/form-store.js'
import { convertBatch } from '../ingest/datasets/market/compact-rows.js'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/logger.js'
import { type RepeatedRun, repeatRun } from './repeated-run.js'

export interface CompactionOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'error'>
}

/** The first minute belongs to the start itself. */
const FIRST_MS = MINUTE_MS
/** How often rows that older nodes wrote, and the start by the operator, are noticed. */
const IDLE_MS = 10 * MINUTE_MS
const BUSY_MS = 1_000
const PROGRESS_MS = MINUTE_MS
/** Longest pause after a batch, which is otherwise as long as the batch. */
const MAX_PAUSE_MS = 1_000

/**
 * Converts candles and bars of before to the compact form, batch by batch with pauses, once an operator has started it. The
 * embedded database belongs to one process, so no older one can read it and it starts by itself.
 */
export function startCompaction({ database, clock, log }: CompactionOptions): RepeatedRun {
  const converted = { candles: 0, bars: 0 }
  let reportedAt = performance.now()
  const report = (text: string) => {
    reportedAt = performance.now()
    log.info({ ...converted }, text)
  }
  /** Returns the time to the next run. */
  const convert = async (isStopped: () => boolean): Promise<number> => {
    if (database.kind === 'pglite' && (await loadCompactSince(database)) === null) {
      await startCompactRows(database, clock.now())
    }
    while (!isStopped()) {
      const began = performance.now()
      const batch = await convertBatch(database)
      if (batch === 'busy') return BUSY_MS
      if (typeof batch === 'string') return IDLE_MS
      converted.candles += batch.candles
      converted.bars += batch.bars
      if (performance.now() - reportedAt > PROGRESS_MS) report('rows are being converted to the compact form')
      await sleep(Math.min(performance.now() - began, MAX_PAUSE_MS))
    }
    return IDLE_MS
  }
  return repeatRun(FIRST_MS, async (isStopped) => {
    try {
      const waitMs = await convert(isStopped)
      if (waitMs === IDLE_MS && converted.candles + converted.bars > 0) {
        report('rows were converted to the compact form')
        Object.assign(converted, { candles: 0, bars: 0 })
      }
      return waitMs
    } catch (error) {
      log.error({ err: error }, 'rows could not be converted to the compact form; the next run tries again')
      return IDLE_MS
    }
  })
}
