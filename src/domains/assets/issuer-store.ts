import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'

/** The LEI of the issuer by the key of the asset, as text. An asset without one is not in the map. */
export async function loadIssuerLeis(
  prisma: PrismaModels,
  assetIds: readonly number[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await prisma.instrument.findMany({
    where: { assetId: { in: [...assetIds] }, lei: { not: null } },
    orderBy: [{ isPrimary: 'asc' }, { instrumentId: 'desc' }], // the primary listing last: it is kept
    select: { assetId: true, lei: true },
  })
  return new Map(rows.flatMap(({ assetId, lei }) => (lei === null ? [] : [[String(assetId), lei]])))
}
