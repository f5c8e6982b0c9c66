import type { Given } from '../../core/argument-parsers.js'
import { ApiError, notFound } from '../../core/errors.js'
import type { OffsetPage } from '../../core/page.js'
import type { Problems } from '../../core/problems.js'
import { didYouMean, suggest } from '../../core/suggest.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { isReleaseId } from './manifest.js'
import {
  type ListedRelease,
  type ReleaseStore,
  releaseStorePort,
  type StoredRelease,
} from './storage/release-store.js'
import { RELEASE_TABLES } from './tables/release-tables.js'

/** A stored release and what its store knows of it. */
export interface PublishedRelease extends StoredRelease {
  readonly createdAt: Date
}

/** Manifests that a page reads at the same time. */
const PARALLEL_READS = 8

const DATASETS: readonly string[] = RELEASE_TABLES.map(({ dataset }) => dataset)

/** The dataset whose releases are listed; null for all. */
export function parseReleasedDataset(problems: Problems, dataset: Given<string>): string | null {
  if (dataset == null || DATASETS.includes(dataset)) return dataset ?? null
  const near = didYouMean(suggest(dataset, DATASETS))
  problems.add('dataset', `must be a dataset that is released${near} ${DATASETS.join(', ')}`)
  return null
}

/** A page of the releases of a dataset, or of all datasets, newest first. */
export async function listReleases(
  dataset: string | null,
  { limit, offset }: OffsetPage,
  { ports, clock }: RequestContext,
): Promise<{ readonly releases: readonly PublishedRelease[]; readonly total: number }> {
  const store = ports.get(releaseStorePort)
  const stored = await fromStore(listAll(store, dataset === null ? DATASETS : [dataset]))
  const all = stored.filter((listed) => isStoredAt(listed, clock))
  const page = all.slice(offset, offset + limit)
  const releases: PublishedRelease[] = []
  for (let at = 0; at < page.length; at += PARALLEL_READS) {
    const read = page.slice(at, at + PARALLEL_READS).map((listed) => readListed(store, listed))
    for (const release of await fromStore(Promise.all(read))) if (release !== null) releases.push(release)
  }
  return { releases, total: all.length }
}

/** A release that was stored after the instant of a clock does not exist for it. */
function isStoredAt({ createdAt }: ListedRelease, clock: RequestContext['clock']): boolean {
  return clock === undefined || createdAt <= clock.at
}

interface ListedOfDataset extends ListedRelease {
  readonly dataset: string
}

async function listAll(
  store: ReleaseStore,
  datasets: readonly string[],
): Promise<readonly ListedOfDataset[]> {
  const lists = await Promise.all(
    datasets.map(async (dataset) => (await store.list(dataset)).map((listed) => ({ ...listed, dataset }))),
  )
  // An id begins with the instant of its release.
  return lists.flat().sort((a, b) => (a.releaseId < b.releaseId ? 1 : a.releaseId > b.releaseId ? -1 : 0))
}

/** Null for a release that was removed after the list was read. */
async function readListed(
  store: ReleaseStore,
  { dataset, releaseId, createdAt }: ListedOfDataset,
): Promise<PublishedRelease | null> {
  const release = await store.read(dataset, releaseId)
  return release === null ? null : { ...release, createdAt }
}

/** A release; 404 for an unknown one. */
export async function getRelease(
  dataset: string,
  releaseId: string,
  { ports, clock }: Pick<RequestContext, 'ports' | 'clock'>,
): Promise<PublishedRelease> {
  const store = ports.get(releaseStorePort)
  const listed =
    DATASETS.includes(dataset) && isReleaseId(releaseId)
      ? (await fromStore(store.list(dataset))).find(
          (one) => one.releaseId === releaseId && isStoredAt(one, clock),
        )
      : undefined
  const release = listed === undefined ? null : await fromStore(readListed(store, { ...listed, dataset }))
  if (release === null) throw unknownRelease(dataset, releaseId)
  return release
}

function unknownRelease(dataset: string, releaseId: string): ApiError {
  const known = DATASETS.includes(dataset) ? { dataset } : {}
  return notFound(
    (name) =>
      `No release ${`${dataset}/${releaseId}`.slice(0, 100)}. Use ${name('releases', known)} to list the releases.`,
  )
}

/** The result of a read of the store; 503 if the store cannot be reached. */
export async function fromStore<T>(read: Promise<T>): Promise<T> {
  try {
    return await read
  } catch (cause) {
    const message = 'The store of releases cannot be reached. Try again later.'
    throw new ApiError('service_unavailable', { message, cause })
  }
}
