import { PROVIDERS } from '../../../core/providers.js'
import { toIsoDate } from '../../../core/time.js'
import { leiIdentifiers } from '../../../domains/screening/identifiers-model.js'
import {
  findLeiCodes,
  joinLeiCodes,
  type LeiCodes,
  type ListBody,
  parseLeiCodes,
  type ScreeningRow,
  unstoredText,
} from '../../../domains/screening/model.js'
import { type CsvRecord, csvRecordStream } from '../../bodies/csv/csv.js'
import { CsvHeader } from '../../bodies/csv/csv-header.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { parseWrittenDay } from '../../bodies/written-day.js'
import { linePosition, type ParseContext, type Parsed, quoted, type StreamFeed } from '../../feed.js'

const LIST = 'eu_journal_sanctions'

/** The annexes of regulations as tables: one file per regulation, and one per amending act. */
export const euJournal: StreamFeed<ScreeningRow> = {
  id: 'eu-sanctions',
  provider: PROVIDERS.euSanctions,
  dataset: 'screening',
  part: LIST,
  description: 'Annexes of EU regulations as tables, consolidated or amending; several files at once',
  cadence: 'by file only',
  fileNames: ['32014R0269.csv', 'any other act by its CELEX number'],
  takesSeveralFiles: true,
  parseStream: parseJournal,
}

/** Columns that every row must fill; an amending act has `amendedCelex` in place of `celex`. */
const REQUIRED = [
  'celex',
  'recordId',
  'programKey',
  'annex',
  'measure',
  'startDate',
  'schema',
  'name',
  'leiCode',
] as const

/** The column with the reasons of a listing, which tells about other entities too. */
const REASON = 'reason'

type Column = (typeof REQUIRED)[number] | typeof REASON

/** Kinds of entries that have no LEI. */
const OTHER_SCHEMAS = new Set(['Person', 'Vessel', 'Airplane', 'Asset', 'CryptoWallet'])

interface Table {
  readonly header: CsvHeader<Column>
  /** The annex of the following rows. A consolidated act is complete, an amending one is not. */
  readonly body: ListBody
  readonly duplicates: DuplicateRows
}

/** Reads files one after another, each with its header. */
export async function* parseJournal(
  chunks: AsyncIterable<Uint8Array>,
  context: ParseContext,
): AsyncGenerator<Parsed<ScreeningRow>> {
  const { now, onAbsent } = context
  const tables: Table[] = []
  let isDamaged = false
  for await (const record of csvRecordStream(chunks, { keepsBrokenLines: true })) {
    const table = tables.at(-1)
    if (table === undefined || isHeader(record)) {
      tables.push(readTable(record))
      continue
    }
    const position = linePosition(context, record.line)
    const wrong = wrongRow(record, table)
    const double = wrong === null ? doubleOf(record, table) : 'new'
    const isNew = wrong === null && double === 'new'
    if (isNew) yield* rowsOf(record, table, { position, now })
    if (double === 'same' || (isNew && isOfOtherSchema(record, table))) onAbsent()
    if (double === 'same' || isNew) continue
    isDamaged = true
    const reason = wrong ?? 'the entry is repeated with different content'
    const rows = double === 'other' ? [...rowsOf(record, table, { position, now })] : []
    const contradicts = rows.find((item) => item.kind === 'row')?.row
    yield { kind: 'rejected', position, reason, ...(contradicts === undefined ? {} : { contradicts }) }
  }
  for (const { body } of tables) body.isComplete = !isDamaged
}

function isHeader({ cells }: CsvRecord): boolean {
  return cells[0] === 'celex' || cells[0] === 'amendedCelex'
}

function readTable({ cells }: CsvRecord): Table {
  const names = cells.map((name) => (name === 'amendedCelex' ? 'celex' : name))
  const header = CsvHeader.read<Column>(names, REQUIRED)
  const body = { list: LIST, isWhole: !cells.includes('amendedCelex'), isComplete: false } satisfies ListBody
  return { header, body, duplicates: new DuplicateRows() }
}

