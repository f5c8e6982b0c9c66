/** How long statements may take; PGlite, which is in the same process, has no such limits. */
export interface StatementLimits {
  /** Longest from the start of a statement to the end of its result; the connection is destroyed when it takes longer. */
  readonly statementMs: number
  /** Longest pause between two statements of a transaction; the server ends the session when it takes longer. */
  readonly idleMs: number
}

/** Limits of requests: clients get a 503 within 3 s after the server is lost. */
export const REQUEST_LIMITS: StatementLimits = { statementMs: 2_200, idleMs: 5_000 }

/** Limits of ingestion, analysis, retention and operators' commands, whose statements read and write many rows. */
export const BATCH_LIMITS: StatementLimits = { statementMs: 60_000, idleMs: 60_000 }

/** Limits of migrations: building an index of a large table may take minutes, and other nodes wait for it. */
export const MIGRATION_LIMITS: StatementLimits = { statementMs: 1_800_000, idleMs: 60_000 }
