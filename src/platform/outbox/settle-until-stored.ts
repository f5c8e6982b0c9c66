import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../logger.js'

/** Between two tries, while the database is out of reach. */
const RETRY_MS = 500

export interface SettleOptions {
  /** Whether the outcome is still this process's to write. */
  readonly mayWrite: () => boolean
  readonly log: Pick<Logger, 'warn'>
  /** For the log: what is stored, such as "the answer to a mail". */
  readonly outcome: string
}

/**
 * Stores how an attempt ended. Only this process knows it, so it tries until the outcome is stored; it rejects with the
 * last error when the outcome is no longer this process's to write.
 */
export async function settleUntilStored<Stored>(
  { mayWrite, log, outcome }: SettleOptions,
  store: () => Promise<Stored>,
): Promise<Stored> {
  for (;;) {
    try {
      return await store()
    } catch (error) {
      if (!mayWrite()) throw error
      log.warn({ err: error }, `${outcome} could not be stored; it is tried again`)
      await delay(RETRY_MS)
    }
  }
}
