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

const IN_UTC = "SET TIME ZONE 'UTC'"
/**
 * Left to itself PostgreSQL plans a read of partitions anew each time, since partitions that are left out while planning
 * look cheaper than those left out while running; planning then takes longer than the read.
 */
const KEEP_PLANS = 'SET plan_cache_mode TO force_generic_plan'
/** What a transaction does, it does once, and with many values: it is planned for them. */
const BEGIN = 'BEGIN; SET LOCAL plan_cache_mode TO auto'

const TYPES: pg.CustomTypesConfig = { getTypeParser: (type: number) => columnReader(type) }

export interface PostgresTarget {
  readonly url: string
  readonly poolSize?: number
  readonly isPreparing?: boolean
}

/** A pool on a PostgreSQL server. Nothing connects before the first statement; lost connections are replaced. */
export function openPostgres(
  { url, poolSize, isPreparing = true }: PostgresTarget,
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
      await client.query(isPreparing ? `${IN_UTC}; ${KEEP_PLANS}` : IN_UTC)
    },
  })
  pool.on('error', onError) // an idle connection broke: without a listener the process would end
  const nameOf = statementNames(isPreparing ? MAX_NAMED : 0)
  return {
    query: async (sql, parameters) =>
      (await reached(pool.query({ ...statement(sql, parameters), name: nameOf(sql) }))).rows,
    transaction: (work) => transact(pool, onError, work),
    adapter: new PrismaPg(pool),
    close: () => pool.end(),
  }
}

/** Statements have few shapes; a text beyond this many is planned each time it runs. */
const MAX_NAMED = 256

/**
 * Names by text: PostgreSQL keeps the plan of a named statement with its connection, and planning a read of a
 * partitioned table takes as long as the read. Undefined leaves a statement without a name.
 */
function statementNames(most: number): (sql: string) => string | undefined {
  const names = new Map<string, string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined || names.size >= most) return known
    const name = `mdg_${names.size}`
    names.set(sql, name)
    return name
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
    await reached(client.query(BEGIN))
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
