import { settledWithin } from '../../settled-within.js'
import { BreakableClient } from '../connection/breakable-client.js'
import { asUnavailable } from '../connection/connection-loss.js'
import type { SqlConnection } from '../sql-driver.js'
import { parameterText } from '../sql-values.js'
import { BATCH_LIMITS } from '../statement-limits.js'

/** SQL of the number that the advisory lock of `name` has. */
export const KEY_OF_NAME = 'hashtextextended(name, 0)'

const CONNECT_MS = 5_000

/** A connection that cannot be closed in this time is destroyed; its locks end with it. */
const CLOSE_MS = 2_000

/**
 * Holds advisory locks while `work` runs, on a separate connection, so that work and pool do not wait for each other. The
 * locks are in an open transaction, because a pooler may spread a session over several servers. If the connection breaks,
 * the locks are released and the work continues.
 */
export async function lockOnPostgres<T>(
  url: string,
  names: readonly string[],
  onError: (error: Error) => void,
  work: () => Promise<T>,
): Promise<T> {
  const client = new BreakableClient({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: BATCH_LIMITS.statementMs,
    keepAlive: true,
  })
  client.on('error', onError)
  try {
    await client.connect()
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout TO 0')
    await client.query(`SELECT pg_advisory_xact_lock(${KEY_OF_NAME}) FROM unnest($1::text[]) AS name`, [
      names,
    ])
  } catch (error) {
    await closeSoon(client)
    throw asUnavailable(error)
  }
  try {
    return await work()
  } finally {
    // The server may notice a closed connection late, above all behind a pooler, and the next caller would wait.
    await settledWithin(CLOSE_MS, client.query('COMMIT'))
    await closeSoon(client)
  }
}

async function closeSoon(client: BreakableClient): Promise<void> {
  await settledWithin(CLOSE_MS, client.end())
  client.breakConnection()
}

/** Runs work that holds a name one at a time, within this process. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>()

  /** Runs the work after all earlier work on one of the names has ended. */
  async during<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = names.map((name) => this.#last.get(name))
    const own = Promise.all(before).then(work)
    const ended = own.then(ignore, ignore)
    for (const name of names) this.#last.set(name, ended)
    try {
      return await own
    } finally {
      for (const name of names) if (this.#last.get(name) === ended) this.#last.delete(name)
    }
  }
}

function ignore(): void {}

/** The same on PGlite. Its one connection ends with the process, and it grants a lock again to the session that holds it. */
export function lockInProcess<T>(
  { query }: SqlConnection,
  inUse: KeyedMutex,
  names: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const all = [parameterText(names)]
  const each = (call: string) => `SELECT ${call}(${KEY_OF_NAME})::text FROM unnest($1::text[]) AS name`
  return inUse.during(names, async () => {
    await query(each('pg_advisory_lock'), all)
    try {
      return await work()
    } finally {
      await query(each('pg_advisory_unlock'), all)
    }
  })
}
