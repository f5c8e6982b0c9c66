import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import type { StatementLimits } from './statement-limits.js'

export interface QueryOptions {
  /** Longest wait for the rows, a connection included, in place of the usual limit. */
  readonly withinMs?: number
  /** Not sent on a connection of a server that has just been lost before that has answered on it. */
  readonly isChecked?: boolean
  /** Takes the next free connection, ahead of all that wait for one: for checks of health, which are few. */
  readonly isUrgent?: boolean
}

/** What one connection can do. Parameters are wire text (sql-values.ts), rows are read by its column readers. */
export interface SqlConnection {
  query(
    sql: string,
    parameters: readonly (string | null)[],
    options?: QueryOptions,
  ): Promise<readonly unknown[]>
  /** Several statements without parameters. */
  execute(sql: string): Promise<void>
}

/** The connection of a transaction. */
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

/** The slots that each kind of database fills; database.ts builds everything else on them. */
export interface SqlDriver {
  /** One statement on any connection, committed by itself. */
  query: SqlConnection['query']
  /** BEGIN, work, COMMIT on one connection; ROLLBACK when the work or the COMMIT fails. */
  transaction<T>(work: (connection: TransactionConnection) => Promise<T>, limits: StatementLimits): Promise<T>
  /** As `Database.holding`. */
  holding<T>(names: readonly string[], work: () => Promise<T>): Promise<T>
  /** A statement ahead of all that wait for a connection. */
  ping(): Promise<void>
  /** How the pool is used; null: there is none. */
  poolUse(): PoolUse | null
  /** Of a statement outside transactions; null: none. */
  readonly limitMs: number | null
  /** The same connections for Prisma's client. */
  readonly adapter: SqlDriverAdapterFactory
  /** In bounded time, even when the server does not answer. */
  close(): Promise<void>
}
