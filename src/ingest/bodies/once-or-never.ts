import type { ParseContext, Parsed } from '../feed.js'
import type { DuplicateRows } from './duplicate-rows.js'

interface RowPlace<Row> {
  readonly position: string
  /** The subject of the row, for the reason of a rejection. */
  readonly name: string
  /** The key of a row. Rows of one body must not share it. */
  readonly keyOf: (row: Row) => string
  /** The content of a row, which tells equal rows from contradictory ones; by default all its members. */
  readonly textOf?: (row: Row) => string
  readonly onAbsent: ParseContext['onAbsent']
}

/**
 * Yields a row of a stream once, even if the body repeats it. If rows of one key contradict each other, none of
 * them counts: the rejection names the earlier row, so that it is undone.
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
  const reason = `${name} appears twice with different figures; neither row is used`
  yield { kind: 'rejected', position, reason, ...(noted === 'other' ? { contradicts: row } : {}) }
}
