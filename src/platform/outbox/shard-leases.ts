import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Database, Transaction } from '../database/database.js'
import type { Logger } from '../logger.js'
import { settledWithin } from '../settled-within.js'
import type { MonotonicTimers } from '../timers.js'
import type { ShardedWork } from './shard-statements.js'
import { createShardStore, type HeldShard, type ShardClaim } from './shard-store.js'

/** Longest wait for the release when the process stops; leases that are not released expire. */
const RELEASE_MS = 1_000

/** Another node has the shard, because this node did not renew its lease in time. */
export class ShardLost extends Error {
  override readonly name = 'ShardLost'
}

/** The right to work on a shard. Its holder must give it back. */
export interface ShardPermit extends HeldShard {
  /** Aborted when another node has the shard. */
  readonly signal: AbortSignal
  /** Whether requests may start: the lease has not expired. */
  isValid(): boolean
  /** Whether results may be written. True also while the lease could not be renewed, until it is known to be lost. */
  mayWrite(): boolean
  /** Locks the lease until the transaction ends. Throws ShardLost if another node has it. */
  fence(tx: Transaction): Promise<void>
  release(): void
}

export interface ShardLeasesOptions {
  readonly work: ShardedWork
  readonly database: Database
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly timers: MonotonicTimers
  readonly shards: number
  /** The shards that this node can do; all by default. */
  readonly wanted?: readonly number[]
  /** How long a lease lasts without renewal: others take the shards of a killed node after it and one renewal, a third of it. */
  readonly leaseMs: number
}

/** The shards of this node. */
export interface ShardLeases {
  readonly node: string
  /** Number of shards that the work is divided into. */
  readonly shards: number
  /** The shards on which work may begin. */
  usable(): readonly HeldShard[]
  /** The term of the lease on the shard; null if work on it may not begin. */
  termOf(shard: number): number | null
  /** Null if work on the shard may not begin. */
  acquire(shard: number): ShardPermit | null
  /** This node's part of a total that all living nodes divide; the parts differ by at most one. */
  partOf(total: number): number
  /** Calls the listener after the shards on which work may begin have changed. */
  onChange(listener: () => void): void
  /** Ends the renewal and releases the shards. */
  stop(): Promise<void>
}

interface Lease extends HeldShard {
  untilMs: number
  /** Work in progress. A shard that is given up is released after it. */
  readonly work: Set<ShardPermit>
  readonly abort: AbortController
  isLeaving: boolean
}

/**
 * Takes a fair share of the shards that this node can do and renews their leases. A node that joins gets shards as soon as others
 * have finished the work that they began on them. Shards that the other nodes leave free, because they cannot do them, are taken
 * after two lease times beyond the share.
 */
