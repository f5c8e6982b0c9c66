import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { ApiError } from '../../../core/errors.js'
import { markNeverSent } from '../connection/connection-loss.js'
import { type DbConnection, type TimedQuery, withDbConnection } from '../connection/db-connection.js'
import { Reachability } from '../connection/reachability.js'
import { lockOnPostgres } from '../locks/advisory-locks.js'
import type { SqlDriver, TransactionConnection } from '../sql-driver.js'
import { columnReader } from '../sql-values.js'
import type { StatementLimits } from '../statement-limits.js'
import { BoundedPool } from './bounded-pool.js'

/**
 * Presents one connection as a pool, which is all that Prisma's adapter accepts. The adapter only calls `query` with a
 * configuration. It opens no connection.
 */
class PrismaConnection extends pg.Pool {
  constructor(run: (config: pg.QueryConfig) => Promise<pg.QueryResult>) {
    super()
    this.query = run as pg.Pool['query'] // the one of its signatures that the adapter uses
  }
}

/** Longest wait for a connection: enough for a busy server, and it leaves time for the statement. */
const CONNECT_MS = 2_000

/** Connections idle for longer are closed. */
const IDLE_MS = 60_000

const DEFAULT_POOL_SIZE = 10

/** The server's share of a time limit. It gives up before the client does, so a slow statement does not cost a connection. */
const SERVER_SHARE = 0.8

const TYPES: pg.CustomTypesConfig = { getTypeParser: (type: number) => columnReader(type) }

export interface PostgresTarget {
  readonly url: string
  readonly poolSize?: number
  readonly isPreparing?: boolean
}

export interface PostgresOptions {
  /** Limits of statements outside transactions, and of Prisma's statements. */
  readonly limits: StatementLimits
  /** Called with the error that breaks an idle connection. */
  readonly onError: (error: Error) => void
}

/**
 * A pool on a PostgreSQL server. Nothing connects before the first statement; lost connections are replaced.
 *
 * Not a client that pipelines: with two slow statements (0.1 s) among 30 short ones `postgres` 3.4 with 4 connections took as
 * much CPU time and 1.5 to 2.2 times the p99, since short ones wait behind a slow one; without any slow one 0.6 of the CPU time.
 */
export function openPostgres(
  { url, poolSize, isPreparing = true }: PostgresTarget,
  { limits, onError }: PostgresOptions,
): SqlDriver {
  const reachability = new Reachability(limits.statementMs)
  const pool = new BoundedPool({
    connectionString: url,
    max: poolSize ?? DEFAULT_POOL_SIZE,
    connectionTimeoutMillis: Math.min(CONNECT_MS, limits.statementMs),
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    // For Prisma's statements; ours have their own limits.
    query_timeout: limits.statementMs,
    // Awaited before the connection is handed out; in the start-up packet a URL's own options would replace it.
    onConnect: async (client) => {
      await client.query(script(sessionSettings(limits, isPreparing), CONNECT_MS))
      reachability.answered()
    },
  })
  pool.on('error', onError) // an idle connection broke: without a listener the process would end
  const nameOf = statementNames(isPreparing ? MAX_NAMED : 0)
  const usual = { reachability, withinMs: limits.statementMs, onError: ignore }
  return {
    query: (sql, parameters, { withinMs = limits.statementMs, isChecked = false, isUrgent = false } = {}) => {
      const deadline = performance.now() + withinMs
      const connecting = isUrgent ? pool.connectFirst() : pool.connect()
      return withDbConnection(connecting, { ...usual, withinMs }, async (lease) => {
        if (isChecked && reachability.isDoubtful) await checked(lease, deadline)
        const left = deadline - performance.now()
        return (await lease.run({ ...timedQuery(sql, parameters, left), name: nameOf(sql) })).rows
      })
    },
    transaction: (work, within) => {
      const deadline = performance.now() + limits.statementMs
      return withDbConnection(pool.connect(), { ...usual, onError }, (lease) =>
        transact(lease, { limits, within, deadline }, work),
      )
    },
    ping: () =>
      withDbConnection(pool.connectFirst(), usual, async (lease) => {
        await lease.run(timedQuery('SELECT 1', [], limits.statementMs))
      }),
    poolUse: () => pool.use,
    limitMs: limits.statementMs,
    holding: (names, work) => lockOnPostgres(url, names, onError, work),
    adapter: new PrismaPg(pool),
    close: () => pool.close(),
  }
}

