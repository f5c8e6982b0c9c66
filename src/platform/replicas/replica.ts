import { CoalescedRead } from '../coalesced-read.js'
import type { Sql } from '../database/database.js'
import type { PostgresReads } from '../database/postgres/postgres-reads.js'
import { aroundCalls, type PrismaModels } from '../database/prisma/prisma-models.js'
import type { StatementLimits } from '../database/statement-limits.js'
import type { DataPart } from '../database/versions/data-parts.js'
import { type DatasetStates, haveSameStates } from '../database/versions/data-version.js'
import { isBehind, loadServerStates, type ServerStates } from './replica-states.js'

/**
 * Longest wait for rows of a replica, including a connection. With the limit of the primary after it (REQUEST_LIMITS) a
 * client waits 3 s at most.
 */
export const REPLICA_LIMITS: StatementLimits = { statementMs: 800, idleMs: 5_000 }

/** An excluded replica is checked again after this time. */
const RETRY_MS = 1_000

/** A replica that lacks a commit is checked again after this time: replay takes some milliseconds. */
const BEHIND_MS = 20

/**
 * After this long without a statement the replica is checked before it is used. A server that recovers from a crash may have
 * older data than before; it breaks all connections, which is noticed while the pool has one (its IDLE_MS is longer).
 */
const TRUST_MS = 30_000

/** Called when a replica is excluded, with the reason, and when it is used again, with null. */
export type OnReplicaChange = (replica: Replica, reason: unknown) => void

interface Known extends ServerStates {
  /** A new object each time the replica is used again or was restarted. */
  readonly identity: object
}

/** States that the replica lacked when they were compared, in steady milliseconds. */
interface Awaited {
  readonly datasets: DatasetStates
  readonly sinceMs: number
  /** How long it took to get the states that it lacked before; 0 for none. */
  readonly beforeMs: number
}

/** A streaming replica of the primary: the states of its data, and whether it can be read. It connects at its first use. */
export class Replica {
  /** Position in the configuration, from 1. */
  readonly name: string
  readonly #server: PostgresReads
  readonly #onChange: OnReplicaChange
  readonly #states: CoalescedRead<ServerStates>
  #known: Known | null = null
  /** The last reported state; null before the first answer or failure. */
  #wasUp: boolean | null = null
  #isClosed = false
  #isChecking = false
  #checkedAt = Number.NEGATIVE_INFINITY
  #usedAt = Number.NEGATIVE_INFINITY
  #awaited: Awaited | null = null

  constructor(name: string, server: PostgresReads, onChange: OnReplicaChange) {
    this.name = name
    this.#server = server
    this.#onChange = onChange
    this.#states = new CoalescedRead(() => loadServerStates(server, this.#known?.datasets))
    this.prisma = aroundCalls(server.prisma, (_, run) => this.#read(run))
  }

  get isUp(): boolean {
    return this.#known !== null
  }

  /** Milliseconds that it takes, or took last, to get what this node knows; 0 while it has all. */
  get lagMs(): number {
    if (this.#awaited === null) return 0
    const { sinceMs, beforeMs } = this.#awaited
    return Math.max(beforeMs, performance.now() - sinceMs)
  }

  /**
   * The identity for `confirms` if its states of these parts are exactly the given ones. Otherwise, and if it was not read for
   * long, null; then the replica is checked in the background.
   */
  identityFor(reads: readonly DataPart[], datasets: DatasetStates): object | null {
    this.compare(datasets)
    const known = this.#known
    if (known === null || performance.now() - this.#usedAt > TRUST_MS) {
      this.#checkSoon(RETRY_MS)
      return null
    }
    if (haveSameStates(reads, known.datasets, datasets)) return known.identity
    this.#checkSoon(BEHIND_MS)
    return null
  }

  /** Records whether the replica lacks any of these states. */
  compare(datasets: DatasetStates): void {
    const known = this.#known
    const awaited = this.#awaited
    if (known === null || !isBehind(known, datasets)) this.#awaited = null
    else if (awaited === null || !isBehind(known, awaited.datasets)) {
      const sinceMs = performance.now()
      this.#awaited = { datasets, sinceMs, beforeMs: awaited === null ? 0 : sinceMs - awaited.sinceMs }
    }
  }

  /**
   * Whether its states of these parts are still the given ones, and since it returned the identity it has been a replica,
   * without failure or restart. Replay never goes back, so everything read in between is of these states.
   */
  async confirms(identity: object, reads: readonly DataPart[], datasets: DatasetStates): Promise<boolean> {
    await this.check()
    const known = this.#known
    return known?.identity === identity && haveSameStates(reads, known.datasets, datasets)
  }

  /** Rows of a reading statement. If it fails, for any reason, the replica is excluded. */
  readonly rows: Sql['rows'] = (sql, parameters, { withinMs = REPLICA_LIMITS.statementMs } = {}) => {
    const limit = Math.min(withinMs, REPLICA_LIMITS.statementMs)
    return this.#read(() => this.#server.rows(sql, parameters, { withinMs: limit }))
  }

  /** Prisma's client for reads, with the same rules. */
  readonly prisma: PrismaModels

  /** Reads its states by a statement that starts after the call. Never fails, and ends within its time limit. */
  async check(): Promise<void> {
    try {
      this.#take(await this.#states.next())
    } catch (error) {
      this.#drop(error)
    }
  }

  /** Excludes the replica until it answers again; a check starts at once. */
  leaveOut(error: unknown): void {
    this.#drop(error)
    this.#checkSoon(0)
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#server.close()
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    this.#usedAt = performance.now()
    try {
      return await read()
    } catch (error) {
      this.leaveOut(error)
      throw error
    }
  }

  #take(server: ServerStates): void {
    this.#usedAt = performance.now()
    if (!server.isReplica) {
      this.#drop(new Error('the server is not in recovery: it was promoted, or never was a replica'))
      return
    }
    const known = this.#known
    const identity = known?.startedAt === server.startedAt ? known.identity : {}
    this.#known = { ...server, identity }
    this.#report(true, null)
  }

  #drop(error: unknown): void {
    this.#known = null
    this.#awaited = null
    this.#report(false, error)
  }

  #report(isUp: boolean, reason: unknown): void {
    if (this.#wasUp === isUp || this.#isClosed) return
    this.#wasUp = isUp
    this.#onChange(this, reason)
  }

  #checkSoon(pauseMs: number): void {
    if (this.#isChecking || performance.now() - this.#checkedAt < pauseMs) return
    this.#isChecking = true
    void this.check().finally(() => {
      this.#isChecking = false
      this.#checkedAt = performance.now()
    })
  }
}
