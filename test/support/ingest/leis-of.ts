import type { SubjectRow } from '../../../src/domains/screening/model.js'

/** The LEIs among the identifiers of a subject. */
export function leisOf({ identifiers }: Pick<SubjectRow, 'identifiers'>): readonly string[] {
  return identifiers.flatMap(({ kind, value }) => (kind === 'lei' ? value : []))
}
