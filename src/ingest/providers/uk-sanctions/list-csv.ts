import { PROVIDERS } from '../../../core/providers.js'
import { type IsoDate, parseIsoDate, toIsoDate } from '../../../core/time.js'
import {
  type IdentifierKind,
  identifierKey,
  type ListIdentifier,
} from '../../../domains/screening/identifiers-model.js'
import {
  distinctTexts,
  findLeiCodes,
  type ListBody,
  type ScreeningRow,
  unstoredText,
} from '../../../domains/screening/model.js'
import { type CsvRecord, csvRecordStream } from '../../bodies/csv/csv.js'
import { CsvHeader } from '../../bodies/csv/csv-header.js'
import {
  readListedIdentifier,
  toListedSubject,
  type WrittenIdentifier,
} from '../../bodies/screening/listed-subject.js'
import { splitNameInBrackets } from '../../bodies/screening/name-in-brackets.js'
import { parseWrittenDay } from '../../bodies/written-day.js'
import { BrokenBody, type ParseContext, type Parsed, quoted, type StreamFeed } from '../../feed.js'
import { byCron } from '../../schedule.js'

const LIST = 'gb_fcdo_sanctions'

/** The single list of the United Kingdom. It has no end mark, so only `--whole` withdraws entries that it lacks. */
export const ukSanctions: StreamFeed<ScreeningRow> = {
  id: 'uk-sanctions',
  provider: PROVIDERS.ukSanctions,
  dataset: 'screening',
  part: LIST,
  description: 'UK Sanctions List: persons, entities and ships, a row for each of their names and addresses',
  cadence: 'daily',
  schedule: byCron('35 5 * * *', 600_000),
  fileNames: ['UK-Sanctions-List.csv'],
  request: () => ({
    url: 'https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv',
    headers: { accept: 'text/csv' },
  }),
  parseStream: parseUkList,
}

const NAME_COLUMNS = ['Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5', 'Name 6'] as const

/** The identifiers of a row: column, and kind. The column of registration numbers has a separate rule. */
const NUMBER_COLUMNS = {
  'National Identifier number': 'national_id',
  'Passport number': 'passport',
  'IMO number': 'imo',
  'Hull identification number (HIN)': 'other',
} as const satisfies Readonly<Record<string, IdentifierKind>>

const REGISTRATIONS = 'Business registration number (s)'

const REQUIRED = [
  'Unique ID',
  ...NAME_COLUMNS,
  'Name type',
  'Regime Name',
  'Designation Type',
  'Date Designated',
  REGISTRATIONS,
  'National Identifier number',
  'Passport number',
  'IMO number',
  'Hull identification number (HIN)',
] as const

type Column = (typeof REQUIRED)[number]

/** Labels of numbers of Russian registers among the registration numbers. */
const RUSSIAN: Readonly<Record<string, IdentifierKind>> = {
  INN: 'tax_id',
  OGRN: 'registration',
  KPP: 'registration',
  OKPO: 'registration',
}

const DESIGNATION_TYPES = new Set(['Individual', 'Entity', 'Ship'])

/** Several times the list, because the rows of an entry are held until the end of the body. */
const MAX_ENTRIES = 200_000

/** The rows of one entry. */
interface Entry {
  readonly line: number
  /** The cells that all rows of an entry share. */
  readonly facts: string
  readonly programs: readonly string[]
  readonly listedOn: IsoDate | null
  name: string | null
  readonly identifiers: ListIdentifier[]
}

/** Reads the list: the day of the report, the header, and rows that are joined by their Unique ID. */
async function* parseUkList(
  chunks: AsyncIterable<Uint8Array>,
  { now, onAbsent }: ParseContext,
): AsyncGenerator<Parsed<ScreeningRow>> {
  const body: ListBody = { list: LIST, isWhole: true, isComplete: false }
  const entries = new Map<string, Entry>()
  const contested = new Map<string, number>()
  let reportDay: string | null = null
  let header: CsvHeader<Column> | null = null
  let isDamaged = false
  for await (const record of csvRecordStream(chunks, { keepsBrokenLines: true })) {
    if (reportDay === null) {
      reportDay = readReportDay(record, now)
      continue
    }
    if (header === null) {
      header = CsvHeader.read(record.cells, REQUIRED)
      continue
    }
    const position = `line ${record.line}`
    const read = readRow(record, header, now)
    if ('reason' in read) {
      isDamaged = true
      yield { kind: 'rejected', position, reason: read.reason }
      continue
    }
    const { id, row, isPrimary, refused } = read
    for (const reason of refused) yield { kind: 'rejected', position, reason }
    const entry = entries.get(id)
    if (entry === undefined) {
      if (entries.size >= MAX_ENTRIES) throw new BrokenBody(`the body has more than ${MAX_ENTRIES} entries`)
      entries.set(id, row)
      continue
    }
    if (entry.facts !== row.facts) {
      isDamaged = true
      contested.set(id, entry.line)
      const reason = `line ${entry.line} states ${id} with another regime, type or day; neither is used`
      yield { kind: 'rejected', position, reason }
      continue
    }
    onAbsent()
    if (isPrimary) entry.name = row.name
    const known = new Set(entry.identifiers.map(identifierKey))
    entry.identifiers.push(...row.identifiers.filter((identifier) => !known.has(identifierKey(identifier))))
  }
  if (entries.size === 0) throw new BrokenBody('the list has no entries')
  for (const [id, line] of contested)
    yield {
      kind: 'rejected',
      position: `line ${line}`,
      reason: `a later line contradicts ${id}; neither is used`,
    }
  for (const [id, entry] of entries)
    if (!contested.has(id)) yield { kind: 'row', row: toListedSubject(body, { ...entry, subjectId: id }) }
  body.isComplete = !isDamaged
}

