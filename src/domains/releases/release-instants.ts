import type { ReleaseStore } from './release-store.js'

/** Finds the `known_at` of a release; null if it does not exist. */
export function releaseInstants(store: ReleaseStore) {
  return async (dataset: string, releaseId: string): Promise<Date | null> => {
    const release = await store.read(dataset, releaseId)
    return release === null ? null : new Date(release.manifest.known_at)
  }
}
