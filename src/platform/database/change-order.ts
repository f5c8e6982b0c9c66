import type { ChangePosition } from '../../core/change-position.js'
import type { Transaction } from './database.js'
import type { Condition } from './where-given.js'

/** The tables of changes. Their rows have one order, by `computed_at` and `diff_id`, which one sequence numbers. */
const CHANGE_TABLES = ['analysis_change', 'corporate_action_change'] as const

export type ChangeTable = (typeof CHANGE_TABLES)[number]

/** SQL: the next `diff_id`. */
export const NEXT_DIFF_ID = "nextval('analysis_change_diff_id_seq')"

/**
 * Lets one writer append changes until the end of the transaction. Together with `computedAt` this makes positions rise
 * with every commit, so that a reader behind a position misses nothing.
 */
export async function lockChangeOrder(tx: Transaction): Promise<void> {
  await tx.rows("select pg_advisory_xact_lock(hashtext('analysis append'))::text")
}

/** SQL: when a change is computed that is appended at an instant, no earlier than all changes before it. */
export function computedAt(instant: string): string {
  const newest = CHANGE_TABLES.map((table) => `(select max(computed_at) from ${table})`)
  return `greatest(${instant}, ${newest.join(', ')})`
}

/** Condition on changes `c`: those before a position, all when it is null. */
export function positionBefore(before: ChangePosition | null): Condition {
  return [
    '(c.computed_at, c.diff_id) < (?::timestamptz, ?::bigint)',
    before?.computedAt ?? null,
    before?.diffId ?? null,
  ]
}
