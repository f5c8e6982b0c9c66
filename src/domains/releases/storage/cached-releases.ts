import { LRUCache } from 'lru-cache'
import type { ListedRelease, ReleaseStore, StoredRelease } from './release-store.js'

/** A release that another process writes or removes is seen after this time. */
const LIST_MS = 10_000

const MAX_LISTS = 100

const MAX_BYTES = 32 * 1024 * 1024

/** Anything else has no releases, and does not lead to a place outside. */
const DATASET = /^[a-z][\w-]{0,63}$/

/** An object tree takes about four times the bytes of its JSON, in addition to the text. */
const BYTES_PER_CHARACTER = 5

/** Reads of a store from memory: lists for ten seconds, and manifests, which never change, up to 32 MB. */
export function cachedReleases(store: ReleaseStore): ReleaseStore {
  const lists = new LRUCache<string, readonly ListedRelease[]>({
    max: MAX_LISTS,
    ttl: LIST_MS,
    fetchMethod: (dataset) => store.list(dataset),
  })
  const manifests = new LRUCache<
    string,
    StoredRelease,
    { readonly dataset: string; readonly releaseId: string }
  >({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ manifestText }) => manifestText.length * BYTES_PER_CHARACTER,
    fetchMethod: async (_key, _stale, { context: { dataset, releaseId } }) =>
      (await store.read(dataset, releaseId)) ?? undefined,
  })
  const list = async (dataset: string) => (DATASET.test(dataset) ? ((await lists.fetch(dataset)) ?? []) : [])
  return {
    ...store,
    list,
    async read(dataset, releaseId) {
      const listed = await list(dataset)
      if (!listed.some((release) => release.releaseId === releaseId)) return null
      const context = { dataset, releaseId }
      return (await manifests.fetch(`${dataset}/${releaseId}`, { context })) ?? null
    },
  }
}
