import { xmlTagsOf } from '../../bodies/xml-tags.js'
import { BrokenBody, quoted } from '../../feed.js'

/** An element of an entry, such as BC_10YEAR. */
export interface RateCell {
  readonly element: string
  /** Null for an element that is marked as null. */
  readonly text: string | null
}

/** One day of a curve. */
export interface RateEntry {
  readonly cells: readonly RateCell[]
  /** True if the body ends within the entry. */
  readonly isCut: boolean
}

/** Several times the bank days of a year; the service answers years. */
const MAX_ENTRIES = 20_000

/**
 * The entries of an Atom answer of the Treasury, in order. Throws BrokenBody for other text, such as an error page, and for an
 * answer with a failure in place of entries.
 */
export function readRateEntries(body: Uint8Array): readonly RateEntry[] {
  const entries: RateEntry[] = []
  let path: string[] = []
  let cells: RateCell[] = []
  let isNull = false
  for (const tag of xmlTagsOf(body)) {
    if (tag.kind === 'open') {
      if (path.length === 0 && tag.name !== 'feed') {
        throw new BrokenBody(`the root of the body is ${quoted(tag.name)}, not the feed of an Atom answer`)
      }
      path.push(tag.name)
      if (path.length === 2 && tag.name === 'entry') cells = []
      isNull = tag.attribute('m:null') === 'true'
    } else if (tag.kind === 'close') {
      if (isProperty(path)) cells.push({ element: tag.name, text: isNull ? null : tag.text.trim() })
      if (path.length === 2 && tag.name === 'entry') entries.push({ cells, isCut: false })
      path = path.slice(0, -1)
    } else if (path[1] === 'entry') entries.push({ cells, isCut: true })
    else entries.push({ cells: [], isCut: true })
    if (entries.length > MAX_ENTRIES) throw new BrokenBody(`the body has more than ${MAX_ENTRIES} entries`)
  }
  return entries
}

/** Whether the path leads to a property of an entry: feed, entry, content, properties, name. */
function isProperty(path: readonly string[]): boolean {
  return path.length === 5 && path[1] === 'entry' && path[3] === 'properties'
}
