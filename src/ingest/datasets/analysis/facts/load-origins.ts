import type { DatasetName } from '../../../../core/datasets.js'
import type { PrismaModels } from '../../../../platform/database/prisma/prisma-models.js'

/** A dataset that an analysis is made from, with its current version. */
export interface DatasetOrigin {
  readonly dataset: string
  readonly version: number
  readonly source: string
  readonly isDevDataset: boolean
}

/** The datasets that have data, in the order of their names. */
export async function loadOrigins(
  prisma: PrismaModels,
  datasets: readonly DatasetName[],
): Promise<readonly DatasetOrigin[]> {
  const states = await prisma.datasetState.findMany({
    where: { dataset: { in: [...datasets] } },
    select: { dataset: true, version: true, source: true, isDevDataset: true },
    orderBy: { dataset: 'asc' },
  })
  return states.map((state) => ({ ...state, version: Number(state.version) }))
}
