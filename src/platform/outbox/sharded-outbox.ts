import { type PollOptions, startPollLoop } from './poll-loop.js'
import type { ShardLeases, ShardPermit } from './shard-leases.js'
import type { HeldShard } from './shard-store.js'

/** Work on a shard that a poll has begun. It must be followed or given back. */
export interface BegunWork extends Pick<ShardPermit, 'shard' | 'term' | 'isValid' | 'release'> {
  /** Aborted when the outbox is stopped or another node has the shard. */
  readonly signal: AbortSignal
  /** Whether results may be written. True also while the lease could not be renewed, until it is known to be lost. */
  mayWrite(): boolean
}

/** What a poll may do on the shards of this node. */
export interface ShardTurn {
  readonly node: string
  /** The shards on which work may begin. */
  readonly shards: readonly HeldShard[]
  /** Aborted when the outbox is stopped. */
  readonly signal: AbortSignal
  /** Null if work on the shard may not begin any more. */
  begin(shard: number): BegunWork | null
  /** Adds running work, which must never reject. At its end it is given back and wakes the outbox; a stop waits for it. */
  follow(begun: BegunWork, work: Promise<void>): void
}

export interface Outbox {
  /** Starts no new work and waits for running work, up to a limit. The database must still be open. */
  stop(): Promise<void>
}

export interface ShardedOutboxOptions extends PollOptions {
  /** The right to do the work; released at the stop. */
  readonly leases: ShardLeases
  /** Does or starts due work; returns the milliseconds until more is due. */
  readonly poll: (turn: ShardTurn) => Promise<number>
}

/** Polls for due work of the shards of this node, and continues where another node stopped. */
export function startShardedOutbox(options: ShardedOutboxOptions): Outbox {
  const { leases, poll } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const begin = (shard: number): BegunWork | null => {
    const permit = signal.aborted ? null : leases.acquire(shard)
    if (permit === null) return null
    return {
      shard: permit.shard,
      term: permit.term,
      signal: AbortSignal.any([permit.signal, signal]),
      isValid: () => !signal.aborted && permit.isValid(),
      mayWrite: () => !signal.aborted && permit.mayWrite(),
      release: permit.release,
    }
  }
  const loop = startPollLoop(options, async () => {
    const shards = leases.usable()
    if (shards.length === 0) return null
    return poll({ node: leases.node, shards, signal, begin, follow })
  })
  function follow(begun: BegunWork, work: Promise<void>): void {
    loop.follow(work.finally(begun.release))
  }
  leases.onChange(loop.wake)
  return {
    stop: async () => {
      stopping.abort(new Error('the process was stopped'))
      await loop.stop()
      await leases.stop()
    },
  }
}
