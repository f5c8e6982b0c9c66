import { type AsOfArguments, parseAsOfArgument } from '../../core/argument-parsers.js'
import { observedInstant } from '../../core/as-of.js'
import { type Lei, parseLei } from '../../core/identifiers.js'
import { Problems } from '../../core/problems.js'
import { endOfDay, type IsoDate, toIsoDate } from '../../core/time.js'
import type { DatasetState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { identifierKey } from './identifiers-model.js'
import { knownSubjectsLoader, legalNameLoader } from './loaders.js'
import { distinctTexts, isScreeningList } from './model.js'
import { programKey } from './programs-model.js'
import type { KnownListing, KnownSubject } from './screened-store.js'

/** LEIs of one request. */
export const MAX_LEIS = 50

/** A result repeats at most this many characters of an invalid LEI. */
const MAX_ECHO = 64

export interface ScreenQuery {
  readonly leis: readonly string[]
  readonly asOf: Date | null
}

export type ScreenedStatus = 'screened' | 'not_screened' | 'invalid_lei'

export interface ScreenResult {
  /** The LEI in upper case, or the given text if it is not an LEI. */
  readonly lei: string
  readonly status: ScreenedStatus
  readonly isSanctioned: boolean | null
  readonly checkedAt: Date | null
  readonly lastListedDate: IsoDate | null
  readonly legalName: string | null
  readonly opensanctionsId: string | null
  readonly programs: readonly string[]
  readonly lists: readonly string[]
  /** The entry in each list, also in those that the entity has left. */
  readonly entries: readonly ListEntry[]
}

/** The entry of an entity in one list: the row of its subject, with the programmes of all its designations. */
export interface ListEntry
  extends Pick<
    KnownSubject,
    'list' | 'subjectId' | 'name' | 'isListed' | 'programs' | 'listedOn' | 'knownFrom'
  > {
  /** When the list no longer named the entity. Null while it does. */
  readonly knownTo: Date | null
}

/** Checks the number of LEIs and the instant. The 422 names what is wrong. An invalid LEI is a result, not an error. */
export function checkScreenQuery(
  { leis, ...args }: { readonly leis: readonly string[] } & AsOfArguments,
  { now }: RequestContext,
): ScreenQuery {
  const problems = new Problems()
  if (leis.length < 1 || leis.length > MAX_LEIS)
    problems.add('leis', `must have 1 to ${MAX_LEIS} LEIs; got ${leis.length}`)
  const asOf = observedInstant(parseAsOfArgument(problems, args, now))
  problems.refuse()
  return { leis, asOf }
}

/** Screens LEIs against the stored lists in two statements. The results are in the order of the LEIs. */
export async function screen(
  { leis, asOf }: ScreenQuery,
  state: DatasetState,
  context: RequestContext,
): Promise<readonly ScreenResult[]> {
  const checkedAt = asOf ?? oldestOfLists(state)
  const subjectsOf = knownSubjectsLoader(context)
  const names = legalNameLoader(context)
  return Promise.all(
    leis.map(async (text) => {
      const lei = parseLei(text)
      if (lei === null) return { ...NOTHING, lei: text.slice(0, MAX_ECHO), status: 'invalid_lei' as const }
      const identifier = identifierKey({ kind: 'lei', country: null, value: lei })
      const [subjects, legalName] = await Promise.all([
        subjectsOf.load({ identifier, asOf }),
        names.load({ identifier: lei, asOf }),
      ])
      const entity = { subjects: subjects ?? [], legalName }
      return checkedAt === null ? toNotScreened(lei, entity) : toResult(lei, entity, checkedAt, asOf, context)
    }),
  )
}

/** When the least recently read list was read. Null if no list is loaded. */
export function oldestOfLists({ parts }: DatasetState): Date | null {
  const instants = parts.filter(({ part }) => isScreeningList(part)).map(({ observedAt }) => observedAt)
  return instants.length === 0 ? null : new Date(Math.min(...instants.map((instant) => instant.getTime())))
}

interface KnownEntity {
  readonly subjects: readonly KnownSubject[]
  /** Legal name in the LEI register, or null. */
  readonly legalName: string | null
}

const NOTHING = {
  isSanctioned: null,
  checkedAt: null,
  lastListedDate: null,
  legalName: null,
  opensanctionsId: null,
  programs: [],
  lists: [],
  entries: [],
} as const

function toNotScreened(lei: Lei, { legalName }: KnownEntity): ScreenResult {
  return { ...NOTHING, lei, status: 'not_screened', legalName }
}

/**
 * The status is screened if a loaded list names or named the entity by its LEI. An entry in the LEI register is not enough:
 * the official lists name most of their entities without an LEI.
 */
function toResult(
  lei: Lei,
  entity: KnownEntity,
  checkedAt: Date,
  asOf: Date | null,
  context: RequestContext,
): ScreenResult {
  const { subjects, legalName } = entity
  if (subjects.length === 0) return toNotScreened(lei, entity)
  const today = toIsoDate(asOf ?? context.now)
  if (asOf === null) limitValidityToEnds(subjects, today, context)
  const listed = subjects.filter(({ isListed, leftAt }) => isListed && leftAt === null)
  const programs = listed.flatMap((subject) => programsOf(subject, today))
  const dates = subjects.flatMap(datesOf).sort()
  return {
    lei,
    status: 'screened',
    isSanctioned: listed.length > 0,
    checkedAt,
    lastListedDate: dates.at(-1) ?? null,
    legalName: legalName ?? nameOf(subjects),
    opensanctionsId: opensanctionsIdOf(subjects),
    programs: distinctTexts(programs),
    lists: distinctTexts(listed.flatMap((subject) => sanctionsListsOf(subject, today))),
    entries: subjects.map(toEntry),
  }
}

/** If a designation has an end date, the answer is valid only until the end of the day. */
export function limitValidityToEnds(
  subjects: readonly KnownSubject[],
  today: IsoDate,
  { now, validity }: RequestContext,
): void {
  const isEnding = subjects.some(({ listings }) =>
    listings.some(({ endedOn }) => endedOn !== null && endedOn >= today),
  )
  if (isEnding) validity?.endsBy(endOfDay(now))
}

/** Whether the list has a designation that has not ended by that day. */
export function isInForce({ endedOn, isGone }: KnownListing, today: IsoDate): boolean {
  return !isGone && (endedOn === null || endedOn > today)
}

/** The programmes of a subject in force on a day. */
export function programsOf({ programs, listings }: KnownSubject, today: IsoDate): readonly string[] {
  const designated = listings.filter((listing) => isInForce(listing, today))
  return [...programs, ...designated.flatMap((listing) => listing.programs)].map(programKey)
}

/** The lists of the designations in force. If none names a list, those of the entity. */
export function sanctionsListsOf({ lists, listings }: KnownSubject, today: IsoDate): readonly string[] {
  const designated = listings
    .filter((listing) => isInForce(listing, today))
    .flatMap((listing) => listing.lists)
  return designated.length > 0 ? designated : lists
}

/** The days of listing that a list states for a subject. */
export function datesOf({ listedOn, listings }: KnownSubject): readonly IsoDate[] {
  return [listedOn, ...listings.map((listing) => listing.listedOn)].filter((date) => date !== null)
}

function toEntry(subject: KnownSubject): ListEntry {
  const { list, subjectId, name, isListed, knownFrom, leftAt } = subject
  const ever = [subject.programs, ...subject.listings.map((listing) => listing.programs)]
  const programs = distinctTexts(ever.flat().map(programKey))
  const listedOn = [...datesOf(subject)].sort().at(-1) ?? null
  return {
    list,
    subjectId,
    name,
    isListed: isListed && leftAt === null,
    programs,
    listedOn,
    knownFrom,
    knownTo: leftAt,
  }
}

/** Sorts current subjects before former ones. */
function sortCurrentFirst(subjects: readonly KnownSubject[]): readonly KnownSubject[] {
  return subjects.toSorted((a, b) => Number(a.leftAt !== null) - Number(b.leftAt !== null))
}

function nameOf(subjects: readonly KnownSubject[]): string | null {
  return sortCurrentFirst(subjects).find(({ name }) => name !== null)?.name ?? null
}

/** If entities were merged, the id of the one they were merged into. */
function opensanctionsIdOf(subjects: readonly KnownSubject[]): string | null {
  const own = sortCurrentFirst(subjects).filter(({ list }) => list.startsWith('opensanctions'))
  const merged = new Set(own.flatMap(({ referents }) => referents))
  return (own.find(({ subjectId }) => !merged.has(subjectId)) ?? own[0])?.subjectId ?? null
}
