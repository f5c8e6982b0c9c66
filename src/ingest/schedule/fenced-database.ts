import type { Database } from '../../platform/database/database.js'
import { abortable } from '../../platform/database/interruptible.js'
import { type Attempt, holdAttempt } from './job-store.js'

/** Another node has begun the same run, because this node did not renew its lease in time. */
export class AttemptLost extends Error {
  override readonly name = 'AttemptLost'
}

/**
 * The database for an attempt. Each transaction begins with a lock on the row of the attempt, so that it commits before
 * another attempt begins, or not at all. After an abort it ends at its next statement and is rolled back.
 */
export function fencedDatabase(database: Database, attempt: Attempt, signal: AbortSignal): Database {
  return {
    ...database,
    transaction: (work, limits) =>
      database.transaction(async (tx) => {
        if (!(await holdAttempt(tx, attempt))) {
          throw new AttemptLost(`another node has begun attempt ${attempt.attempt + 1} of ${attempt.job}`)
        }
        return work(abortable(tx, signal))
      }, limits),
  }
}
