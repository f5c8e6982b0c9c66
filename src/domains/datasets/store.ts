import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'

/** The tier of the best-ranked asset; null: there is none. A dataset that goes by tier is due as often as this one. */
export async function loadBestTier(prisma: PrismaModels): Promise<number | null> {
  const where = { tier: { not: null } }
  const best = await prisma.asset.findFirst({ where, select: { tier: true }, orderBy: { tier: 'asc' } })
  return best?.tier ?? null
}
