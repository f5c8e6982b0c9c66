import { loadSlugs } from '../../domains/assets/store.js'
import type { Queries } from '../../platform/database/database.js'
import { MAX_TOUCHED_GRAINS } from '../../platform/database/versions/bump-dataset.js'

/**
 * The slugs of the assets that rows belong to, by their keys. Null if an asset has no master, or if they have more grains than
 * a commit can name.
 */
export async function slugsOfRows(
  database: Pick<Queries, 'prisma'>,
  rows: readonly { readonly assetId: number }[],
): Promise<ReadonlyMap<number, string> | null> {
  const assetIds = new Set(rows.map(({ assetId }) => assetId))
  if (assetIds.size > MAX_TOUCHED_GRAINS) return null
  const slugs = await loadSlugs(database, assetIds)
  return slugs.size === assetIds.size ? slugs : null
}
