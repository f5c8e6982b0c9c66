import type { ListBody, SubjectRow } from '../../../domains/screening/model.js'
import { BrokenBody, type Parsed } from '../../feed.js'
import { DuplicateRows } from '../duplicate-rows.js'

/** One entry of a list, read. */
export interface ReadEntry {
  /** Counted from 1. */
  readonly number: number
  /** Id of the subject. */
  readonly id: string
  /** What is wrong with the id; null for a valid one. */
  readonly problem: string | null
  /** Everything that the entry says, by which repetitions are compared. */
  readonly content: string
  /** What of the entry is not stored. */
  readonly refused: readonly string[]
  readonly row: SubjectRow
}

/** Marks the end of a list whose root element is not closed. */
export const CUT = 'cut'

/** Yields the entries of an XML list. The end of its root element proves that nothing is missing. */
export async function* readWholeList<Entry extends object>(
  entries: AsyncIterable<Entry | typeof CUT>,
  body: ListBody,
  read: (entry: Entry) => ReadEntry,
  onAbsent: () => void,
): AsyncGenerator<Parsed<SubjectRow>> {
  const duplicates = new DuplicateRows()
  let isDamaged = false
  let count = 0
  for await (const entry of entries) {
    if (entry === CUT) {
      isDamaged = true
      yield { kind: 'rejected', position: 'end of the list', reason: 'the body is cut off' }
      continue
    }
    count += 1
    const { number, id, problem, content, refused, row } = read(entry)
    const position = `entry ${number}${id === '' ? '' : `, ${id}`}`
    const double = problem === null ? duplicates.note(id, content) : 'new'
    if (double === 'same') {
      onAbsent()
      continue
    }
    if (problem === null && double === 'new') {
      for (const reason of refused) yield { kind: 'rejected', position, reason }
      yield { kind: 'row', row }
      continue
    }
    isDamaged = true
    const reason = problem ?? `the entry ${id} is repeated with different content`
    yield { kind: 'rejected', position, reason, ...(double === 'other' ? { contradicts: row } : {}) }
  }
  if (count === 0) throw new BrokenBody('the list has no entries')
  body.isComplete = !isDamaged
  body.isProven = !isDamaged
}
