import type { ReleaseInstants } from '../../platform/request/release-instants.js'
import { fromStore } from './service.js'
import type { ReleaseStore } from './storage/release-store.js'
import { RELEASE_TABLES } from './tables/release-tables.js'

/** Finds the instants of the releases of a store. */
export function releaseInstants(store: ReleaseStore): ReleaseInstants {
  const isStoredBy = async (dataset: string, releaseId: string, instant: Date) =>
    (await fromStore(store.list(dataset))).some(
      (one) => one.releaseId === releaseId && one.createdAt <= instant,
    )
  return {
    async find(dataset, releaseId, storedBy) {
      // The store is not read for names that no dataset has.
      const table = RELEASE_TABLES.find((one) => one.dataset === dataset)
      if (table === undefined) return null
      if (storedBy !== undefined && !(await isStoredBy(dataset, releaseId, storedBy))) return null
      const release = await fromStore(store.read(dataset, releaseId))
      return release ? { knownAt: new Date(release.manifest.known_at), partOf: table.partOf } : null
    },
    datasetsOf: (parts) =>
      RELEASE_TABLES.filter(({ partOf }) => parts.includes(partOf)).map(({ dataset }) => dataset),
  }
}
