import { selectList, snakeCase } from '../database/statement.js'

/** Columns of a primary key with their types. */
type KeyColumns = Readonly<Record<string, 'int8' | 'text' | 'uuid'>>

/**
 * A table with one row for each thing that is to be delivered at least once. Its columns, beside those of its subject:
 * `state` (pending, open while an attempt is in flight, then final), `attempts`, `term` and `opened_at` of the last
 * attempt, `next_attempt_at`, `settled_at` (null until the state is final) and `last_error`.
 */
export interface LeasedTable<Key extends KeyColumns> {
  readonly table: string
  /** SQL: the term of the lease under which a statement works on the row `d`. */
  readonly term: string
  /** SQL condition: that lease is held. */
  readonly isHeld: string
  readonly key: Key
}

/** An open row as its attempt knows it: no other attempt has the same term and number. */
export type OpenRow<Key> = { readonly term: number; readonly attempts: number } & {
  readonly [Name in keyof Key]: string | number
}

/** How an attempt ended. */
export interface DeliveryEnd {
  /** `pending` if it is tried again. */
  readonly state: string
  readonly at: Date
  /** Null unless the row is pending again. */
  readonly nextAttemptAt: Date | null
  readonly error: string | null
}

/** No attempt lasts this long. A row that is open for longer was opened by a statement whose answer its process never got. */
const FORGOTTEN_AFTER = '10 minutes'

/** The texts of the statements that open, recover and settle rows of a table, where it is `d`. */
export function leasedRows<const Key extends KeyColumns>(of: LeasedTable<Key>) {
  const { table, term, isHeld, key } = of
  const names = Object.keys(key)
  const ofAttempt = [
    'd.term = $1 and d.attempts = $2',
    ...Object.entries(key).map(([name, type], index) => `d.${snakeCase(name)} = $${index + 3}::${type}`),
  ].join(' and ')
  const attemptValues = (row: OpenRow<Key>) => [row.term, row.attempts, ...names.map((name) => row[name])]
  return {
    keyColumns: selectList(key, 'd'),
    /** The condition that the row is the attempt's, and its parameters from `$1` on. */
    ofAttempt,
    attemptValues,
    /** Opens the pending rows that `from` names as `o`, for an attempt each. `$2`: now. */
    open: (from: string) =>
      `update ${table} as d set state = 'open', attempts = d.attempts + 1, term = ${term}, opened_at = $2
       from ${from}
       where ${names.map((name) => `d.${snakeCase(name)} = o.${snakeCase(name)}`).join(' and ')}
         and d.state = 'pending' and ${isHeld}`,
    /** Changes rows whose attempt was lost with its process or its lease. `$2`: now. */
    recover: (where: string, set: string, from = '') =>
      `update ${table} as d set ${set} ${from}
       where ${where} and ${isHeld}
         and (d.term <> ${term} or d.opened_at < $2::timestamptz - interval '${FORGOTTEN_AFTER}')`,
    /** Stores the end of an attempt, with what else `set` assigns. Parameters: `endValues`. */
    settle: (where: string, { set = '', from = '' } = {}) =>
      `update ${table} as d set state = $5, settled_at = case when $5 = 'pending' then null else $6::timestamptz end,
         next_attempt_at = coalesce($7::timestamptz, d.next_attempt_at), last_error = $8${set}
       ${from}
       where ${ofAttempt} and ${where}`,
    endValues: (row: OpenRow<Key>, { state, at, nextAttemptAt, error }: DeliveryEnd) => [
      ...attemptValues(row),
      ...[state, at, nextAttemptAt, error],
    ],
  }
}
