import type { ListedRelease, ReleaseStore } from './storage/release-store.js'

/**
 * Removes all releases of a dataset but the `keep` newest (null: all stay), and returns the removed ids. The newest one and
 * pinned ones always stay. The caller holds the lock of the dataset's releases.
 */
export async function applyReleaseRetention(
  store: ReleaseStore,
  dataset: string,
  keep: number | null,
): Promise<readonly string[]> {
  const listed = await store.list(dataset)
  const removed = releasesToRemove(listed, keep)
  if (removed.length > 0) await store.remove(dataset, removed)
  return removed
}

/** `listed`: newest first. */
export function releasesToRemove(listed: readonly ListedRelease[], keep: number | null): readonly string[] {
  if (keep === null) return []
  return listed.filter(({ isPinned }, index) => !isPinned && index >= keep).map(({ releaseId }) => releaseId)
}
