import type { Parsed } from '../feed.js'

/** The items of a whole body, in which a row that a later row contradicts is rejected too. */
export function withoutContradicted<Row>(
  items: Iterable<Parsed<Row>>,
  keyOf: (row: Row) => string,
): readonly Parsed<Row>[] {
  const all = [...items]
  const refused = new Set(
    all.flatMap((item) =>
      item.kind === 'rejected' && item.contradicts !== undefined ? keyOf(item.contradicts) : [],
    ),
  )
  return all.map((item): Parsed<Row> => {
    if (item.kind === 'rejected') return { kind: 'rejected', position: item.position, reason: item.reason }
    const key = keyOf(item.row)
    if (!refused.has(key)) return { kind: 'row', row: item.row }
    const reason = 'a later row of the body contradicts it'
    return { kind: 'rejected', position: item.position ?? key, reason }
  })
}
