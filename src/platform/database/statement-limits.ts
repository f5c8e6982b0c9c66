/** How long statements may take; PGlite, which is in the same process, has no such limits. */
export interface StatementLimits {
  /** Longest from the start of a statement to the end of its result; the connection is destroyed when it takes longer. */
  readonly statementMs: number
  /** Longest pause between two statements of a transaction; the server ends the session when it takes longer. */
  readonly idleMs: number
}

/** Of a request: its client gets a 503 within 3 s of the loss of the server. */
export const REQUEST_LIMITS: StatementLimits = { statementMs: 2_200, idleMs: 5_000 }

/** Of ingestion, analysis, retention and operators' commands, whose statements read and write many rows. */
export const BATCH_LIMITS: StatementLimits = { statementMs: 60_000, idleMs: 60_000 }

/** Of migrations: building an index of a large table may take minutes, and other nodes wait for it. */
export const MIGRATION_LIMITS: StatementLimits = { statementMs: 1_800_000, idleMs: 60_000 }
