import type { Sql } from './database.js'

/** The same database; its statements outside transactions take the next free connection, ahead of waiting callers. */
export function urgent(sql: Sql): Sql {
  return {
    rows: (text, parameters, options) => sql.rows(text, parameters, { ...options, isUrgent: true }),
  }
}
