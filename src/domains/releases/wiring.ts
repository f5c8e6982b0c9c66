import type { Config } from '../../config.js'
import { type ObjectStoreLimits, S3Bucket } from '../../platform/object-store/s3-bucket.js'
import { createBucketReleases } from './bucket-releases.js'
import { cachedReleases } from './cached-releases.js'
import { createDirectoryReleases } from './directory-releases.js'
import type { ReleaseStore } from './release-store.js'

const WRITING: ObjectStoreLimits = { timeoutMs: 60_000, attempts: 5 }

/** A caller waits for the answer. */
const SERVING: ObjectStoreLimits = { timeoutMs: 5_000, attempts: 2 }

/** The releases for whom writes, pins or removes them. */
export function configuredReleases(config: Pick<Config, 'releases'>): ReleaseStore {
  return storeOf(() => config, WRITING)
}

/** The releases for requests, from memory where possible; with the credentials that were read last. */
export function servedReleases(newest: () => Config): ReleaseStore {
  return cachedReleases(storeOf(newest, SERVING))
}

function storeOf(newest: () => Pick<Config, 'releases'>, limits: ObjectStoreLimits): ReleaseStore {
  const { bucket, directory } = newest().releases
  if (bucket === null) return createDirectoryReleases(directory)
  return createBucketReleases(new S3Bucket(() => newest().releases.bucket ?? bucket, limits), directory)
}
