import type { ListBody, SubjectRow } from '../../../domains/screening/model.js'
import { BrokenBody, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { DuplicateRows } from '../duplicate-rows.js'
import { type XmlTag, xmlTags } from '../xml-tags.js'

/** One entry of a list, read. */
export interface ReadEntry {
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

export type OpenTag = Extract<XmlTag, { readonly kind: 'open' }>

/** An XML list, which names all its subjects. */
interface XmlList<Entry> {
  readonly list: ListBody['list']
  readonly root: string
  /** Names of the elements that are entries. */
  readonly entries: readonly string[]
  readonly begin: (tag: OpenTag) => Entry
  /** Called for each element below an entry. */
  readonly open: (entry: Entry, tag: OpenTag, onAbsent: () => void) => void
  /** Called at the end of each element with a text: its text with single blanks. */
  readonly close: (entry: Entry, text: string, name: string, parent: string) => void
  readonly read: (entry: Entry, body: ListBody) => ReadEntry
}

/** Null marks the end of a list whose root element is not closed. */
async function* entriesOf<Entry>(
  chunks: AsyncIterable<Uint8Array>,
  { root, entries, begin, open, close }: XmlList<Entry>,
  onAbsent: () => void,
): AsyncGenerator<Entry | null> {
  const path: string[] = []
  let entry: Entry | null = null
  for await (const tag of xmlTags(chunks)) {
    if (tag.kind === 'cut') {
      yield null
      return
    }
    if (tag.kind === 'open') {
      if (path.length === 0 && tag.name !== root)
        throw new BrokenBody(`the root element is ${quoted(tag.name)}, not ${root}`)
      path.push(tag.name)
      if (entries.includes(tag.name)) entry = begin(tag)
      else if (entry !== null) open(entry, tag, onAbsent)
      continue
    }
    path.pop()
    if (entry === null) continue
    const text = tag.text.replace(/\s+/g, ' ').trim()
    if (text !== '') close(entry, text, tag.name, path.at(-1) ?? '')
    if (!entries.includes(tag.name)) continue
    yield entry
    entry = null
  }
}

/** Yields the entries of an XML list. The end of its root element proves that nothing is missing. */
export async function* readWholeList<Entry>(
  chunks: AsyncIterable<Uint8Array>,
  list: XmlList<Entry>,
  { onAbsent }: ParseContext,
): AsyncGenerator<Parsed<SubjectRow>> {
  const body: ListBody = { list: list.list, isWhole: true, isComplete: false }
  const duplicates = new DuplicateRows()
  let isDamaged = false
  let count = 0
  for await (const entry of entriesOf(chunks, list, onAbsent)) {
    if (entry === null) {
      isDamaged = true
      yield { kind: 'rejected', position: 'end of the list', reason: 'the body is cut off' }
      continue
    }
    count += 1
    const { id, problem, content, refused, row } = list.read(entry, body)
    const position = `entry ${count}${id === '' ? '' : `, ${id}`}`
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
