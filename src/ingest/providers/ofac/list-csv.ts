import { PROVIDERS } from '../../../core/providers.js'
import {
  identifierKey,
  type ListIdentifier,
  leiIdentifiers,
} from '../../../domains/screening/identifiers-model.js'
import {
  findLeiCodes,
  type ListBody,
  type ScreeningList,
  type ScreeningRow,
  unstoredText,
} from '../../../domains/screening/model.js'
import { type CsvRecord, csvRecordStream } from '../../bodies/csv/csv.js'
import { readListedIdentifier, toListedSubject } from '../../bodies/screening/listed-subject.js'
import {
  BrokenBody,
  linePosition,
  type ParseContext,
  type Parsed,
  quoted,
  type StreamFeed,
} from '../../feed.js'
import { byCron } from '../../schedule.js'
import { readRemarks } from './remarks.js'

const DOWNLOADS = 'https://www.treasury.gov/ofac/downloads'
const HEADERS = { accept: 'text/csv' }

const LIST_CELLS = 12
const COMMENT_CELLS = 2
const CALL_SIGN = 5

/** Labels that no rule reads and that are named one by one; the rest is one more. */
const MAX_UNREAD = 50
const FURTHER = 'other labels'

/** The end mark of each file, a DOS control character; a file that is cut off lacks it. */
const END_OF_FILE = '\u001a'

/** OFAC's placeholder for no value. */
const NULL = '-0-'

/** Several times the list, because its entities are held until the comments are read. */
const MAX_ENTITIES = 200_000
const MAX_HELD_CHARACTERS = 64 * 1024 * 1024

interface OfacList {
  readonly id: string
  readonly list: ScreeningList
  readonly description: string
  /** Minute after five o'clock (UTC) at which the schedule requests the list. */
  readonly minute: number
  /** Path of the files below the downloads. */
  readonly folder: string
  /** The list, and the continuations of its remarks. */
  readonly files: readonly [rows: string, comments: string]
}

/** The feed of a list of OFAC. All lists have the same format. */
export function ofacList(facts: OfacList): StreamFeed<ScreeningRow> {
  const { id, list, description, minute, folder, files } = facts
  const requestOf = (file: string) => ({ url: `${DOWNLOADS}/${folder}${file}`, headers: HEADERS })
  return {
    id,
    provider: PROVIDERS.ofac,
    dataset: 'screening',
    part: list,
    description,
    cadence: 'daily',
    schedule: byCron(`${minute} 5 * * *`, 600_000),
    fileNames: files,
    takesSeveralFiles: true,
    request: () => requestOf(files[0]),
    moreRequests: () => [requestOf(files[1])],
    parseStream: (chunks, context) => parseList(chunks, context, facts),
  }
}

interface Entity {
  readonly line: number
  /** Null for an organisation. */
  readonly type: string | null
  readonly name: string
  readonly programs: readonly string[]
  /** Those in other columns than the remarks. */
  readonly inColumns: ColumnIdentifiers
  remarks: string
}

interface ColumnIdentifiers {
  readonly identifiers: readonly ListIdentifier[]
  readonly refused: readonly string[]
}

/** A text that looks like an identifier and that no rule reads. */
interface Unread {
  readonly line: number
  count: number
}

/** Reads both files one after another in any order; the number of cells tells their rows apart. */
async function* parseList(
  chunks: AsyncIterable<Uint8Array>,
  context: ParseContext,
  { list, files: names }: OfacList,
): AsyncGenerator<Parsed<ScreeningRow>> {
  const body: ListBody = { list, isWhole: true, isComplete: false }
  const files = new ListFiles(context, names)
  let isDamaged = false
  for await (const record of csvRecordStream(chunks, { keepsBrokenLines: true })) {
    const reason = files.add(record)
    if (reason === null) continue
    isDamaged = true
    yield { kind: 'rejected', position: linePosition(context, record.line), reason }
  }
  yield* files.subjects(body)
  body.isComplete = !isDamaged
  body.isProven = files.areEnded
}

