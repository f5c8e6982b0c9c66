import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'

/** Loads the tier of the best-ranked asset; null without ranked assets. It sets the refresh interval of datasets that depend on the tier. */
export async function loadBestTier(prisma: PrismaModels): Promise<number | null> {
  const where = { tier: { not: null } }
  const best = await prisma.asset.findFirst({ where, select: { tier: true }, orderBy: { tier: 'asc' } })
  return best?.tier ?? null
}
