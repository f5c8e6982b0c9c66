import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../logger.js'

/** Pause between two attempts while the database is unreachable. */
const RETRY_MS = 500

export interface SettleOptions {
  /** Whether this process may still write the outcome. */
  readonly mayWrite: () => boolean
  readonly log: Pick<Logger, 'warn'>
  /** For the log: what is stored, such as "the answer to a mail". */
  readonly outcome: string
}

/**
 * Stores how an attempt ended. Only this process knows that, so it tries until the outcome is stored. It rejects with the
 * last error when this process may no longer write it.
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
