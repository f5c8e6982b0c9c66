import type { ParseContext, Parsed } from '../feed.js'
import type { DuplicateRows } from './duplicate-rows.js'

interface RowPlace<Row> {
  readonly position: string
  /** What the row is about, for the reason of a rejection. */
  readonly name: string
  /** What no two rows of the body share. */
  readonly keyOf: (row: Row) => string
  /** What makes two rows of one key the same; left out: all that a row says. */
  readonly textOf?: (row: Row) => string
  readonly onAbsent: ParseContext['onAbsent']
}

/**
 * A row of a body that is read as it comes: given once, however often it is there alike. Of rows of one key that say different
 * things none counts: the first of them is taken back.
 */
export function* onceOrNever<Row>(
  seen: DuplicateRows,
  row: Row,
  { position, name, keyOf, textOf = JSON.stringify, onAbsent }: RowPlace<Row>,
): Generator<Parsed<Row>> {
  const noted = seen.note(keyOf(row), textOf(row))
  if (noted === 'new') yield { kind: 'row', row }
  if (noted === 'same') onAbsent()
  if (noted === 'new' || noted === 'same') return
  const reason = `${name} is there already, with other figures: neither is taken`
  yield { kind: 'rejected', position, reason, ...(noted === 'other' ? { contradicts: row } : {}) }
}
