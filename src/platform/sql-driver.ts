import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils'

/** What one connection can do. Parameters are wire text (sql-values.ts), rows are read by its column readers. */
export interface SqlConnection {
  /** One statement. */
  query(sql: string, parameters: readonly (string | null)[]): Promise<readonly unknown[]>
  /** Several statements without parameters. */
  execute(sql: string): Promise<void>
}

/** The slots that each kind of database fills; database.ts builds everything else on them. */
export interface SqlDriver {
  /** One statement on any connection, committed by itself. */
  query: SqlConnection['query']
  /** BEGIN, work, COMMIT on one connection; ROLLBACK when the work or the COMMIT fails. */
  transaction<T>(work: (connection: SqlConnection) => Promise<T>): Promise<T>
  /** The same connections for Prisma's client. */
  readonly adapter: SqlDriverAdapterFactory
  close(): Promise<void>
}
