import { DAY_MS } from '../../core/time.js'
import type { ListedRelease, ReleaseStore } from './release-store.js'

/** Which releases of a dataset stay. Null: no limit of this kind is set. */
export interface ReleaseRetention {
  /** Number of newest releases. */
  readonly keep: number | null
  /** Days since the publication. */
  readonly keepDays: number | null
}

/**
 * Removes the releases of a dataset that no rule keeps, and returns their ids. The newest one and pinned ones always stay.
 * Without any limit all stay. The caller holds the lock of the dataset's releases.
 */
export async function applyReleaseRetention(
  store: ReleaseStore,
  dataset: string,
  retention: ReleaseRetention,
  now: Date,
): Promise<readonly string[]> {
  const listed = await store.list(dataset)
  const removed = releasesToRemove(listed, retention, now)
  if (removed.length > 0) await store.remove(dataset, removed)
  return removed
}

/** `listed`: newest first. */
export function releasesToRemove(
  listed: readonly ListedRelease[],
  { keep, keepDays }: ReleaseRetention,
  now: Date,
): readonly string[] {
  if (keep === null && keepDays === null) return []
  const since = keepDays === null ? null : now.getTime() - keepDays * DAY_MS
  return listed
    .filter(({ isPinned, createdAt }, index) => {
      const isNew = since !== null && createdAt.getTime() >= since
      return !isPinned && !isNew && index >= Math.max(1, keep ?? 1)
    })
    .map(({ releaseId }) => releaseId)
}
