import { PROVIDERS } from '../../../core/providers.js'
import { parseIsoDate } from '../../../core/time.js'
import type { IdentifierKind } from '../../../domains/screening/identifiers-model.js'
import {
  distinctTexts,
  findLeiCodes,
  type ListBody,
  type ScreeningRow,
  unstoredText,
} from '../../../domains/screening/model.js'
import {
  readListedIdentifier,
  toListedSubject,
  type WrittenIdentifier,
} from '../../bodies/screening/listed-subject.js'
import { CUT, type ReadEntry, readWholeList } from '../../bodies/screening/whole-list.js'
import { type XmlTag, xmlTags } from '../../bodies/xml-tags.js'
import { BrokenBody, type ParseContext, type Parsed, quoted, type StreamFeed } from '../../feed.js'

const LIST = 'eu_fsf'
const ROOT = 'export'
const ENTRY = 'sanctionEntity'

/** The consolidated list of persons and entities under financial sanctions of the European Union, downloaded with a token of one's own. */
export const euFinancial: StreamFeed<ScreeningRow> = {
  id: 'eu-financial-sanctions',
  provider: PROVIDERS.euSanctions,
  dataset: 'screening',
  part: LIST,
  description: 'Consolidated list of financial sanctions of the European Union as XML (FSF, version 1.1)',
  cadence: 'by file only',
  fileNames: ['xmlFullSanctionsList_1_1.xml'],
  parseStream: parseFinancialList,
}

/** Codes of the types of an identification. What is not here is kept as another number, with its name in the list. */
const KINDS: Readonly<Record<string, IdentifierKind>> = {
  passport: 'passport',
  travel: 'passport',
  trvdoc: 'passport',
  id: 'national_id',
  ssn: 'national_id',
  regnumber: 'registration',
  fiscalcode: 'tax_id',
  taxid: 'tax_id',
  imo: 'imo',
  swiftbic: 'bic',
}

/** The code for a country that is not known. */
const NO_COUNTRY = '00'

interface Entry {
  readonly number: number
  readonly id: string
  readonly designatedOn: string
  /** The first name: the list has no primary one. */
  name: string | null
  readonly programs: string[]
  readonly identifications: WrittenIdentifier[]
  /** Values and texts of all elements. */
  readonly all: string[]
}

async function* parseFinancialList(
  chunks: AsyncIterable<Uint8Array>,
  { onAbsent }: ParseContext,
): AsyncGenerator<Parsed<ScreeningRow>> {
  const body: ListBody = { list: LIST, isWhole: true, isComplete: false }
  yield* readWholeList(readEntries(chunks, onAbsent), body, (entry) => toRead(entry, body), onAbsent)
}

async function* readEntries(
  chunks: AsyncIterable<Uint8Array>,
  onAbsent: () => void,
): AsyncGenerator<Entry | typeof CUT> {
  let depth = 0
  let number = 0
  let entry: Entry | null = null
  for await (const tag of xmlTags(chunks)) {
    if (tag.kind === 'cut') {
      yield CUT
      return
    }
    if (tag.kind === 'close') {
      depth -= 1
      if (entry !== null && tag.text.trim() !== '') entry.all.push(tag.text)
      if (entry === null || tag.name !== ENTRY) continue
      yield entry
      entry = null
      continue
    }
    if (depth === 0 && tag.name !== ROOT)
      throw new BrokenBody(`the root element is ${quoted(tag.name)}, not ${ROOT}`)
    depth += 1
    if (tag.name === ENTRY) entry = newEntry(++number, tag)
    else if (entry !== null) noteTag(entry, tag, onAbsent)
  }
}

type OpenTag = Extract<XmlTag, { readonly kind: 'open' }>

function newEntry(number: number, tag: OpenTag): Entry {
  return {
    number,
    id: tag.attribute('euReferenceNumber') ?? '',
    designatedOn: tag.attribute('designationDate') ?? '',
    name: null,
    programs: [],
    identifications: [],
    all: [],
  }
}

function noteTag(entry: Entry, tag: OpenTag, onAbsent: () => void): void {
  const value = (name: string) => tag.attribute(name)?.trim() ?? ''
  if (tag.name === 'regulation') entry.programs.push(value('programme'))
  if (tag.name === 'nameAlias') {
    entry.name ??= value('wholeName') || null
    entry.all.push(value('wholeName'))
  }
  if (tag.name !== 'identification') return
  entry.all.push(value('number'))
  // The list says of some numbers that they are not those of the subject.
  if (value('knownFalse') === 'true') {
    onAbsent()
    return
  }
  const code = value('identificationTypeCode')
  const country = value('countryIso2Code')
  const label = value('identificationTypeDescription') || code || 'Identification'
  entry.identifications.push({
    kind: KINDS[code] ?? 'other',
    text: value('number') || value('latinNumber'),
    label,
    name: `identification ${quoted(label)}`,
    countryName: country === '' || country === NO_COUNTRY ? null : country,
  })
}

function toRead(entry: Entry, body: ListBody): ReadEntry {
  const { number, id, designatedOn, name, identifications, all } = entry
  const refused: string[] = []
  const identifiers = identifications.flatMap((written) => readListedIdentifier(written, refused))
  const { leis } = findLeiCodes(all)
  if (leis.length > 0) refused.push(unstoredText(leis, 'a text, which may mean another entity'))
  const listedOn = designatedOn === '' ? null : parseIsoDate(designatedOn.slice(0, 10))
  if (designatedOn !== '' && listedOn === null)
    refused.push(`${quoted(designatedOn)} is not a day; the entry is kept without its date`)
  const programs = distinctTexts(entry.programs)
  return {
    number,
    id,
    refused,
    content: JSON.stringify({ ...entry, number: 0 }),
    problem: /^EU\.\d{1,6}\.\d{1,3}$/.test(id) ? null : `${quoted(id)} is not an euReferenceNumber`,
    row: toListedSubject(body, { subjectId: id, identifiers, name, programs, listedOn }),
  }
}
