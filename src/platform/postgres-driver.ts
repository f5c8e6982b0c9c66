import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { asUnavailable } from './connection-loss.js'
import type { SqlConnection, SqlDriver } from './sql-driver.js'
import { columnReader } from './sql-values.js'

/** Long enough for a busy server to accept, short enough to answer 503 while the client still listens. */
const CONNECT_MS = 5_000

/** Connections idle for longer are closed. */
const IDLE_MS = 60_000

const DEFAULT_POOL_SIZE = 10

const TYPES: pg.CustomTypesConfig = { getTypeParser: (type: number) => columnReader(type) }

/** A pool on a PostgreSQL server. Nothing connects before the first statement; lost connections are replaced. */
export function openPostgres(
  url: string,
  poolSize: number | undefined,
  onError: (error: Error) => void,
): SqlDriver {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize ?? DEFAULT_POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    // Awaited before the connection is handed out; in the start-up packet a URL's own options would replace it.
    onConnect: async (client) => {
      await client.query("SET TIME ZONE 'UTC'")
    },
  })
  pool.on('error', onError) // an idle connection broke: without a listener the process would end
  return {
    query: async (sql, parameters) => (await reached(pool.query(statement(sql, parameters)))).rows,
    transaction: (work) => transact(pool, onError, work),
    adapter: new PrismaPg(pool),
    close: () => pool.end(),
  }
}

function statement(sql: string, parameters: readonly (string | null)[]): pg.QueryConfig {
  return { text: sql, values: [...parameters], types: TYPES }
}

async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw asUnavailable(error)
  }
}

async function transact<T>(
  pool: pg.Pool,
  onError: (error: Error) => void,
  work: (connection: SqlConnection) => Promise<T>,
): Promise<T> {
  const client = await reached(pool.connect())
  client.on('error', onError) // the pool listens to idle connections only
  let isBroken = false
  try {
    await reached(client.query('BEGIN'))
    const result = await work({
      query: async (sql, parameters) => (await reached(client.query(statement(sql, parameters)))).rows,
      execute: async (sql) => {
        await reached(client.query(sql))
      },
    })
    const { command } = await reached(client.query('COMMIT'))
    if (command === 'ROLLBACK')
      throw new Error('COMMIT rolled back: a statement of the transaction had failed')
    return result
  } catch (error) {
    // The first error is the one to tell; a connection that cannot roll back is thrown away, which rolls back.
    await client.query('ROLLBACK').catch(() => {
      isBroken = true
    })
    throw error
  } finally {
    client.off('error', onError)
    client.release(isBroken)
  }
}