class ListFiles {
  /** The current file, until its end mark. */
  #open: string | null = null
  readonly #ended = new Set<string>()
  #isCut = false
  readonly #entities = new Map<string, Entity>()
  readonly #comments = new Map<string, { readonly line: number; readonly text: string }>()
  /** Lines that another line contradicts. */
  readonly #contested = new Map<string, number>()
  #characters = 0
  /** By label. */
  readonly #unread = new Map<string, Unread>()
  readonly #context: ParseContext
  readonly #rows: string
  readonly #continuations: string

  constructor(context: ParseContext, [rows, continuations]: OfacList['files']) {
    this.#context = context
    this.#rows = rows
    this.#continuations = continuations
  }

  #at(line: number): string {
    return linePosition(this.#context, line)
  }

  /** Whether both files have their end marks, so that neither is cut off, not even at the end of a line. */
  get areEnded(): boolean {
    return !this.#isCut && this.#open === null && this.#ended.size === 2
  }

  /** Null, or why the record is rejected. */
  add({ line, cells, wrong }: CsvRecord): string | null {
    if (wrong !== undefined) return wrong
    if (cells.length === 1 && cells[0] === END_OF_FILE) {
      if (this.#open !== null) this.#ended.add(this.#open)
      this.#open = null
      return null
    }
    const file = cells.length === COMMENT_CELLS ? this.#continuations : this.#rows
    if (this.#open !== null && this.#open !== file) this.#isCut = true
    this.#open = file
    const [id = ''] = cells
    if (cells.length !== LIST_CELLS && cells.length !== COMMENT_CELLS)
      return `has ${cells.length} cells where a row of ${this.#rows} has ${LIST_CELLS} and one of ${this.#continuations} ${COMMENT_CELLS}`
    if (!/^\d{1,9}$/.test(id)) return `${quoted(id)} is not an entity number`
    return cells.length === COMMENT_CELLS
      ? this.#addComment(id, cells[1] ?? '', line)
      : this.#addRow(id, cells, line)
  }

  #addComment(id: string, text: string, line: number): string | null {
    const before = this.#comments.get(id)
    if (before !== undefined && before.text !== text) {
      this.#contested.set(`comment on ${id}`, before.line)
      return `${this.#at(before.line)} has another comment on ${id}; neither is used`
    }
    if (before !== undefined) {
      this.#context.onAbsent()
      return null
    }
    this.#comments.set(id, { line, text })
    this.#hold(text)
    return null
  }

  #addRow(id: string, cells: readonly string[], line: number): string | null {
    const [, name = '', , program = ''] = cells
    const type = givenText(cells[2]) || null
    const remarks = givenText(cells[LIST_CELLS - 1])
    const inColumns = readColumns(cells, type)
    const programs = givenText(program)
      .split(/\]\s*\[/)
      .filter((code) => code !== '')
      .sort()
    const before = this.#entities.get(id)
    if (before !== undefined) {
      const isSame =
        before.name === name &&
        before.type === type &&
        before.remarks === remarks &&
        before.programs.join() === programs.join() &&
        before.inColumns.identifiers.map(identifierKey).join() ===
          inColumns.identifiers.map(identifierKey).join()
      if (isSame) {
        this.#context.onAbsent()
        return null
      }
      this.#contested.set(`entry ${id}`, before.line)
      return `${this.#at(before.line)} has another entry ${id}; neither is used`
    }
    if (this.#entities.size >= MAX_ENTITIES)
      throw new BrokenBody(`the body has more than ${MAX_ENTITIES} entries`)
    this.#entities.set(id, { line, type, name, programs, inColumns, remarks })
    this.#hold(remarks)
    return null
  }

  #hold(text: string): void {
    this.#characters += text.length
    if (this.#characters > MAX_HELD_CHARACTERS)
      throw new BrokenBody('the remarks are longer than the whole list may be')
  }

  /** The entries in the order of the body. Throws BrokenBody if one of the files is missing. */
  *subjects(body: ListBody): Generator<Parsed<ScreeningRow>> {
    if (this.#entities.size === 0) throw new BrokenBody(`${this.#rows} has no rows`)
    if (this.#comments.size === 0)
      throw new BrokenBody(
        `${this.#continuations} has no rows, so identifiers in its remarks would be missed`,
      )
    for (const [what, line] of this.#contested) {
      const reason = `a later line has another ${what}; neither is used`
      yield { kind: 'rejected', position: this.#at(line), reason }
    }
    for (const [id, { line, text }] of this.#comments) {
      if (this.#contested.has(`comment on ${id}`)) continue
      const entity = this.#entities.get(id)
      if (entity !== undefined) {
        entity.remarks += text
        this.#context.onAbsent()
        continue
      }
      // The files are of different days, or the list is cut off. The row of the continued remarks still lists its subject.
      yield { kind: 'rejected', position: this.#at(line), reason: `${this.#rows} has no entry ${id}` }
    }
    for (const [id, entity] of this.#entities)
      if (!this.#contested.has(`entry ${id}`)) yield* this.#subject(body, id, entity)
    for (const [label, { line, count }] of this.#unread) {
      const reason = `no rule reads what follows ${quoted(label)} in the remarks of ${count} entries; the first is here`
      yield { kind: 'rejected', position: this.#at(line), reason }
    }
  }

  *#subject(body: ListBody, subjectId: string, entity: Entity): Generator<Parsed<ScreeningRow>> {
    const { line, type, name, programs, inColumns } = entity
    const { identifiers, refused, unread, listedOn } = readRemarks(entity.remarks)
    const anywhere = findLeiCodes([entity.remarks])
    const unlabelled = anywhere.leis.filter(
      (lei) => !identifiers.some(({ kind, value }) => kind === 'lei' && value === lei),
    )
    const ofOrganisation = type === null ? anywhere.refused : []
    const ofOther =
      type === null || unlabelled.length === 0
        ? []
        : [unstoredText(unlabelled, 'a text on a person, a vessel or an aircraft')]
    const reasons = new Set([...refused, ...inColumns.refused, ...ofOrganisation, ...ofOther])
    for (const reason of reasons) yield { kind: 'rejected', position: this.#at(line), reason }
    for (const label of unread) this.#noteUnread(label, line)
    const found = [
      ...inColumns.identifiers,
      ...identifiers,
      ...(type === null ? leiIdentifiers(unlabelled) : []),
    ]
    yield {
      kind: 'row',
      row: toListedSubject(body, { subjectId, identifiers: found, name, programs, listedOn }),
    }
  }

  #noteUnread(label: string, line: number): void {
    const name = this.#unread.has(label) || this.#unread.size < MAX_UNREAD ? label : FURTHER
    const known = this.#unread.get(name)
    if (known !== undefined) known.count += 1
    else this.#unread.set(name, { line, count: 1 })
  }
}

/** The identifiers in other columns than the remarks: the call sign of a ship, and LEIs anywhere in the row of an organisation. */
function readColumns(cells: readonly string[], type: string | null): ColumnIdentifiers {
  if (type === null) {
    const { leis, refused } = findLeiCodes(cells.slice(1, LIST_CELLS - 1))
    return { identifiers: leiIdentifiers(leis), refused }
  }
  const callSign = givenText(cells[CALL_SIGN])
  if (callSign === '') return { identifiers: [], refused: [] }
  const refused: string[] = []
  const written = { kind: 'call_sign', text: callSign, label: 'Call sign', name: 'call sign' } as const
  return { identifiers: readListedIdentifier(written, refused), refused }
}

function givenText(cell: string | undefined): string {
  return cell === undefined || cell === NULL ? '' : cell
}
