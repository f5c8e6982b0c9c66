import type { GraphQLField } from 'graphql'
import type { DatasetName } from '../core/datasets.js'
import { ApiError, invalid, notFound } from '../core/errors.js'
import { memoizeByObject } from '../core/memoize-by-object.js'
import { MINUTE_MS } from '../core/time.js'
import { PUBLISHED_RULES } from '../platform/bi-temporal/published-rules.js'
import { type FoundRelease, releaseInstantsPort } from '../platform/request/release-instants.js'
import type { RequestClock, RequestContext } from '../platform/request/request-context.js'
import type { EndpointSpec } from './endpoint.js'
import type { PlannedPlace } from './operation-plan.js'

/** An operation names few releases: one for each dataset that it reads. */
const MAX_RELEASES = 10

export const RELEASE_EXAMPLE = 'forex/20261120T120000.000Z-0123456789ab'

/** No dataset has a longer name. */
export const MAX_RELEASE_LENGTH = 80

const REFERENCE = /^([a-z][a-z0-9_]{0,39})\/(\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{12})$/

type Arguments = Readonly<Record<string, unknown>>

type Check<Args, Input> = (args: Args, context: RequestContext) => Input

/** The releases of a request, by reference, or why one cannot be read. */
const releasesOf = memoizeByObject((_context: RequestContext) => new Map<string, FoundRelease | ApiError>())

/** Reads the releases that the arguments of an operation name, so that the checks of its fields find them. */
export async function loadReleases(references: Iterable<string>, context: RequestContext): Promise<void> {
  const known = releasesOf(context)
  const missing = [...new Set(references)].filter((reference) => !known.has(reference))
  await Promise.all(
    missing.map(async (reference, index) => {
      const isTooMany = known.size + index >= MAX_RELEASES
      known.set(reference, isTooMany ? tooMany() : await loadRelease(reference, context))
    }),
  )
}

function tooMany(): ApiError {
  return invalid({
    field: 'release',
    message: `an operation can name at most ${MAX_RELEASES} releases; send several operations`,
  })
}

