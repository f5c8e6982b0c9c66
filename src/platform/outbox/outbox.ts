import { setTimeout as delay } from 'node:timers/promises'
import { settledWithin } from '../settled-within.js'
import type { LeaderLease } from './leader-lease.js'

/** How often the lease is checked while another process holds it. */
const WITHOUT_LEASE_MS = 500

/** Wait after a poll failed, for instance because the database is unreachable. */
const FAILED_POLL_MS = 5_000

const STOP_MS = 3_000

/** The term of the lease under which a poll begins work. */
export interface LeaderTerm {
  readonly number: number
  /** Aborted when the outbox is stopped or another process has the lease. */
  readonly signal: AbortSignal
  /** Whether new work may start. */
  isCurrent(): boolean
  /** Whether results may be written. True also while the lease could not be renewed, until another process holds it. */
  mayWrite(): boolean
  /** Adds running work, which must never reject. Its end wakes the outbox; a stop waits for it. */
  follow(work: Promise<void>): void
}

export interface OutboxOptions {
  /** The right to do the work; released at the stop. */
  readonly lease: LeaderLease
  /** Does or starts due work; returns the milliseconds until more is due. */
  readonly poll: (term: LeaderTerm) => Promise<number>
  /** Reports a failed poll; another one follows. */
  readonly onError: (error: unknown) => void
  /** Work that ends within this time is followed by one poll. */
  readonly gatherMs?: number
  /** Longest wait for work in flight at a stop. */
  readonly stopMs?: number
  /** Resolves after that time, or when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface Outbox {
  /** Starts no new work and waits for running work, up to a limit. The database must still be open. */
  stop(): Promise<void>
}

/** Polls for due work while this process holds the lease, and continues where another process stopped. */
export function startOutbox(options: OutboxOptions): Outbox {
  const { lease, poll, onError, gatherMs = 0, stopMs = STOP_MS, sleep = sleepUntil } = options
  const stopping = new AbortController()
  const inFlight = new Set<Promise<void>>()
  let waking = new AbortController()
  let begun: { readonly term: LeaderTerm; readonly abort: AbortController } | null = null

  const follow = (work: Promise<void>) => {
    const followed = work.then(() => {
      inFlight.delete(followed)
      waking.abort()
    })
    inFlight.add(followed)
  }
  const termOf = (number: number): LeaderTerm => {
    if (begun?.term.number === number) return begun.term
    begun?.abort.abort(new Error('another process had the lease'))
    const abort = new AbortController()
    const { signal } = abort
    const isCurrent = () => !signal.aborted && lease.term() === number
    const mayWrite = () => !signal.aborted && !lease.isLost(number)
    begun = { term: { number, signal, isCurrent, mayWrite, follow }, abort }
    return begun.term
  }
  const pollOnce = async (): Promise<number> => {
    const number = lease.term()
    return number === null ? WITHOUT_LEASE_MS : poll(termOf(number))
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      waking = new AbortController()
      const waitMs = await pollOnce().catch((error: unknown) => {
        onError(error)
        return FAILED_POLL_MS
      })
      await sleep(waitMs, waking.signal)
      if (waking.signal.aborted && gatherMs > 0) await sleep(gatherMs, stopping.signal)
    }
    await Promise.all(inFlight)
  }
  lease.onChange?.(() => {
    if (begun !== null && lease.isLost(begun.term.number))
      begun.abort.abort(new Error('another process has the lease'))
    waking.abort()
  })
  const ended = run()
  return {
    stop: async () => {
      stopping.abort()
      begun?.abort.abort(new Error('the process was stopped'))
      waking.abort()
      await settledWithin(stopMs, ended)
      await lease.release?.()
    },
  }
}

async function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    // Woken.
  })
}
