import pg from 'pg'
import { settledWithin } from '../../settled-within.js'
import { BreakableClient } from '../connection/breakable-client.js'
import { connectedWithin } from '../connection/connected-within.js'
import { NONE_IS_FREE, NOT_CONNECTED, POOL_IS_CLOSED, QUEUE_IS_FULL } from '../connection/pool-refusals.js'
import type { PoolUse } from '../sql-driver.js'

export interface BoundedPoolConfig extends pg.PoolConfig {
  readonly max: number
  /** Longest wait for a connection, including opening a new one. */
  readonly connectionTimeoutMillis: number
}

/**
 * At most so many callers may wait for a connection. A short statement takes about a millisecond, so ten connections serve
 * this many well within the longest wait. Beyond that it is better to refuse at once.
 */
const MAX_WAITING = 1_000

/** How long `close` waits for running statements and for the server. */
const CLOSE_MS = 3_000

type ConnectCallback = Parameters<pg.Pool['connect']>[0]

interface Waiter {
  readonly admit: () => void
  readonly refuse: (error: Error) => void
}

/**
 * A pool with a bounded queue, urgent callers first, that closes in bounded time. Prisma's client shares it, so the queue is
 * in front of the pool's own `connect`.
 */
export class BoundedPool extends pg.Pool {
  readonly #waiting: Waiter[] = []
  readonly #checkedOut = new Set<pg.PoolClient>()
  /** Open connections, and those that are being opened. */
  readonly #open: ReadonlySet<BreakableClient>
  readonly #waitMs: number
  #free: number

  constructor(config: BoundedPoolConfig) {
    const open = new Set<BreakableClient>()
    super({ ...config, Client: clientsIn(open) })
    this.#open = open
    this.#free = config.max
    this.#waitMs = config.connectionTimeoutMillis
    this.on('release', (_error, client) => this.#onRelease(client))
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const client = this.#checkOut(false)
    if (callback === undefined) return client
    client.then(
      (connected) => callback(undefined, connected, connected.release),
      (error: Error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  /** The next free connection, ahead of waiting callers: to check whether connections work at all. */
  connectFirst(): Promise<pg.PoolClient> {
    return this.#checkOut(true)
  }

  get use(): PoolUse {
    return {
      size: this.options.max ?? 0,
      busy: this.#checkedOut.size,
      waiting: this.#waiting.length,
    }
  }

  /** Rejects waiting callers, gives running statements a moment to finish, then breaks open connections. */
  async close(): Promise<void> {
    for (const { refuse } of this.#waiting.splice(0)) refuse(new Error(POOL_IS_CLOSED))
    await settledWithin(
      CLOSE_MS,
      this.end().then(() => this.#allClosed()),
    )
    for (const client of this.#open) client.breakConnection()
  }

  /** Idle connections send Terminate to the server, which then closes them. */
  async #allClosed(): Promise<void> {
    await Promise.all([...this.#open].map((client) => client.closed()))
  }

  async #checkOut(isUrgent: boolean): Promise<pg.PoolClient> {
    const deadline = performance.now() + this.#waitMs
    if (this.#free > 0) this.#free -= 1
    else await this.#admission(isUrgent)
    // An idle connection is returned at once and needs no timer.
    if (this.idleCount > 0) return this.#take()
    return connectedWithin(deadline - performance.now(), this.#take(), NOT_CONNECTED)
  }

  async #take(): Promise<pg.PoolClient> {
    try {
      const client = await super.connect()
      this.#checkedOut.add(client)
      return client
    } catch (error) {
      this.#admitNext()
      throw error
    }
  }

  /** Settles when a connection is free for the caller. */
  #admission(isUrgent: boolean): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING && !isUrgent) return Promise.reject(new Error(QUEUE_IS_FULL))
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          clearTimeout(timer)
          resolve()
        },
        refuse: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(new Error(NONE_IS_FREE))
      }, this.#waitMs)
      if (isUrgent) this.#waiting.unshift(waiter)
      else this.#waiting.push(waiter)
    })
  }

  #admitNext(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next.admit()
  }

  #onRelease(client: pg.PoolClient): void {
    if (!this.#checkedOut.delete(client)) return
    // Prisma returns a connection as usable even when its ROLLBACK had no answer; the next user would wait behind it.
    if (client.getTransactionStatus() !== 'I') (client as pg.PoolClient & BreakableClient).breakConnection() // made by clientsIn
    this.#admitNext()
  }
}

/** A client class whose instances are in `open` until they are closed. */
function clientsIn(open: Set<BreakableClient>) {
  return class extends BreakableClient {
    constructor(config?: pg.ClientConfig) {
      super(config)
      open.add(this)
      void this.closed().then(() => open.delete(this))
    }
  }
}
