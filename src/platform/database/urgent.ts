import type { Sql } from './database.js'

/** The same database, whose statements outside transactions take the next free connection, ahead of all that wait for one. */
export function urgent(sql: Sql): Sql {
  return {
    rows: (text, parameters, options) => sql.rows(text, parameters, { ...options, isUrgent: true }),
  }
}
