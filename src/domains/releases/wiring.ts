import type { Config } from '../../config.js'
import { createDirectoryReleases } from './directory-releases.js'
import type { ReleaseStore } from './release-store.js'

/** The place of releases that the configuration names. */
export function configuredReleases({ releasesDir }: Config): ReleaseStore {
  return createDirectoryReleases(releasesDir)
}
