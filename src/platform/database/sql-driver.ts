import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import type { StatementLimits } from './statement-limits.js'

export interface QueryOptions {
  /** Longest wait for the rows, a connection included, in place of the usual limit. */
  readonly withinMs?: number
  /** After the server was lost, checks that it answers on the connection before the statement is sent. */
  readonly isChecked?: boolean
  /** Takes the next free connection ahead of waiting callers: for health checks, which are few. */
  readonly isUrgent?: boolean
}

/** One connection. Parameters are wire text (sql-values.ts); its column readers read the rows. */
export interface SqlConnection {
  query(
    sql: string,
    parameters: readonly (string | null)[],
    options?: QueryOptions,
  ): Promise<readonly unknown[]>
  /** Several statements without parameters. */
  execute(sql: string): Promise<void>
}

export interface TransactionConnection extends SqlConnection {
  /** The same connection for Prisma's client. */
  readonly adapter: SqlDriverAdapterFactory
}

/** Connections of a pool, and callers that wait for one. */
export interface PoolUse {
  readonly size: number
  readonly busy: number
  readonly waiting: number
}

/** What each kind of database implements; database.ts builds everything else on it. */
export interface SqlDriver {
  /** Runs one statement on any connection and commits it. */
  query: SqlConnection['query']
  /** BEGIN, work, COMMIT on one connection; ROLLBACK when the work or the COMMIT fails. */
  transaction<T>(work: (connection: TransactionConnection) => Promise<T>, limits: StatementLimits): Promise<T>
  /** As `Database.holding`. */
  holding<T>(names: readonly string[], work: () => Promise<T>): Promise<T>
  /** Runs a statement ahead of waiting callers. */
  ping(): Promise<void>
  /** The use of the pool; null without a pool. */
  poolUse(): PoolUse | null
  /** Limit of a statement outside transactions; null for no limit. */
  readonly limitMs: number | null
  /** The same connections for Prisma's client. */
  readonly adapter: SqlDriverAdapterFactory
  /** Closes in bounded time, even if the server does not answer. */
  close(): Promise<void>
}
