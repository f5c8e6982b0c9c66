import type { Lei } from '../../../core/identifiers.js'
import {
  findLeiCodes,
  joinLeiCodes,
  type LeiCodes,
  type ListBody,
  type ScreeningRow,
  unstoredText,
} from '../../../domains/screening/model.js'
import { type CsvRecord, csvRecordStream } from '../../bodies/csv/csv.js'
import {
  BrokenBody,
  linePosition,
  type ParseContext,
  type Parsed,
  quoted,
  type StreamFeed,
} from '../../feed.js'
import { byCron } from '../../schedule.js'
import { ofac } from '../providers.js'
import { readRemarks } from './remarks.js'

const LIST = 'us_ofac_sdn'
const DOWNLOADS = 'https://www.treasury.gov/ofac/downloads'
const HEADERS = { accept: 'text/csv' }

const SDN_CELLS = 12
const COMMENT_CELLS = 2

/** The end mark of each file, a DOS control character; a file that is cut off lacks it. */
const END_OF_FILE = '\u001a'

/** OFAC's placeholder for no value. */
const NULL = '-0-'

/** Several times the list, because its entities are held until the comments are read. */
const MAX_ENTITIES = 200_000
const MAX_HELD_CHARACTERS = 64 * 1024 * 1024

/** The list of Specially Designated Nationals with the continuations of its remarks; only both have all LEIs. */
export const ofacSdn: StreamFeed<ScreeningRow> = {
  id: 'ofac',
  provider: ofac,
  dataset: 'screening',
  part: LIST,
  description: 'Specially Designated Nationals: entities of sdn.csv, remarks of sdn_comments.csv',
  cadence: 'daily',
  schedule: byCron('20 5 * * *', 600_000),
  fileNames: ['sdn.csv', 'sdn_comments.csv'],
  takesSeveralFiles: true,
  request: () => ({ url: `${DOWNLOADS}/sdn.csv`, headers: HEADERS }),
  moreRequests: () => [{ url: `${DOWNLOADS}/sdn_comments.csv`, headers: HEADERS }],
  parseStream: parseSdn,
}

interface Entity {
  readonly line: number
  readonly name: string
  readonly programs: readonly string[]
  /** The LEIs in other columns than the remarks. */
  readonly inColumns: LeiCodes
  remarks: string
}

