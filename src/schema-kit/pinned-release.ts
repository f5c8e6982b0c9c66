import type { DatasetName } from '../core/datasets.js'
import { ApiError, invalid, notFound } from '../core/errors.js'
import { memoizeByObject } from '../core/memoize-by-object.js'
import { type FoundRelease, releaseInstantsPort } from '../platform/request/release-instants.js'
import type { RequestContext } from '../platform/request/request-context.js'

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

async function loadRelease(reference: string, { ports }: RequestContext): Promise<FoundRelease | ApiError> {
  const [, dataset, releaseId] = REFERENCE.exec(reference) ?? []
  if (dataset === undefined || releaseId === undefined) return malformedReference(reference)
  try {
    return (
      (await ports.get(releaseInstantsPort).find(dataset, releaseId)) ?? unknownRelease(dataset, releaseId)
    )
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
  /** The argument with the instant of knowledge, which the release replaces. */
  readonly instant: 'as_of' | 'known_at'
  /** The datasets of the field; null if they are not declared. */
  readonly reads: readonly DatasetName[] | null
}

/**
 * Adds the argument `release` to a check: it gets the `known_at` of the release as the instant. 422 for a release together
 * with an instant and for one of a dataset that the field does not read, 404 for an unknown one. `loadReleases` comes before.
 */
export function withRelease<Args, Input>(check: Check<Args, Input>, options: PinOptions): Check<Args, Input> {
  return (args, context) => {
    const reference = releaseOf(args as Arguments)
    if (reference === null) return check(args, context)
    const { release: _release, ...others } = args as Arguments
    const knownAt = instantOf(reference, others, options, context)
    // The same arguments as those of a request for that instant.
    return check({ ...others, [options.instant]: knownAt } as Args, context)
  }
}

/** The same for a field that nothing loads releases for: it reads them itself. */
export function withLoadedRelease<Args, Input>(
  check: Check<Args, Input | Promise<Input>>,
  options: PinOptions,
): Check<Args, Input | Promise<Input>> {
  const pinned = withRelease(check, options)
  return (args, context) => {
    const reference = releaseOf(args as Arguments)
    if (reference === null) return check(args, context)
    return loadReleases([reference], context).then(() => pinned(args, context))
  }
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
  const release = releasesOf(context).get(reference)
  if (release === undefined) throw new Error(`release ${reference} was not loaded`)
  if (release instanceof ApiError) throw release
  if (reads !== null && !reads.includes(release.partOf)) {
    const possible = context.ports.get(releaseInstantsPort).datasetsOf(reads).join(' or ')
    const message = `must be a release of ${possible}, which this answer is read from; got ${reference}`
    throw invalid({ field: 'release', message })
  }
  return release.knownAt
}