export function startShardLeases(options: ShardLeasesOptions): ShardLeases {
  const { work, database, log, timers, shards, leaseMs } = options
  const wanted = options.wanted ?? Array.from({ length: shards }, (_, shard) => shard)
  const store = createShardStore(work)
  const claim: ShardClaim = {
    node: randomUUID(),
    nodeName: `${hostname()}:${process.pid}`,
    shards,
    wanted,
    leaseMs,
  }
  const stopping = new AbortController()
  let leases = new Map<number, Lease>()
  let living = { nodes: 1, rank: 0 }
  let otherShards: number | null = null
  /** Shards beyond the share, which the nodes that live now leave free. */
  let extra = 0
  let freeSinceMs: number | null = null
  let onChange = () => {}

  const isUsable = (lease: Lease | undefined): lease is Lease =>
    lease !== undefined && !lease.isLeaving && timers.nowMs() < lease.untilMs
  const usable = () => [...leases.values()].filter(isUsable)
  const partOf = (total: number) =>
    Math.floor(total / living.nodes) + (living.rank < total % living.nodes ? 1 : 0)

  const renew = async () => {
    const kept = [...leases.values()].filter((lease) => !lease.isLeaving || lease.work.size > 0)
    const untilMs = timers.nowMs() + leaseMs
    const renewal = await store.renew(
      database,
      claim,
      kept.map(({ shard }) => shard),
    )
    // A shard with another term was lost and taken again: work on it began under the former one.
    const held = kept.filter(({ shard, term }) =>
      renewal.held.some((row) => row.shard === shard && row.term === term),
    )
    for (const lease of held) lease.untilMs = untilMs
    for (const lease of kept)
      if (!held.includes(lease)) lease.abort.abort(new ShardLost(`another node has shard ${lease.shard}`))
    leases = new Map(held.map((lease) => [lease.shard, lease]))
    if (living.nodes !== renewal.nodes || living.rank !== renewal.rank) {
      extra = 0
      freeSinceMs = null
    }
    living = renewal
    warnOfOthers(renewal.otherShards)
    return renewal
  }
  const warnOfOthers = (others: number | null) => {
    if (others !== null && others !== otherShards)
      log.warn(
        { shards, others },
        `another node has another number of shards: this node does none of the ${work.name} before that one stops`,
      )
    otherShards = others
  }
  /** Chooses the shards to give up, those without work first, so that the node keeps its share. */
  const giveUp = (quota: number): number => {
    const byWork = [...leases.values()].sort((a, b) => b.work.size - a.work.size || a.shard - b.shard)
    for (const lease of byWork.filter(({ isLeaving }) => isLeaving)) {
      if (byWork.filter(({ isLeaving }) => !isLeaving).length >= quota) break
      lease.isLeaving = false
    }
    const surplus = byWork.filter(({ isLeaving }) => !isLeaving).slice(quota)
    for (const lease of surplus) lease.isLeaving = true
    return surplus.length
  }
  const take = async (most: number): Promise<number> => {
    const untilMs = timers.nowMs() + leaseMs
    const taken = await store.take(database, claim, most)
    for (const { shard, term } of taken)
      leases.set(shard, {
        ...{ shard, term, untilMs, work: new Set(), abort: new AbortController() },
        isLeaving: false,
      })
    return taken.length
  }
  /** Takes the missing ones; if none is, all that the other nodes have left free for two lease times. */
  const takeFree = async (missing: number): Promise<number> => {
    if (missing > 0) return take(missing)
    freeSinceMs ??= timers.nowMs()
    if (timers.nowMs() - freeSinceMs < 2 * leaseMs) return 0
    const taken = await take(wanted.length)
    extra += taken
    freeSinceMs = null
    return taken
  }
  const balance = async () => {
    const { hasFree } = await renew()
    if (!hasFree) freeSinceMs = null
    const quota = partOf(wanted.length) + extra
    const given = giveUp(quota)
    const missing = quota - [...leases.values()].filter(({ isLeaving }) => !isLeaving).length
    const taken = hasFree && otherShards === null ? await takeFree(missing) : 0
    if (taken + given > 0) log.info({ taken, given, held: leases.size - given }, `shards of the ${work.name}`)
    // Shards without work go at once.
    if (given > 0) await renew()
  }
  const key = () =>
    usable()
      .map(({ shard, term }) => `${shard}:${term}`)
      .sort()
      .join()
  const run = async () => {
    while (!stopping.signal.aborted) {
      const before = key()
      await balance().catch((error: unknown) => {
        log.warn({ err: error }, `the leases of the ${work.name} could not be renewed`)
      })
      if (key() !== before) onChange()
      await timers.sleep(leaseMs / 3, stopping.signal)
    }
  }
  const ended = run()
  const permitOf = (lease: Lease): ShardPermit => {
    const { shard, term } = lease
    const permit: ShardPermit = {
      shard,
      term,
      signal: lease.abort.signal,
      isValid: () => leases.get(shard) === lease && timers.nowMs() < lease.untilMs,
      mayWrite: () => !lease.abort.signal.aborted,
      fence: async (tx) => {
        if (!(await store.hold(tx, claim.node, lease)))
          throw new ShardLost(`another node has shard ${shard} of the ${work.name}`)
      },
      release: () => void lease.work.delete(permit),
    }
    lease.work.add(permit)
    return permit
  }
  return {
    node: claim.node,
    shards,
    usable: () => usable().map(({ shard, term }) => ({ shard, term })),
    termOf: (shard) => {
      const lease = leases.get(shard)
      return isUsable(lease) ? lease.term : null
    },
    acquire: (shard) => {
      const lease = leases.get(shard)
      return isUsable(lease) ? permitOf(lease) : null
    },
    partOf,
    onChange: (listener) => {
      onChange = listener
    },
    stop: async () => {
      stopping.abort()
      await settledWithin(RELEASE_MS, ended)
      await store.release(database, claim.node, RELEASE_MS).catch(() => {
        // The leases expire.
      })
    },
  }
}
