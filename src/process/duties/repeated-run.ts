import { settledWithin } from '../../platform/settled-within.js'

/** Longest wait for a run when the process ends: within the drain, with time left to close the database. */
const STOP_MS = 5_000

export interface RepeatedRun {
  /**
   * Starts no further run and waits up to 5 s for the current one. The database must still be open; closing it ends the run,
   * and the next run continues.
   */
  stop(): Promise<void>
}

/**
 * Runs the work after a time, and again each time after the milliseconds that it returned, one run at a time. The work handles
 * its own failures. `isStopped` tells it that the process ends.
 */
export function repeatRun(firstMs: number, work: (isStopped: () => boolean) => Promise<number>): RepeatedRun {
  let timer: NodeJS.Timeout
  let running: Promise<void> = Promise.resolve()
  let isStopped = false
  const run = async () => {
    const waitMs = await work(() => isStopped)
    if (!isStopped) schedule(waitMs)
  }
  const schedule = (afterMs: number) => {
    timer = setTimeout(() => {
      running = run()
    }, afterMs).unref()
  }
  schedule(firstMs)
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await settledWithin(STOP_MS, running)
    },
  }
}
