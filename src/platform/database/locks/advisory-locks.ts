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
 * Holds names while `work` runs, on a connection of its own, so that work and pool do not wait for each other. In an
 * open transaction, since a pooler may give the statements of a session to several servers. A connection that breaks
 * releases the names; the work goes on.
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
    // The server notices a closed connection some time later, behind a pooler above all: the next who asks would wait.
    await settledWithin(CLOSE_MS, client.query('COMMIT'))
    await closeSoon(client)
  }
}

async function closeSoon(client: BreakableClient): Promise<void> {
  await settledWithin(CLOSE_MS, client.end())
  client.breakConnection()
}

/** Names held by the work of this process, each by one at a time. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>()

  /** Runs the work once all that asked for one of the names before have ended. */
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

/** The same on PGlite, whose one connection ends with the process; it grants a lock again to the session that has it. */
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