/** Throws an error that `wasNeverSent` recognizes if the server does not answer on this connection. */
async function checked(lease: DbConnection, deadline: number): Promise<void> {
  try {
    await lease.run(timedQuery('SELECT 1', [], deadline - performance.now()))
  } catch (error) {
    throw markNeverSent(error)
  }
}

/** Prisma's client knows the errors of the driver, not ours. */
function throwCause(error: unknown): never {
  throw error instanceof ApiError ? error.cause : error
}

/** The caller of the statement gets the error. */
function ignore(): void {}

/**
 * Behind a pooler a session is shared, so only settings that all sessions have are set. By default PostgreSQL plans a read of
 * partitions anew each time, because pruning at planning looks cheaper than pruning at run time; planning then takes longer
 * than the read.
 */
function sessionSettings(limits: StatementLimits, isOwn: boolean): string {
  const inUtc = "SET TIME ZONE 'UTC'"
  return isOwn
    ? `${inUtc}; SET plan_cache_mode TO force_generic_plan; ${limitSettings('SET', limits)}`
    : inUtc
}

function limitSettings(set: 'SET' | 'SET LOCAL', { statementMs, idleMs }: StatementLimits): string {
  return `${set} statement_timeout TO ${Math.ceil(SERVER_SHARE * statementMs)};
    ${set} idle_in_transaction_session_timeout TO ${idleMs}`
}

/** Statements have few shapes. A text beyond this many is planned each time it runs. */
const MAX_NAMED = 256

/** 132 bits of the hash. */
const NAME_LENGTH = 22

/**
 * Names by text: PostgreSQL keeps the plan of a named statement with its connection, and planning a read of a
 * partitioned table takes as long as the read. A name is a hash of its text: behind a pooler that shares connections by
 * mistake, another process's statement of the same name would else run in its place. Undefined leaves a statement
 * without a name.
 */
function statementNames(most: number): (sql: string) => string | undefined {
  const names = new Map<string, string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined || names.size >= most) return known
    const name = `mdg_${createHash('sha256').update(sql).digest('base64url').slice(0, NAME_LENGTH)}`
    names.set(sql, name)
    return name
  }
}

function timedQuery(sql: string, parameters: readonly (string | null)[], query_timeout: number): TimedQuery {
  return { text: sql, values: [...parameters], types: TYPES, query_timeout }
}

/** One or several statements without parameters. */
function script(text: string, query_timeout: number): TimedQuery {
  return { text, query_timeout }
}

interface TransactionTimes {
  /** Limits of the connection. */
  readonly limits: StatementLimits
  /** Limits of the statements of the transaction. */
  readonly within: StatementLimits
  /** The transaction must start before this instant of `performance.now()`. */
  readonly deadline: number
}

async function transact<T>(
  lease: DbConnection,
  { limits, within, deadline }: TransactionTimes,
  work: (connection: TransactionConnection) => Promise<T>,
): Promise<T> {
  // A statement in a transaction runs once, often with many values, so it is planned for these values.
  const begin = `BEGIN; SET LOCAL plan_cache_mode TO auto; ${limitSettings('SET LOCAL', within)}`
  await lease.run(script(begin, deadline - performance.now()))
  try {
    const result = await work({
      query: async (sql, parameters, { withinMs = within.statementMs } = {}) =>
        (await lease.run(timedQuery(sql, parameters, withinMs))).rows,
      execute: async (sql) => {
        await lease.run(script(sql, within.statementMs))
      },
      adapter: new PrismaPg(
        new PrismaConnection((config) =>
          lease.run({ ...config, query_timeout: within.statementMs }).catch(throwCause),
        ),
      ),
    })
    const { command } = await lease.run(script('COMMIT', Math.max(limits.statementMs, within.statementMs)))
    if (command === 'ROLLBACK')
      throw new Error('COMMIT was rolled back, because a statement of the transaction had failed')
    return result
  } catch (error) {
    // The first error is reported. A connection that cannot roll back is destroyed, which rolls back.
    if (!lease.isBroken()) await lease.run(script('ROLLBACK', limits.statementMs)).catch(() => {})
    throw error
  }
}
