import type { Config } from '../../config.js'
import { type ObjectStoreLimits, S3Bucket } from '../../platform/object-store/s3-bucket.js'
import { createBucketReleases } from './storage/bucket-releases.js'
import { cachedReleases } from './storage/cached-releases.js'
import { createDirectoryReleases } from './storage/directory-releases.js'
import type { ReleaseStore } from './storage/release-store.js'

const WRITING: ObjectStoreLimits = { timeoutMs: 60_000, attempts: 5 }

/** A caller waits for the answer. */
const SERVING: ObjectStoreLimits = { timeoutMs: 5_000, attempts: 2 }

/** The releases for whom writes, pins or removes them. */
export function configuredReleases(config: Pick<Config, 'releases'>): ReleaseStore {
  return storeOf(config, WRITING)
}

/** The releases for requests, from memory where possible. */
export function servedReleases(config: Pick<Config, 'releases'>): ReleaseStore {
  return cachedReleases(storeOf(config, SERVING))
}

function storeOf({ releases }: Pick<Config, 'releases'>, limits: ObjectStoreLimits): ReleaseStore {
  const { bucket, directory } = releases
  return bucket === null
    ? createDirectoryReleases(directory)
    : createBucketReleases(new S3Bucket(bucket, limits), directory)
}
