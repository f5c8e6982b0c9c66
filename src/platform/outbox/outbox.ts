import type { LeaderLease } from './leader-lease.js'
import { type PollOptions, startPollLoop } from './poll-loop.js'

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

export interface OutboxOptions extends PollOptions {
  /** The right to do the work; released at the stop. */
  readonly lease: LeaderLease
  /** Does or starts due work; returns the milliseconds until more is due. */
  readonly poll: (term: LeaderTerm) => Promise<number>
}

export interface Outbox {
  /** Starts no new work and waits for running work, up to a limit. The database must still be open. */
  stop(): Promise<void>
}

/** Polls for due work while this process holds the lease, and continues where another process stopped. */
export function startOutbox(options: OutboxOptions): Outbox {
  const { lease, poll } = options
  let begun: { readonly term: LeaderTerm; readonly abort: AbortController } | null = null

  const termOf = (number: number): LeaderTerm => {
    if (begun?.term.number === number) return begun.term
    begun?.abort.abort(new Error('another process had the lease'))
    const abort = new AbortController()
    const { signal } = abort
    const isCurrent = () => !signal.aborted && lease.term() === number
    const mayWrite = () => !signal.aborted && !lease.isLost(number)
    begun = { term: { number, signal, isCurrent, mayWrite, follow: loop.follow }, abort }
    return begun.term
  }
  const loop = startPollLoop(options, async () => {
    const number = lease.term()
    return number === null ? null : poll(termOf(number))
  })
  lease.onChange?.(() => {
    if (begun !== null && lease.isLost(begun.term.number))
      begun.abort.abort(new Error('another process has the lease'))
    loop.wake()
  })
  return {
    stop: async () => {
      begun?.abort.abort(new Error('the process was stopped'))
      await loop.stop()
      await lease.release?.()
    },
  }
}
