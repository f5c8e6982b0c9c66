import { setTimeout as delay } from 'node:timers/promises'

/** Waits of a loop; tests let the time pass as they like. */
export interface Timers {
  /** Resolves after that time, or as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface MonotonicTimers extends Timers {
  /** Monotonic milliseconds. */
  nowMs(): number
}

export const processTimers: MonotonicTimers = {
  nowMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal }).catch(() => {
      // Woken.
    })
  },
}