/** Reads both files one after another in any order; the number of cells tells their rows apart. */
export async function* parseSdn(
  chunks: AsyncIterable<Uint8Array>,
  context: ParseContext,
): AsyncGenerator<Parsed<ScreeningRow>> {
  const body: ListBody = { list: LIST, isWhole: true, isComplete: false }
  const files = new SdnFiles(context)
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

type FileName = 'sdn.csv' | 'sdn_comments.csv'

class SdnFiles {
  /** The current file, until its end mark. */
  #open: FileName | null = null
  readonly #ended = new Set<FileName>()
  #isCut = false
  readonly #entities = new Map<string, Entity>()
  readonly #others = new Set<string>()
  /** LEIs of persons, vessels and aircraft. */
  readonly #unstored: { readonly line: number; readonly leis: readonly Lei[] }[] = []
  readonly #comments = new Map<string, { readonly line: number; readonly text: string }>()
  /** Lines that another line contradicts. */
  readonly #contested = new Map<string, number>()
  #characters = 0
  readonly #context: ParseContext

  constructor(context: ParseContext) {
    this.#context = context
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
    const file = cells.length === COMMENT_CELLS ? 'sdn_comments.csv' : 'sdn.csv'
    if (this.#open !== null && this.#open !== file) this.#isCut = true
    this.#open = file
    const [id = ''] = cells
    if (cells.length !== SDN_CELLS && cells.length !== COMMENT_CELLS)
      return `has ${cells.length} cells where a row of sdn.csv has ${SDN_CELLS} and one of sdn_comments.csv ${COMMENT_CELLS}`
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
    const [, name = '', type = '', program = ''] = cells
    const remarks = givenText(cells[SDN_CELLS - 1])
    if (type !== NULL) {
      this.#others.add(id)
      this.#noteUnstored(line, cells)
      this.#context.onAbsent()
      return null
    }
    const inColumns = findLeiCodes(cells.slice(1, SDN_CELLS - 1))
    const programs = givenText(program)
      .split(/\]\s*\[/)
      .filter((code) => code !== '')
      .sort()
    const before = this.#entities.get(id)
    if (before !== undefined) {
      const isSame =
        before.name === name && before.remarks === remarks && before.programs.join() === programs.join()
      if (isSame) {
        this.#context.onAbsent()
        return null
      }
      this.#contested.set(`entity ${id}`, before.line)
      return `${this.#at(before.line)} has another entity ${id}; neither is used`
    }
    if (this.#entities.size >= MAX_ENTITIES)
      throw new BrokenBody(`the body has more than ${MAX_ENTITIES} entities`)
    this.#entities.set(id, { line, name, programs, inColumns, remarks })
    this.#hold(remarks)
    return null
  }

  #noteUnstored(line: number, texts: readonly string[]): void {
    const { leis } = findLeiCodes(texts)
    if (leis.length > 0) this.#unstored.push({ line, leis })
  }

  #hold(text: string): void {
    this.#characters += text.length
    if (this.#characters > MAX_HELD_CHARACTERS)
      throw new BrokenBody('the remarks are longer than the whole list may be')
  }

  /** The entities in the order of the body. Throws BrokenBody if one of the files is missing. */
  *subjects(body: ListBody): Generator<Parsed<ScreeningRow>> {
    if (this.#entities.size + this.#others.size === 0) throw new BrokenBody('sdn.csv has no rows')
    if (this.#comments.size === 0)
      throw new BrokenBody('sdn_comments.csv has no rows, so LEIs in its remarks would be missed')
    for (const [what, line] of this.#contested) {
      const reason = `a later line has another ${what}; neither is used`
      yield { kind: 'rejected', position: this.#at(line), reason }
    }
    for (const [id, { line, text }] of this.#comments) {
      if (this.#contested.has(`comment on ${id}`)) continue
      const entity = this.#entities.get(id)
      const isOfOther = this.#others.has(id)
      if (isOfOther) this.#noteUnstored(line, [text])
      else if (entity !== undefined) entity.remarks += text
      if (entity !== undefined || isOfOther) this.#context.onAbsent()
      else {
        // The files are of different days, or sdn.csv is cut off. The row of the continued remarks still lists its
        // entity.
        const reason = `sdn.csv has no entity ${id}`
        yield { kind: 'rejected', position: this.#at(line), reason }
      }
    }
    for (const { line, leis } of this.#unstored) {
      const reason = unstoredText(leis, 'an entry of a person, a vessel or an aircraft')
      yield { kind: 'rejected', position: this.#at(line), reason }
    }
    for (const [id, entity] of this.#entities)
      if (!this.#contested.has(`entity ${id}`))
        yield* subjectOf(body, id, { ...entity, position: this.#at(entity.line) })
  }
}

function* subjectOf(
  body: ListBody,
  subjectId: string,
  entity: Entity & { readonly position: string },
): Generator<Parsed<ScreeningRow>> {
  const { listedOn, ...remarks } = readRemarks(entity.remarks)
  const { leis, refused } = joinLeiCodes(remarks, entity.inColumns)
  for (const reason of refused) yield { kind: 'rejected', position: entity.position, reason }
  const { name, programs } = entity
  const facts = { section: '', subjectId, leis, name, programs, listedOn, referents: [], observedAt: null }
  yield { kind: 'row', row: { kind: 'subject', body, isListed: true, lists: [LIST], ...facts } }
}

function givenText(cell: string | undefined): string {
  return cell === undefined || cell === NULL ? '' : cell
}