async function loadRelease(
  reference: string,
  { ports, clock }: RequestContext,
): Promise<FoundRelease | ApiError> {
  const [, dataset, releaseId] = REFERENCE.exec(reference) ?? []
  if (dataset === undefined || releaseId === undefined) return malformedReference(reference)
  try {
    const found = await ports.get(releaseInstantsPort).find(dataset, releaseId, clock?.at)
    return found ?? unknownRelease(dataset, releaseId)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

function malformedReference(reference: string): ApiError {
  const given = JSON.stringify(reference.slice(0, MAX_RELEASE_LENGTH))
  return invalid({
    field: 'release',
    message: `must be a dataset and the id of its release, e.g. ${RELEASE_EXAMPLE}; got ${given}`,
  })
}

function unknownRelease(dataset: string, releaseId: string): ApiError {
  return notFound(
    (name) =>
      `No release ${dataset}/${releaseId}. Use ${name('releases', { dataset })} to list the releases.`,
  )
}

export interface PinOptions {
  /** The argument with the instant of knowledge, which a release replaces. */
  readonly instant: 'as_of' | 'known_at'
  /** The datasets of the field; null if they are not declared. */
  readonly reads: readonly DatasetName[] | null
}

/** How a field is pinned whose datasets may depend on its arguments. */
interface PinInputOptions<Input> extends PinOptions {
  /** The datasets that an answer to these arguments is read from. */
  readonly readsOf: (input: Input) => readonly DatasetName[] | null
}

/**
 * Adds the arguments `release` and `basis` to a check. For a release it gets the `known_at` as the instant: 422 for a release
 * together with an instant or `published` and for one of a dataset that the field does not read, 404 for an unknown one.
 * `loadReleases` comes before. For `published` without an instant it gets the present one: 422 for a field without a rule.
 */
export function withRelease<Args, Input>(check: Check<Args, Input>, options: PinOptions): Check<Args, Input> {
  return (args, context) => {
    const reference = releaseOf(args as Arguments)
    if (isPublishedQuestion(args as Arguments)) {
      assertPublishable(reference, options)
      return check(withInstant(args as Arguments, options, context) as Args, context)
    }
    if (reference === null) return check(args, context)
    const { release: _release, ...others } = args as Arguments
    const knownAt = instantOf(reference, others, options, context)
    // The same arguments as those of a request for that instant.
    return check({ ...others, [options.instant]: knownAt } as Args, context)
  }
}

/** Something that no data version tells may be published at any time, so an answer by now is valid for this long. */
const PUBLISHED_VALID_MS = MINUTE_MS

function withInstant(args: Arguments, { instant }: PinOptions, { now, validity }: RequestContext): Arguments {
  if (args[instant] !== null && args[instant] !== undefined) return args
  validity?.endsBy(new Date(now.getTime() + PUBLISHED_VALID_MS))
  return { ...args, [instant]: now }
}

function assertPublishable(reference: string | null, { reads }: PinOptions): void {
  if (reference !== null)
    throw invalid({
      field: 'release',
      message: 'must not be given with basis published: it states what this service knew',
    })
  if (reads?.some((dataset) => PUBLISHED_RULES[dataset] !== undefined) === true) return
  const of = reads === null ? '' : ` of ${reads.join(' and ')}`
  throw invalid({
    field: 'basis',
    message: `must be observed: no rule says when the values${of} were published. With observed the answer has what this service knew`,
  })
}

/** The same for a field that nothing loads releases for: it reads them itself. */
export function withLoadedRelease<Args, Input>(
  check: Check<Args, Input | Promise<Input>>,
  options: PinInputOptions<Input>,
): Check<Args, Input | Promise<Input>> {
  const pinned = withRelease(check, options)
  const checkAt = async (reference: string, args: Args, context: RequestContext) => {
    await loadReleases([reference], context)
    const input = await pinned(args, context)
    findRelease(reference, options.readsOf(input), context)
    return input
  }
  return (args, context) => {
    const reference = releaseOf(args as Arguments)
    return reference === null ? pinned(args, context) : checkAt(reference, args, context)
  }
}

/** The argument that every field has which can answer as of an instant. */
const RELEASE = 'release'

/** The argument that says since when a fact counts as known. */
const BASIS = 'basis'

/**
 * Adds the instant of the context's clock to the arguments of a field, unless they name an earlier one or a release, and its basis.
 * 422 for a field that cannot answer as of an instant, for a later instant and for another basis.
 */
export function atClock(
  args: Arguments,
  field: Pick<GraphQLField<unknown, unknown>, 'name' | 'args'>,
  { reads, clock: rule }: Pick<EndpointSpec, 'reads' | 'clock'>,
  { clock }: Pick<RequestContext, 'clock'>,
): Arguments {
  if (clock === undefined || rule === 'followed') return args
  const has = (argument: string) => field.args.some(({ name }) => name === argument)
  if (rule !== undefined || !has(RELEASE)) {
    if (rule === undefined && reads?.length === 0) return args
    const reason = rule === undefined ? '' : `: ${rule.refusedBecause}`
    throw invalid({ field: field.name, message: `cannot be asked as of an instant${reason}` })
  }
  const instant = has('known_at') ? 'known_at' : 'as_of'
  const given = args[instant]
  if (given instanceof Date && given > clock.at)
    throw invalid({ field: instant, message: `must not be after ${clock.at.toISOString()}` })
  if (releaseOf(args) !== null) return args
  return { ...args, [instant]: given ?? clock.at, ...(has(BASIS) ? basisAt(args, clock) : {}) }
}

function basisAt(args: Arguments, { basis, leavesBasis }: RequestClock): Arguments {
  const given = args[BASIS] ?? basis
  if (given === basis || leavesBasis === true) return { [BASIS]: given }
  throw invalid({ field: BASIS, message: `must be ${basis}, as that of the clock` })
}

/** What the metadata of a field repeat about the knowledge that it is read by. */
export function knowledgeOf(args: Arguments): Required<Pick<PlannedPlace, 'release' | 'isPublished'>> {
  return { release: releaseOf(args), isPublished: isPublishedQuestion(args) }
}

function isPublishedQuestion({ basis }: Arguments): boolean {
  return basis === 'published'
}

/** The reference of the release that arguments name; null without one. */
export function releaseOf(args: Arguments): string | null {
  return typeof args.release === 'string' ? args.release : null
}

function instantOf(
  reference: string,
  others: Arguments,
  { instant, reads }: PinOptions,
  context: RequestContext,
): Date {
  const isGiven = others[instant] !== null && others[instant] !== undefined
  if (isGiven)
    throw invalid({ field: 'release', message: `must not be given with ${instant}: it sets that instant` })
  return findRelease(reference, reads, context).knownAt
}

/** A loaded release. 422 for one of a dataset that is not read. */
function findRelease(
  reference: string,
  reads: readonly DatasetName[] | null,
  context: RequestContext,
): FoundRelease {
  const release = releasesOf(context).get(reference)
  if (release === undefined) throw new Error(`release ${reference} was not loaded`)
  if (release instanceof ApiError) throw release
  if (reads !== null && !reads.includes(release.partOf)) {
    const possible = context.ports.get(releaseInstantsPort).datasetsOf(reads).join(' or ')
    const message = `must be a release of ${possible}, which this answer is read from; got ${reference}`
    throw invalid({ field: 'release', message })
  }
  return release
}
