import type { ScreeningRow } from '../../../src/domains/screening/model.js'

/** The number of identifiers of subjects, by kind. */
export function countKinds(rows: readonly ScreeningRow[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const row of rows)
    for (const { kind } of row.kind === 'subject' ? row.identifiers : [])
      counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
