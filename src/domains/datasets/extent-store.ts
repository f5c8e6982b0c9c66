import type { DatasetName } from '../../core/datasets.js'
import type { IsoDate } from '../../core/time.js'
import type { DatasetExtent } from '../../generated/prisma/client.js'
import type { Queries } from '../../platform/database/database.js'
import type { DatasetFindings } from './model.js'

/** The number of rows of a dataset, the first day that they are about, and the findings among them. */
export interface CountedExtent extends DatasetFindings {
  readonly rows: number
  /** Null if its rows are about no day. */
  readonly since: IsoDate | null
}

/** The extent of each dataset that was counted, by its name. */
export async function loadExtents({
  prisma,
}: Pick<Queries, 'prisma'>): Promise<ReadonlyMap<string, DatasetExtent>> {
  const extents = await prisma.datasetExtent.findMany()
  return new Map(extents.map((extent) => [extent.dataset, extent]))
}

/** Stores the extent of a dataset in place of the one before. */
export async function storeExtent(
  { prisma }: Pick<Queries, 'prisma'>,
  dataset: DatasetName,
  { rows, since, findings, findingsTotal }: CountedExtent,
  countedAt: Date,
): Promise<void> {
  const counted = {
    ...{ rows, since: since === null ? null : new Date(since), countedAt, findingsTotal },
    findings: findings.map((finding) => ({ ...finding, sources: [...finding.sources] })),
  }
  await prisma.datasetExtent.upsert({
    where: { dataset },
    create: { dataset, ...counted },
    update: counted,
    select: { dataset: true },
  })
}