function readReportDay({ cells }: CsvRecord, now: Date): string {
  const [, written = ''] = /^Report Date:\s*(\S+)$/.exec(cells[0] ?? '') ?? []
  const day = parseWrittenDay(written.replaceAll('-', ' '))
  if (day === null || day > toIsoDate(now))
    throw new BrokenBody(`the first line is ${quoted(cells[0] ?? '')}, not the day of the report`)
  return day
}

interface ReadRow {
  readonly id: string
  readonly row: Entry
  readonly isPrimary: boolean
  readonly refused: readonly string[]
}

function readRow(
  record: CsvRecord,
  header: CsvHeader<Column>,
  now: Date,
): ReadRow | { readonly reason: string } {
  const wrong = header.explain(record)
  if (wrong !== null) return { reason: wrong }
  const cell = (column: Column) => header.cell(record, column)
  const id = cell('Unique ID')
  if (!/^[A-Z]{2,8}\d{1,6}$/.test(id)) return { reason: `${quoted(id)} is not a Unique ID` }
  const type = cell('Designation Type')
  if (!DESIGNATION_TYPES.has(type)) return { reason: `the Designation Type ${quoted(type)} is not known` }
  const refused: string[] = []
  const listedOn = readDay(cell('Date Designated'))
  if (listedOn === null || listedOn > toIsoDate(now))
    refused.push(
      `${quoted(cell('Date Designated'))} is not a day up to now; the entry is kept without its date`,
    )
  const { leis } = findLeiCodes(record.cells)
  if (leis.length > 0) refused.push(unstoredText(leis, 'a text, which may mean another entity'))
  const programs = distinctTexts([cell('Regime Name')])
  const row: Entry = {
    line: record.line,
    facts: JSON.stringify([type, programs, listedOn]),
    programs,
    listedOn: listedOn !== null && listedOn <= toIsoDate(now) ? listedOn : null,
    name:
      NAME_COLUMNS.map(cell)
        .filter((name) => name !== '')
        .join(' ') || null,
    identifiers: [...readNumbers(cell, refused), ...readRegistrations(cell(REGISTRATIONS), refused)],
  }
  return { id, row, isPrimary: cell('Name type') === 'Primary Name', refused }
}

/** Reads a day such as 31/07/2024. */
function readDay(written: string): IsoDate | null {
  const [, day, month, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(written) ?? []
  return parseIsoDate(`${year}-${month}-${day}`)
}

function readNumbers(cell: (column: Column) => string, refused: string[]): readonly ListIdentifier[] {
  return Object.entries(NUMBER_COLUMNS).flatMap(([column, kind]) => {
    const text = cell(column as keyof typeof NUMBER_COLUMNS) // the columns of the table
    return text === '' ? [] : readNumber({ kind, text, label: column }, refused)
  })
}

/**
 * Reads registration numbers, of which a cell may have several, with labels and countries: `INN: 7707083893; OGRN:
 * 1027700132195` or `123 (Cyprus)`.
 */
function readRegistrations(written: string, refused: string[]): readonly ListIdentifier[] {
  return written
    .split(/[;,|\n]|\s(?=(?:INN|OGRN|KPP|OKPO)\b)/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [, labelled = REGISTRATIONS, rest = part] = /^(\p{L}[\p{L} .]*)[:-](.+)$/su.exec(part) ?? []
      const label = labelled.trim()
      const [number, countryName] = splitNameInBrackets(rest.trim())
      const kind = RUSSIAN[label.toUpperCase()]
      const ofRussia = kind && { kind, countryName: 'RU' }
      return readNumber({ kind: 'registration', text: number, countryName, label, ...ofRussia }, refused)
    })
}

/** A number without a digit is a note, such as `Not known`. */
function readNumber(identifier: WrittenIdentifier, refused: string[]): readonly ListIdentifier[] {
  const { label, text } = identifier
  if (/\d/.test(text)) return readListedIdentifier(identifier, refused)
  refused.push(`the ${label} ${quoted(text)} has no digit`)
  return []
}
