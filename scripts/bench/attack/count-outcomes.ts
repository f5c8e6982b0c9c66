import type { PostResult } from './post.js'

/** Number of responses by status, and of broken connections by code. */
export type Outcomes = Readonly<Record<string, number>>

export function countOutcomes(results: readonly PostResult[]): Outcomes {
  const outcomes: Record<string, number> = {}
  for (const { outcome } of results) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  return outcomes
}
