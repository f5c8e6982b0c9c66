import { type Sql, sqlOn } from './database.js'
import { openPostgres, type PostgresOptions, type PostgresTarget } from './postgres-driver.js'

/** Plain SQL on a PostgreSQL server, and nothing else. */
export interface PostgresReads extends Sql {
  /** In bounded time, even when the server does not answer. */
  close(): Promise<void>
}

/** Nothing connects before the first statement. */
export function openPostgresReads(target: PostgresTarget, options: PostgresOptions): PostgresReads {
  const { query, close } = openPostgres(target, options)
  const { rows } = sqlOn(query, () => {})
  return { rows, close }
}
