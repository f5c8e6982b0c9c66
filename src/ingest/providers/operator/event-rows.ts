import { concatChunks } from '../../bodies/chunks.js'
import { withFirstByte } from '../../bodies/first-byte.js'
import { jsonLines } from '../../bodies/json/json-stream.js'
import { BrokenBody, quoted } from '../../feed.js'
import type { OwnColumns, TableRow } from './columns.js'
import { type RejectedLine, readTable } from './table.js'

/** Like `readTable` for tables. */
const MAX_BYTES = 16 * 2 ** 20
const MAX_ROWS = 100_000

const BRACE = 0x7b

/**
 * The lines of a body that is a CSV table or has one JSON object with the same names per line. In JSON, `assets`
 * may be a list, and `withdrawn` true or false. Throws like `readTable`.
 */
export async function* tableOrJsonRows(
  body: AsyncIterable<Uint8Array>,
  columns: OwnColumns,
): AsyncGenerator<TableRow | RejectedLine> {
  const { first, text } = await withFirstByte(body)
  if (first === BRACE) yield* jsonRows(text, columns)
  // As a stream, the body reports how far it is read.
  else yield* readTable(await concatChunks(text, MAX_BYTES), columns, () => undefined)
}

async function* jsonRows(
  chunks: AsyncIterable<Uint8Array>,
  columns: OwnColumns,
): AsyncGenerator<TableRow | RejectedLine> {
  let rows = 0
  for await (const read of jsonLines(chunks)) {
    rows += 1
    if (rows > MAX_ROWS) throw new BrokenBody(`the file has more than ${MAX_ROWS} lines; give it in parts`)
    const { line } = read
    const cells = 'reason' in read ? { wrong: `it ${read.reason}` } : cellsOf(read.value, columns)
    if ('wrong' in cells) yield { kind: 'rejected', position: `line ${line}`, reason: cells.wrong }
    else yield { line, cell: (name) => cells.value.get(name) ?? null }
  }
}

function cellsOf(object: Readonly<Record<string, unknown>>, columns: OwnColumns) {
  const known = Object.values(columns).map(({ name }) => name)
  const value = new Map<string, string>()
  for (const [name, member] of Object.entries(object)) {
    const cell = cellOf(member)
    if (!known.includes(name))
      return { wrong: `it has the unknown member ${quoted(name)}; known are ${known.join(', ')}` }
    if (cell === null) return { wrong: `${name} must be text` }
    value.set(name, cell)
  }
  return { value }
}

/** Null for a value that cannot be a cell. */
function cellOf(member: unknown): string | null {
  if (member === null) return ''
  if (typeof member === 'string') return member
  if (typeof member === 'boolean') return member ? 'yes' : 'no'
  const isTexts = Array.isArray(member) && member.every((item) => typeof item === 'string')
  return isTexts ? member.join(' ') : null
}
