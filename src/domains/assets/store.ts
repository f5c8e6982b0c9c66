import type { Asset } from '../../generated/prisma/client.js'
import type { Queries } from '../../platform/database/database.js'

/** The slugs of assets by their keys, in one statement. */
export async function loadSlugs(
  { prisma }: Pick<Queries, 'prisma'>,
  assetIds: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const rows = await prisma.asset.findMany({
    where: { assetId: { in: [...new Set(assetIds)] } },
    select: { assetId: true, slug: true },
  })
  return new Map(rows.map(({ assetId, slug }) => [assetId, slug]))
}

export async function loadAssetsBySlug(
  { prisma }: Pick<Queries, 'prisma'>,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, Asset>> {
  const rows = await prisma.asset.findMany({ where: { slug: { in: [...slugs] } } })
  return new Map(rows.map((row) => [row.slug, row]))
}
