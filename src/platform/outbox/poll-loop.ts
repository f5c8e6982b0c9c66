import { settledWithin } from '../settled-within.js'
import { processTimers, type Timers } from '../timers.js'

/** How often the loop looks whether it may poll while it may not. */
const WITHOUT_LEASE_MS = 500

/** Wait after a poll failed, for instance because the database is unreachable. */
const FAILED_POLL_MS = 5_000

const STOP_MS = 3_000

export interface PollOptions {
  /** Reports a failed poll; another one follows. */
  readonly onError: (error: unknown) => void
  /** Work that ends within this time is followed by one poll. */
  readonly gatherMs?: number
  /** Longest wait for work in flight at a stop. */
  readonly stopMs?: number
  readonly sleep?: Timers['sleep']
}

export interface PollLoop {
  /** Adds running work, which must never reject. Its end wakes the loop; a stop waits for it. */
  follow(work: Promise<void>): void
  wake(): void
  /** Begins no new poll and waits for running work, up to a limit. */
  stop(): Promise<void>
}

/** Polls until it is stopped. `poll` returns the milliseconds until more is due, or null while it may not begin work. */
export function startPollLoop(options: PollOptions, poll: () => Promise<number | null>): PollLoop {
  const { onError, gatherMs = 0, stopMs = STOP_MS, sleep = processTimers.sleep } = options
  const stopping = new AbortController()
  const inFlight = new Set<Promise<void>>()
  let waking = new AbortController()
  const wake = () => waking.abort()

  const run = async () => {
    while (!stopping.signal.aborted) {
      waking = new AbortController()
      const waitMs = await poll().catch((error: unknown) => {
        onError(error)
        return FAILED_POLL_MS
      })
      await sleep(waitMs ?? WITHOUT_LEASE_MS, waking.signal)
      if (waking.signal.aborted && gatherMs > 0) await sleep(gatherMs, stopping.signal)
    }
    await Promise.all(inFlight)
  }
  // A poll may follow work at once.
  const ended = Promise.resolve().then(run)
  return {
    follow: (work) => {
      const followed = work.then(() => {
        inFlight.delete(followed)
        wake()
      })
      inFlight.add(followed)
    },
    wake,
    stop: async () => {
      stopping.abort()
      wake()
      await settledWithin(stopMs, ended)
    },
  }
}
