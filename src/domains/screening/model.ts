import { type Registered, registerDatasets } from '../../core/datasets.js'
import { explainLei, type Lei, parseLei } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ screening: 'screening' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** The sources that an LEI is screened against, each a part of the dataset. */
export const SCREENING_LISTS = {
  us_ofac_sdn: 'OFAC Specially Designated Nationals',
  eu_journal_sanctions: 'EU restrictive measures in the Official Journal',
  opensanctions: 'OpenSanctions entities',
  opensanctions_securities: 'OpenSanctions issuers of securities',
} as const

export type ScreeningList = keyof typeof SCREENING_LISTS

export function isScreeningList(part: string): part is ScreeningList {
  return Object.hasOwn(SCREENING_LISTS, part)
}

/** The part of the dataset that gives legal names. It lists nobody, so it never makes an entity screened. */
export const NAMES_PART = 'gleif'

/** Of each LEI: it has at most this many entities in the lists; more are a mistake of a list, which displaces no others. */
export const MAX_SUBJECTS = 50

/** What the rows of one body share. */
export interface ListBody {
  readonly list: ScreeningList
  /** It holds whole sections of the list: what it does not name has left them. */
  readonly isWhole: boolean
  /** Set at the end, if no row was lost on the way: only then is what it does not name withdrawn. */
  isComplete: boolean
  /** Set at the end, if the body has marks that prove that nothing is missing. */
  isProven?: boolean
}

/** Entries that a list no longer names, and that stay since the list may lack a part. */
export interface KeptEntries {
  readonly count: number
  readonly reason: string
}

interface ListRow {
  readonly body: ListBody
  /** When the list said so; null: when it was read. */
  readonly observedAt: Date | null
}

/** A legal entity as a list knows it. */
export interface SubjectRow extends ListRow {
  readonly kind: 'subject'
  /** Part of the list that bodies hold whole; empty where the list is one piece. */
  readonly section: string
  readonly subjectId: string
  readonly leis: readonly Lei[]
  readonly name: string | null
  /** False for an entity that the list only knows. */
  readonly isListed: boolean
  /** Sanctions lists that name it. */
  readonly lists: readonly string[]
  /** Codes of programmes. */
  readonly programs: readonly string[]
  readonly listedOn: IsoDate | null
  /** Ids that it had before entities were merged. */
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

/** A subject or designation that the list names as gone. */
export interface GoneRow extends ListRow {
  readonly kind: 'gone'
  readonly id: string
}

export type ScreeningRow = SubjectRow | ListingRow | GoneRow

/** The legal name behind an LEI. */
export interface LegalNameRow {
  readonly lei: Lei
  readonly legalName: string
  /** When the register said so; null: when it was read. */
  readonly observedAt: Date | null
}

/** Each text once, in order: lists give the same ones in any order. */
export function distinctTexts(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '').sort()
}

/** LEIs among codes that a list gives as such. */
export interface LeiCodes {
  /** Sorted, each once. */
  readonly leis: readonly Lei[]
  /** Why a code is none, in words for an operator. */
  readonly refused: readonly string[]
}

/** Tells LEIs by their check digits. */
export function parseLeiCodes(codes: readonly string[]): LeiCodes {
  const refused = codes.flatMap((code) => {
    const problem = explainLei(code)
    return problem === null ? [] : [`the LEI ${JSON.stringify(code.slice(0, 40))} ${problem}`]
  })
  return { leis: [...new Set(codes.flatMap((code) => parseLei(code) ?? []))].sort(), refused }
}
