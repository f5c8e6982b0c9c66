import type { Database } from '../database/database.js'

/** When a gateway in production first opened the database; null while none has. */
export async function loadProductionSince({ prisma }: Database): Promise<Date | null> {
  const row = await prisma.installation.findUnique({ where: { id: 1 }, select: { productionSince: true } })
  return row?.productionSince ?? null
}

/** Marks the database as one that serves production. The first instant is kept. */
export async function markProduction({ prisma }: Database, now: Date): Promise<void> {
  await prisma.installation.createMany({ data: [{ id: 1 }], skipDuplicates: true })
  await prisma.installation.updateMany({
    where: { id: 1, productionSince: null },
    data: { productionSince: now },
  })
}
