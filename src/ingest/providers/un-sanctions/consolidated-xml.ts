import { PROVIDERS } from '../../../core/providers.js'
import { parseIsoDate } from '../../../core/time.js'
import type { IdentifierKind, ListIdentifier } from '../../../domains/screening/identifiers-model.js'
import {
  findLeiCodes,
  type ListBody,
  type ScreeningRow,
  unstoredText,
} from '../../../domains/screening/model.js'
import { readListedIdentifier, toListedSubject } from '../../bodies/screening/listed-subject.js'
import { type ReadEntry, readWholeList } from '../../bodies/screening/whole-list.js'
import { quoted, type StreamFeed } from '../../feed.js'
import { byCron } from '../../schedule.js'

const LIST = 'un_sc_sanctions'

/** The consolidated list of the Security Council. */
export const unConsolidated: StreamFeed<ScreeningRow> = {
  id: 'un-sanctions',
  provider: PROVIDERS.unSanctions,
  dataset: 'screening',
  description: 'Consolidated list of the Security Council: persons and entities with their documents',
  part: LIST,
  cadence: 'daily',
  schedule: byCron('30 5 * * *', 600_000),
  fileNames: ['consolidated.xml'],
  request: () => ({
    url: 'https://scsanctions.un.org/resources/xml/en/consolidated.xml',
    headers: { accept: 'application/xml' },
  }),
  parseStream: (chunks, context) =>
    readWholeList<Entry>(
      chunks,
      {
        list: LIST,
        root: 'CONSOLIDATED_LIST',
        entries: ENTRIES,
        begin: () => ({ texts: new Map(), documents: [], all: [] }),
        open: ({ documents }, { name }) => {
          if (DOCUMENTS.has(name)) documents.push(new Map())
        },
        close: noteText,
        read: toRead,
      },
      context,
    ),
}

const ENTRIES = ['INDIVIDUAL', 'ENTITY']
const DOCUMENTS = new Set(['INDIVIDUAL_DOCUMENT', 'ENTITY_DOCUMENT'])
const NAMES = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'] as const

/** The list writes the type of a document in English, French and Spanish. The first pattern that fits counts. */
const DOCUMENT_KINDS: readonly (readonly [RegExp, IdentifierKind])[] = [
  [/passport|passeport|pasaporte|travel/i, 'passport'],
  [/tax/i, 'tax_id'],
  [/registration|registro/i, 'registration'],
  [/identi|national|card|c[eé]dula/i, 'national_id'],
]

interface Entry {
  readonly texts: Map<string, string>
  readonly documents: Map<string, string>[]
  /** Texts of all elements. */
  readonly all: string[]
}

function noteText({ texts, documents, all }: Entry, text: string, name: string, parent: string): void {
  all.push(text)
  if (ENTRIES.includes(parent)) texts.set(name, text)
  else if (DOCUMENTS.has(parent)) documents.at(-1)?.set(name, text)
}

function toRead({ texts, documents, all }: Entry, body: ListBody): ReadEntry {
  const id = texts.get('REFERENCE_NUMBER') ?? ''
  const refused: string[] = []
  const identifiers = documents.flatMap((document) => readDocument(document, refused))
  const { leis } = findLeiCodes(all)
  if (leis.length > 0) refused.push(unstoredText(leis, 'a text, which may mean another entity'))
  const written = texts.get('LISTED_ON') ?? ''
  const listedOn = parseIsoDate(written.slice(0, 10))
  if (listedOn === null) refused.push(`${quoted(written)} is not a day; the entry is kept without its date`)
  const name = NAMES.flatMap((column) => texts.get(column) ?? []).join(' ') || null
  const programs = (texts.get('UN_LIST_TYPE')?.split(',') ?? []).map((program) => program.trim()).sort()
  return {
    ...{ id, refused, content: JSON.stringify([...texts, all]) },
    problem: /^[A-Z]{2}[ie]\.\d{3,5}$/.test(id) ? null : `${quoted(id)} is not a REFERENCE_NUMBER`,
    row: toListedSubject(body, { subjectId: id, identifiers, name, programs, listedOn }),
  }
}

function readDocument(document: ReadonlyMap<string, string>, refused: string[]): readonly ListIdentifier[] {
  const type = document.get('TYPE_OF_DOCUMENT') ?? ''
  const label = document.get('TYPE_OF_DOCUMENT2') ?? type
  // A number may begin with words, such as "Libyan Passport No. 96/184442".
  const number = (document.get('NUMBER') ?? '').replace(/^[\p{L}\s]+\bNo\b\.?:?\s*/u, '')
  if (number === '') {
    if (type !== '') refused.push(`the document ${quoted(label)} has no number`)
    return []
  }
  const kind = kindOf(label) ?? kindOf(type) ?? 'other'
  const countryName = document.get('ISSUING_COUNTRY') ?? document.get('COUNTRY_OF_ISSUE') ?? null
  const name = `document ${quoted(label)}`
  return readListedIdentifier({ kind, text: number, label: label || 'Document', name, countryName }, refused)
}

function kindOf(type: string): IdentifierKind | undefined {
  return DOCUMENT_KINDS.find(([pattern]) => pattern.test(type))?.[1]
}