function wrongRow(record: CsvRecord, { header }: Table): string | null {
  const wrong = header.explain(record)
  if (wrong !== null) return wrong
  const celex = header.cell(record, 'celex')
  if (!/^3\d{4}[A-Z]\d{4}$/.test(celex)) return `${quoted(celex)} is not a CELEX number of an act`
  const empty = (['programKey', 'measure', 'schema', 'name'] as const).find(
    (column) => header.cell(record, column) === '',
  )
  return empty === undefined ? null : `has no ${empty}`
}

/** Duplicates count within one table only, because an amending act changes an entry of the consolidated one. */
function doubleOf(record: CsvRecord, { header, duplicates }: Table): ReturnType<DuplicateRows['note']> {
  const key = `${header.cell(record, 'celex')} ${subjectIdOf(record, header)}`
  return duplicates.note(key, JSON.stringify(record.cells))
}

/** The key of a designation: record number, annex, programme, measure and kind of entity. */
function subjectIdOf(record: CsvRecord, header: CsvHeader<Column>): string {
  const number = header.cell(record, 'recordId') || header.cell(record, 'name')
  const columns = ['programKey', 'annex', 'measure', 'schema'] as const
  return [...columns.map((column) => header.cell(record, column)), number].join(' / ')
}

function isOfOtherSchema(record: CsvRecord, { header }: Table): boolean {
  return OTHER_SCHEMAS.has(header.cell(record, 'schema'))
}

function* rowsOf(
  record: CsvRecord,
  table: Table,
  { position, now }: { readonly position: string; readonly now: Date },
): Generator<Parsed<ScreeningRow>> {
  const { header, body } = table
  const cell = (column: Column) => header.cell(record, column)
  const { leis, refused } = readLeis(record, table)
  for (const reason of refused) yield { kind: 'rejected', position, reason }
  if (isOfOtherSchema(record, table)) return
  const { listedOn, wrongDate } = readStart(cell('startDate'), now)
  if (wrongDate !== null) yield { kind: 'rejected', position, reason: wrongDate }
  const identifiers = leiIdentifiers(leis)
  const subjectId = subjectIdOf(record, header)
  const facts = { section: cell('celex'), subjectId, identifiers, name: cell('name') }
  const listing = { isListed: true, lists: [LIST], programs: [cell('programKey')], listedOn }
  yield { kind: 'row', row: { kind: 'subject', body, ...facts, ...listing, referents: [], observedAt: null } }
}

/** The LEIs of an entry, which may stand in any column, and why others are not stored. */
function readLeis(record: CsvRecord, table: Table): LeiCodes {
  const { header } = table
  const elsewhere = findLeiCodes(header.otherCells(record, ['leiCode', REASON]))
  const { leis, refused } = joinLeiCodes(parseLeiCodes(header.list(record, 'leiCode')), elsewhere)
  const schema = header.cell(record, 'schema')
  if (isOfOtherSchema(record, table))
    return {
      leis: [],
      refused: leis.length === 0 ? [] : [unstoredText(leis, `an entry of the kind ${schema}`)],
    }
  const inReason = findLeiCodes([header.cell(record, REASON)]).leis.filter((lei) => !leis.includes(lei))
  const unstored =
    inReason.length === 0 ? [] : [unstoredText(inReason, 'the reason, which may mean another entity')]
  return { leis, refused: [...refused, ...unstored] }
}

/**
 * The day of the listing; a year or month alone does not count. An entry with a wrong date is kept, because it is
 * in force anyway.
 */
function readStart(written: string, now: Date) {
  const day = parseWrittenDay(written)
  if (day !== null && day <= toIsoDate(now)) return { listedOn: day, wrongDate: null }
  const isNone = written === '' || /^\d{4}(-\d{2})?$/.test(written)
  const wrongDate = isNone
    ? null
    : `${quoted(written)} is not a day up to now; the entry is kept without its date`
  return { listedOn: null, wrongDate }
}
