import pg from 'pg'
import { connectedWithin } from './connected-within.js'
import { asUnavailable, isTimeOut, markNeverSent } from './connection-loss.js'
import { NONE_IS_FREE, NOT_CONNECTED } from './pool-refusals.js'
import type { Reachability } from './reachability.js'

/** `query_timeout` is pg's name for the longest wait for the end of the result, milliseconds. */
export type TimedQuery = pg.QueryConfig & { readonly query_timeout: number }

/** A connection that is checked out for one statement or one transaction. */
export interface DbConnection {
  /** Runs one statement. Throws `service_unavailable` when the connection is lost. */
  run(config: TimedQuery): Promise<pg.QueryResult>
  /** Whether the state of the connection is unknown, so that it cannot be reused. */
  isBroken(): boolean
}

export interface DbConnectionOptions {
  readonly reachability: Reachability
  /** Longest wait for the connection; the pool's own limit applies as well. */
  readonly withinMs: number
  /** Called when the connection breaks between two statements. */
  readonly onError: (error: Error) => void
}

/** Runs the work on a connection, then returns it to the pool, or destroys it if it broke. */
export async function withDbConnection<T>(
  connecting: Promise<pg.PoolClient>,
  { reachability, withinMs, onError }: DbConnectionOptions,
  work: (lease: DbConnection) => Promise<T>,
): Promise<T> {
  const client = await connected(connecting, reachability, withinMs)
  client.on('error', onError) // the pool listens to idle connections only
  let isBroken = false
  const run = async (config: TimedQuery) => {
    try {
      const result = await client.query({
        ...config,
        query_timeout: Math.max(1, reachability.limit(config.query_timeout)),
      } as TimedQuery) // pg's types lack query_timeout
      reachability.answered()
      return result
    } catch (error) {
      if (isReported(error)) reachability.answered()
      else {
        isBroken = true
        reachability.lost()
      }
      if (isTimeOut(error)) reachability.timedOut()
      throw isOfOtherSession(error) ? new Error(SHARED_CONNECTIONS, { cause: error }) : asUnavailable(error)
    }
  }
  try {
    return await work({ run, isBroken: () => isBroken })
  } finally {
    client.off('error', onError)
    client.release(isBroken)
  }
}

async function connected(
  connecting: Promise<pg.PoolClient>,
  reachability: Reachability,
  withinMs: number,
): Promise<pg.PoolClient> {
  try {
    // The pool has a limit of its own, so a timer is needed only for a shorter one.
    return await (reachability.isSuspect
      ? connectedWithin(reachability.limit(withinMs), connecting, NONE_IS_FREE)
      : connecting)
  } catch (error) {
    reachability.lost()
    if (isTimeOut(error)) reachability.timedOut()
    // Every connection waits for a server that does not answer.
    const failure = reachability.isSuspect ? new Error(NOT_CONNECTED, { cause: error }) : error
    throw markNeverSent(asUnavailable(failure))
  }
}

const SHARED_CONNECTIONS =
  'a prepared statement belongs to another session: behind a pooler that shares connections set DATABASE_PREPARE=false'

/** SQLSTATE of a prepared statement that exists already, and of one that does not exist. */
const OF_OTHER_SESSIONS: ReadonlySet<unknown> = new Set(['42P05', '26000'])

function isOfOtherSession(error: unknown): boolean {
  return error instanceof pg.DatabaseError && OF_OTHER_SESSIONS.has(error.code)
}

/** Whether the server reported the error and goes on serving the connection. */
function isReported(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}
