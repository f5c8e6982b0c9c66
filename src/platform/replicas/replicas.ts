import type { DataPart } from '../database/data-parts.js'
import { type DatasetStates, installationOf } from '../database/data-version.js'
import { openPostgresReads } from '../database/postgres/postgres-reads.js'
import type { Logger } from '../logger.js'
import { REPLICA_LIMITS, Replica } from './replica.js'
import { coversVersions } from './replica-states.js'
import { SeenVersions } from './seen-versions.js'
import type { VersionHistory } from './version-history.js'

/** Whether a caller may get an answer of these states. */
export type AllowsStates = (datasets: DatasetStates) => boolean

/** A fraction of the lag that is allowed by default. */
const POLL_MS = 200

/** Runs and waits for them take seconds at most; versions that a caller has seen are kept this much longer than the lag. */
const SEEN_MARGIN_MS = 5_000

export interface ReplicasOptions {
  readonly urls: readonly string[]
  /** Connections to each. */
  readonly poolSize: number
  readonly isPreparing: boolean
  /** Longest time that an answer may be behind the primary, in milliseconds. */
  readonly maxLagMs: number
  readonly history: VersionHistory
  readonly log: Logger
  readonly counts: ReadCounts
}

/** A replica that can be read now, the states that the answer has, and the key for `Replica.confirms`. */
export interface ChosenReplica {
  readonly replica: Replica
  readonly identity: object
  readonly datasets: DatasetStates
}

/** Counts runs of operations that only read datasets. */
export interface ReadCounts {
  /** All rows came from the primary. */
  onPrimary(): void
  /** All rows came from this replica; `isBehind`: the primary had newer versions of what was read. */
  onReplica(name: string, isBehind: boolean): void
  /** Started on this replica, then repeated. */
  givenUp(name: string): void
}

/** States of a replica beside those of the primary. */
interface Compared {
  readonly primary: DatasetStates
  /** Whether the primary has each of their commits. */
  readonly isOfPrimary: boolean
  /** Whether they have each commit of the primary. */
  readonly hasAll: boolean
}

/** The streaming replicas of the primary, read in rotation. */
export class Replicas {
  readonly all: readonly Replica[]
  readonly counts: ReadCounts
  /** What callers of this node have seen. */
  readonly seen: SeenVersions
  readonly #history: VersionHistory
  readonly #maxLagMs: number
  /** The last comparison of each state of a replica. */
  readonly #comparisons = new WeakMap<DatasetStates, Compared>()
  #timer: NodeJS.Timeout | undefined
  #isPolling = false
  #turn = 0

  constructor(
    all: readonly Replica[],
    { counts, history, maxLagMs }: Pick<ReplicasOptions, 'counts' | 'history' | 'maxLagMs'>,
  ) {
    this.all = all
    this.counts = counts
    this.seen = new SeenVersions(maxLagMs + SEEN_MARGIN_MS)
    this.#history = history
    this.#maxLagMs = maxLagMs
  }

  /**
   * The next replica that may answer: one whose states the caller may get, or one that has exactly the primary's states of
   * what is read. Null if none may.
   */
  choose(reads: readonly DataPart[], primary: DatasetStates, allows: AllowsStates): ChosenReplica | null {
    this.#turn = (this.#turn + 1) % this.all.length
    for (let step = 0; step < this.all.length; step++) {
      const replica = this.all[(this.#turn + step) % this.all.length]
      if (replica === undefined) continue
      this.compare(replica, primary)
      const own = replica.readable
      if (own !== null && allows(own.datasets) && this.#maySend(own.datasets, primary))
        return { replica, ...own }
      const identity = replica.identityFor(reads, primary)
      if (identity !== null) return { replica, identity, datasets: primary }
    }
    return null
  }

  /** The states of each replica that lacks commits of the primary and is at most `maxLagMs` behind; never more than allowed. */
  olderStates(primary: DatasetStates, maxLagMs = this.#maxLagMs): readonly DatasetStates[] {
    const older: DatasetStates[] = []
    for (const replica of this.all) {
      const own = replica.readable?.datasets
      if (own === undefined || this.#compared(own, primary).hasAll) continue
      if (this.#maySend(own, primary, maxLagMs)) older.push(own)
    }
    return older
  }

  /** Reads the states of the replica that is next, unless it is excluded. Ends within its time limit. */
  async checkNext(): Promise<void> {
    const replica = this.all[this.#turn]
    if (replica?.isUp === true) await replica.check()
  }

  /** Records how far the replica is behind these states of the primary. */
  compare(replica: Replica, primary: DatasetStates): void {
    replica.compare(primary, (own) => this.#history.currentAtMs(own))
  }

  /** Whether one of them has a commit of any dataset that the states lack. */
  isAhead(primary: DatasetStates): boolean {
    return this.all.some(({ readable }) => readable !== null && !coversVersions(primary, readable.datasets))
  }

  /**
   * The states must be old ones of this primary, because the primary answers the next request: a replica can show a commit
   * before the primary does.
   */
  #maySend(own: DatasetStates, primary: DatasetStates, maxLagMs = this.#maxLagMs): boolean {
    if (!this.#compared(own, primary).isOfPrimary) return false
    const currentAtMs = this.#history.currentAtMs(own)
    return currentAtMs !== null && performance.now() - currentAtMs <= Math.min(maxLagMs, this.#maxLagMs)
  }

  /** Both are the same objects until their servers are read again, so every request asks for the same comparison. */
  #compared(own: DatasetStates, primary: DatasetStates): Compared {
    const known = this.#comparisons.get(own)
    if (known?.primary === primary) return known
    const isOfPrimary = installationOf(own) === installationOf(primary) && coversVersions(primary, own)
    const compared = { primary, isOfPrimary, hasAll: coversVersions(own, primary) }
    this.#comparisons.set(own, compared)
    return compared
  }

  /**
   * Reads the versions of the primary and of the replicas from now on at fixed times, so that it is known how far behind they
   * are before a request needs it. Without that the first requests would see the newest versions, and then wait for replay.
   */
  startPolling(readPrimary: () => Promise<unknown>): void {
    this.#timer ??= setInterval(() => void this.#poll(readPrimary), POLL_MS).unref()
  }

  async #poll(readPrimary: () => Promise<unknown>): Promise<void> {
    if (this.#isPolling) return // a silent server holds up one poll only
    this.#isPolling = true
    // The next poll or request reads an unreachable primary again; a check never fails.
    await Promise.allSettled([readPrimary(), ...this.all.map((replica) => replica.check())])
    this.#isPolling = false
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.all.map((replica) => replica.close()))
  }
}

/** Starts a check of each replica without waiting; an unreachable one is excluded until it answers. */
export function openReplicas({ urls, poolSize, isPreparing, log, ...options }: ReplicasOptions): Replicas {
  const onChange = ({ name }: Replica, reason: unknown) => {
    if (reason === null) log.info({ replica: name }, 'replica is used again')
    else log.warn({ replica: name, err: reason }, 'replica is excluded')
  }
  const all = urls.map((url, at) => {
    const server = openPostgresReads(
      { url, poolSize, isPreparing },
      // An idle connection broke: the server may be down.
      { limits: REPLICA_LIMITS, onError: (error) => replica.leaveOut(error) },
    )
    const replica = new Replica(String(at + 1), server, onChange)
    return replica
  })
  for (const replica of all) void replica.check()
  return new Replicas(all, options)
}
