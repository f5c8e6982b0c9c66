import { type Registered, registerDatasets } from '../../core/datasets.js'
import { explainLei, type Lei, parseLei } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'
import type { ListIdentifier } from './identifiers-model.js'

const DATASETS = registerDatasets({ screening: 'screening' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** The sources that identifiers are screened against, each a part of the dataset. */
export const SCREENING_LISTS = {
  us_ofac_sdn: 'OFAC Specially Designated Nationals',
  us_ofac_cons: 'OFAC lists beside the Specially Designated Nationals',
  un_sc_sanctions: 'United Nations Security Council Consolidated List',
  gb_fcdo_sanctions: 'UK Sanctions List',
  eu_fsf: 'EU consolidated list of financial sanctions',
  eu_journal_sanctions: 'EU restrictive measures in the Official Journal',
  opensanctions: 'OpenSanctions entities',
  opensanctions_securities: 'OpenSanctions issuers of securities',
} as const

export type ScreeningList = keyof typeof SCREENING_LISTS

export function isScreeningList(part: string): part is ScreeningList {
  return Object.hasOwn(SCREENING_LISTS, part)
}

/** The part of the dataset with legal names. It is not a sanctions list, so a name alone does not count as screened. */
export const NAMES_PART = 'gleif'

/** Maximum of list entries per identifier. More are a mistake of a list. The bound is per identifier, so others lose no entries. */
export const MAX_SUBJECTS = 50

/** The facts that all rows of one body share. */
export interface ListBody {
  readonly list: ScreeningList
  /** True if the body holds whole sections of the list. An entry that it does not name has then left the list. */
  readonly isWhole: boolean
  /** Set at the end if every row could be read. Only then are entries withdrawn that the body does not name. */
  isComplete: boolean
  /** Set at the end if marks in the body prove that nothing is missing. */
  isProven?: boolean
}

/** Entries that a list no longer names, but that are kept because the body may be incomplete. */
export interface KeptEntries {
  readonly count: number
  readonly reason: string
}

interface ListRow {
  readonly body: ListBody
  /** When the list stated this. Null means when it was read. */
  readonly observedAt: Date | null
}

/** A legal entity, person, ship or other subject in a list. */
export interface SubjectRow extends ListRow {
  readonly kind: 'subject'
  /** Part of the list that a body holds as a whole. Empty if the list has no parts. */
  readonly section: string
  readonly subjectId: string
  /** Sorted, each once. */
  readonly identifiers: readonly ListIdentifier[]
  readonly name: string | null
  /** False for a subject that the list names without sanctioning it. */
  readonly isListed: boolean
  /** Sanctions lists that name the subject. */
  readonly lists: readonly string[]
  /** Codes of programmes. */
  readonly programs: readonly string[]
  readonly listedOn: IsoDate | null
  /** Former ids, of entities that were merged into this one. */
  readonly referents: readonly string[]
}

/** One designation of a subject. */
export interface ListingRow extends ListRow {
  readonly kind: 'listing'
  readonly listingId: string
  readonly subjectId: string
  readonly programs: readonly string[]
  readonly lists: readonly string[]
  readonly listedOn: IsoDate | null
  readonly endedOn: IsoDate | null
}

/** A subject or designation that the list states as removed. */
export interface GoneRow extends ListRow {
  readonly kind: 'gone'
  readonly id: string
}

export type ScreeningRow = SubjectRow | ListingRow | GoneRow

/** The legal name behind an LEI. */
export interface LegalNameRow {
  readonly lei: Lei
  readonly legalName: string
  /** When the register stated this. Null means when it was read. */
  readonly observedAt: Date | null
}

/** Distinct texts, sorted because lists give the same texts in varying order. */
export function distinctTexts(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '').sort()
}

/** The valid LEIs among the LEI codes of a list. */
export interface LeiCodes {
  /** Sorted, each once. */
  readonly leis: readonly Lei[]
  /** For each invalid code, the reason in words for an operator. */
  readonly refused: readonly string[]
}

/** The form of an LEI in a text. Other registers have numbers of 20 digits, so it has a letter. */
const LEI_IN_TEXT = /(?<![A-Z0-9])(?=[0-9]{0,17}[A-Z])[A-Z0-9]{18}[0-9]{2}(?![A-Z0-9])/g

/** The words before a code that is said to be an LEI. */
const LEI_LABEL = /\b(?:LEI|Legal\s*Entity\s*Identifier)\W{0,3}$/i

/** Characters before a code in which its label is searched. */
const LABEL_CHARACTERS = 40

/** Finds the LEIs in texts of any kind, by their form and check digits. A labelled code with wrong check digits is refused. */
export function findLeiCodes(texts: readonly string[]): LeiCodes {
  const codes = texts.flatMap((text) =>
    [...text.matchAll(LEI_IN_TEXT)].flatMap(({ 0: code, index }) => {
      const before = text.slice(Math.max(0, index - LABEL_CHARACTERS), index)
      return explainLei(code) === null || LEI_LABEL.test(before) ? [code] : []
    }),
  )
  return parseLeiCodes(codes)
}

/** Why an LEI that a list states is not stored. */
export function unstoredText(leis: readonly Lei[], where: string): string {
  return `the LEI ${leis.join(', ')} is not stored, because it stands in ${where}`
}

/** Joins findings of several texts of one entry. */
export function joinLeiCodes(...found: readonly LeiCodes[]): LeiCodes {
  return {
    leis: distinctLeis(found.flatMap(({ leis }) => leis)),
    refused: found.flatMap(({ refused }) => refused),
  }
}

function distinctLeis(leis: readonly Lei[]): readonly Lei[] {
  return [...new Set(leis)].sort()
}

/** Separates valid LEIs from invalid codes by their check digits. */
export function parseLeiCodes(codes: readonly string[]): LeiCodes {
  const refused = codes.flatMap((code) => {
    const problem = explainLei(code)
    return problem === null ? [] : [`the LEI ${JSON.stringify(code.slice(0, 40))} ${problem}`]
  })
  return { leis: distinctLeis(codes.flatMap((code) => parseLei(code) ?? [])), refused }
}
