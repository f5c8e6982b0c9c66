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
import { type OpenTag, type ReadEntry, readWholeList } from '../../bodies/screening/whole-list.js'
import { quoted, type StreamFeed } from '../../feed.js'

const LIST = 'eu_fsf'

/** The consolidated list of persons and entities under financial sanctions of the European Union, downloaded with a token of one's own. */
export const euFinancial: StreamFeed<ScreeningRow> = {
  id: 'eu-financial-sanctions',
  provider: PROVIDERS.euSanctions,
  dataset: 'screening',
  part: LIST,
  description: 'Consolidated list of financial sanctions of the European Union as XML (FSF, version 1.1)',
  cadence: 'by file only',
  fileNames: ['xmlFullSanctionsList_1_1.xml'],
  parseStream: (chunks, context) =>
    readWholeList(
      chunks,
      {
        list: LIST,
        root: 'export',
        entries: ['sanctionEntity'],
        begin: newEntry,
        open: noteTag,
        close: ({ all }, text) => void all.push(text),
        read: toRead,
      },
      context,
    ),
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
  readonly id: string
  readonly designatedOn: string
  /** The first name: the list has no primary one. */
  name: string | null
  readonly programs: string[]
  readonly identifications: WrittenIdentifier[]
  /** Values and texts of all elements. */
  readonly all: string[]
}

function newEntry(tag: OpenTag): Entry {
  return {
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
  const { id, designatedOn, name, identifications, all } = entry
  const refused: string[] = []
  const identifiers = identifications.flatMap((written) => readListedIdentifier(written, refused))
  const { leis } = findLeiCodes(all)
  if (leis.length > 0) refused.push(unstoredText(leis, 'a text, which may mean another entity'))
  const listedOn = designatedOn === '' ? null : parseIsoDate(designatedOn.slice(0, 10))
  if (designatedOn !== '' && listedOn === null)
    refused.push(`${quoted(designatedOn)} is not a day; the entry is kept without its date`)
  const programs = distinctTexts(entry.programs)
  return {
    id,
    refused,
    content: JSON.stringify(entry),
    problem: /^EU\.\d{1,6}\.\d{1,3}$/.test(id) ? null : `${quoted(id)} is not an euReferenceNumber`,
    row: toListedSubject(body, { subjectId: id, identifiers, name, programs, listedOn }),
  }
}
