import type { Sql } from '../../../platform/database/database.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import { statement } from '../../../platform/database/statement.js'

/** The canonical text of each content, by the snapshot's UUID. */
export async function loadContentTexts(
  prisma: PrismaModels,
  snapshotIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await prisma.analysisSnapshot.findMany({
    where: { snapshotId: { in: [...snapshotIds] } },
    select: { snapshotId: true, content: true },
  })
  return new Map(rows.map(({ snapshotId, content }) => [snapshotId, content]))
}

// Plain SQL, because it joins rows of a table to each other without a relation.
const PREVIOUS_HASHES = statement(
  { snapshotId: 'uuid', chainHash: 'text' },
  `select s.snapshot_id as "snapshotId", p.chain_hash as "chainHash"
   from analysis_snapshot s
   join analysis_snapshot p
     on p.asset_id = s.asset_id and p.analysis_type = s.analysis_type and p.sequence = s.sequence - 1
   where s.snapshot_id = any($1::uuid[])`,
)

/** The previous chain hash of each snapshot, by the snapshot's UUID; the first of a chain is not in the map. */
export async function loadPreviousHashes(
  sql: Sql,
  snapshotIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.rows(PREVIOUS_HASHES, [snapshotIds])
  return new Map(rows.map(({ snapshotId, chainHash }) => [snapshotId, chainHash]))
}
