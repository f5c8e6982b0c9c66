import { type Given, parsePastDay } from '../../core/argument-parsers.js'
import { Problems } from '../../core/problems.js'
import { endOfDay, type IsoDate, toIsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import {
  type ComparedIdentifier,
  type IdentifierKind,
  identifierKey,
  parseIdentifier,
} from './identifiers-model.js'
import { knownSubjectsLoader } from './loaders.js'
import { distinctTexts, isScreeningList, SCREENING_LISTS, type ScreeningList } from './model.js'
import { programKey } from './programs-model.js'
import { type KnownSubject, loadFirstLoads } from './screened-store.js'
import { datesOf, isInForce, limitValidityToEnds, programsOf, sanctionsListsOf } from './service.js'

/** Identifiers of one request, of all kinds together. */
export const MAX_IDENTIFIERS = 100

/** A result repeats at most this many characters of an invalid identifier. */
const MAX_SHOWN_IDENTIFIER = 130

export interface RegistrationArgument {
  readonly country: string
  readonly number: string
}

export interface IdentifierArguments {
  readonly leis?: Given<readonly string[]>
  readonly isins?: Given<readonly string[]>
  readonly imos?: Given<readonly string[]>
  readonly wallets?: Given<readonly string[]>
  readonly registrations?: Given<readonly RegistrationArgument[]>
  readonly on?: Given<string>
}

interface RequestedIdentifier {
  readonly kind: IdentifierKind
  readonly text: string
  readonly country: string | null
}

export interface IdentifierQuery {
  readonly identifiers: readonly RequestedIdentifier[]
  /** A past day, whose end is the instant of the result. Null means now. */
  readonly on: IsoDate | null
  /** When each list that covers the day was first loaded. Null means that all loaded lists are compared, as they are now. */
  readonly covering: ReadonlyMap<ScreeningList, Date> | null
}

export type IdentifierStatus = 'listed' | 'formerly_listed' | 'mentioned' | 'not_found' | 'invalid'

/** What one list says about an identifier. */
export interface Designation
  extends Pick<
    KnownSubject,
    'list' | 'subjectId' | 'name' | 'labels' | 'programs' | 'isListed' | 'knownFrom'
  > {
  readonly kind: IdentifierKind
  /** Country of the number in the list. Null if the list names none. */
  readonly country: string | null
  readonly since: IsoDate | null
  readonly until: IsoDate | null
}

export interface CheckedIdentifier {
  readonly kind: IdentifierKind
  /** In the form in which it was compared, or the given text if it is invalid. */
  readonly identifier: string
  readonly country: string | null
  readonly status: IdentifierStatus
  readonly problem: string | null
  readonly lists: readonly string[]
  readonly designations: readonly Designation[]
  readonly since: IsoDate | null
  readonly until: IsoDate | null
}

/**
 * Checks the number of identifiers and the day. The 422 names what is wrong, and from when on days are covered. An invalid
 * identifier is a result, not an error.
 */
export async function parseIdentifierQuery(
  args: IdentifierArguments,
  context: RequestContext,
): Promise<IdentifierQuery> {
  const problems = new Problems()
  const identifiers = listIdentifiers(args)
  if (identifiers.length < 1 || identifiers.length > MAX_IDENTIFIERS)
    problems.add(
      'leis',
      `must have 1 to ${MAX_IDENTIFIERS} identifiers, with those of the other lists; got ${identifiers.length}`,
    )
  for (const [at, { country }] of (args.registrations ?? []).entries())
    if (!/^[A-Za-z]{2}$/.test(country))
      problems.add(`registrations[${at}].country`, 'must be a country code of two letters, such as RU')
  const day = parsePastDay(problems, 'on', args.on, context.now)
  problems.refuse()
  const on = day === toIsoDate(context.now) ? null : day
  const covering = on === null ? null : await findCovering(on, problems, context)
  problems.refuse()
  return { identifiers, on, covering }
}

function listIdentifiers(args: IdentifierArguments): readonly RequestedIdentifier[] {
  const { leis, isins, imos, wallets, registrations } = args
  const ofKind = (kind: IdentifierKind, texts: Given<readonly string[]>) =>
    (texts ?? []).map((text) => ({ kind, text, country: null }))
  return [
    ...ofKind('lei', leis),
    ...ofKind('isin', isins),
    ...ofKind('imo', imos),
    ...ofKind('wallet', wallets),
    ...(registrations ?? []).map(({ country, number }) => ({
      kind: 'registration' as const,
      text: number,
      country: country.toUpperCase(),
    })),
  ]
}

async function findCovering(
  on: IsoDate,
  problems: Problems,
  { database }: RequestContext,
): Promise<ReadonlyMap<ScreeningList, Date>> {
  const lists = Object.keys(SCREENING_LISTS).filter(isScreeningList)
  const loads = [...(await loadFirstLoads(database, lists))]
  const covering = loads.filter(([, first]) => toIsoDate(first) <= on)
  const first = loads.map(([, instant]) => toIsoDate(instant)).sort()[0]
  if (covering.length === 0)
    problems.add(
      'on',
      first === undefined ? 'no list is loaded yet' : `days are covered from ${first} on; got ${on}`,
    )
  return new Map(covering)
}

/** Compares identifiers with the stored lists in one statement. The results are in the order of the query. */
export async function checkIdentifiers(
  { identifiers, on, covering }: IdentifierQuery,
  context: RequestContext,
): Promise<readonly CheckedIdentifier[]> {
  const asOf = on === null ? null : new Date(endOfDay(new Date(on)).getTime() - 1)
  const known = knownSubjectsLoader(context)
  const today = on ?? toIsoDate(context.now)
  return Promise.all(
    identifiers.map(async ({ kind, text, country }) => {
      const given = parseIdentifier(kind, text, country)
      if ('problem' in given) {
        const identifier = text.slice(0, MAX_SHOWN_IDENTIFIER)
        return { ...UNKNOWN, kind, country, identifier, status: 'invalid' as const, problem: given.problem }
      }
      const found = await Promise.all(
        comparedWith(given).map(async (compared) => {
          const subjects = await known.load({ identifier: identifierKey(compared), asOf })
          return (subjects ?? [])
            .filter(({ list }) => covering === null || covering.has(list))
            .map((subject) => ({ subject, compared }))
        }),
      )
      const matches = found.flat()
      if (asOf === null) {
        const subjects = matches.map(({ subject }) => subject)
        limitValidityToEnds(subjects, today, context)
      }
      return toChecked(given, matches, today)
    }),
  )
}

const UNKNOWN = { problem: null, lists: [], designations: [], since: null, until: null } as const

/**
 * The keys of an identifier. Some lists give a number in a register as a tax number, or without its country, so a
 * registration number is compared with those too.
 */
function comparedWith(given: ComparedIdentifier): readonly ComparedIdentifier[] {
  if (given.kind !== 'registration') return [given]
  return (['registration', 'tax_id'] as const).flatMap((kind) => [
    { ...given, kind },
    { ...given, kind, country: null },
  ])
}

interface Match {
  readonly subject: KnownSubject
  readonly compared: ComparedIdentifier
}

function toChecked(
  { kind, country, value: identifier }: ComparedIdentifier,
  matches: readonly Match[],
  today: IsoDate,
): CheckedIdentifier {
  const designations = matches.map((match) => toDesignation(match, today))
  const listed = matches.filter(({ subject }) => subject.isListed && subject.leftAt === null)
  const inForce = designations.filter(({ isListed }) => isListed)
  const ended = designations.filter(({ until }) => until !== null)
  return {
    kind,
    identifier,
    country,
    status: statusOf(designations),
    problem: null,
    lists: distinctTexts(listed.flatMap(({ subject }) => sanctionsListsOf(subject, today))),
    designations,
    since: daysOf(inForce.length > 0 ? inForce : designations, 'since').at(0) ?? null,
    until: inForce.length > 0 ? null : (daysOf(ended, 'until').at(-1) ?? null),
  }
}

function daysOf(designations: readonly Designation[], member: 'since' | 'until'): readonly IsoDate[] {
  return designations.flatMap((designation) => designation[member] ?? []).sort()
}

function statusOf(designations: readonly Designation[]): IdentifierStatus {
  if (designations.length === 0) return 'not_found'
  if (designations.some(({ isListed }) => isListed)) return 'listed'
  return designations.some(({ until }) => until !== null) ? 'formerly_listed' : 'mentioned'
}

function toDesignation({ subject, compared }: Match, today: IsoDate): Designation {
  const { list, subjectId, name, labels, knownFrom, leftAt, listings } = subject
  const isListed = subject.isListed && leftAt === null
  const ever = [...subject.programs, ...listings.flatMap((listing) => listing.programs)]
  const programs = isListed ? programsOf(subject, today) : ever.map(programKey)
  const ends = listings
    .filter((listing) => !isInForce(listing, today))
    .flatMap(({ endedOn }) => endedOn ?? [])
  const left = leftAt === null ? null : toIsoDate(leftAt)
  return {
    list,
    subjectId,
    name,
    kind: compared.kind,
    country: compared.country,
    labels,
    programs: distinctTexts(programs),
    isListed,
    since: [...datesOf(subject)].sort().at(0) ?? null,
    until: isListed ? null : (ends.sort().at(-1) ?? left),
    knownFrom,
  }
}
