import type { Sql } from '../../../platform/database/database.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import { statement } from '../../../platform/database/statement.js'
import { CHAIN_START } from '../model.js'

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
  'lacks join without a relation',
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

/** How a statement computes `sha256:<hex>` of a text. */
const sha256Of = (text: string) => `'sha256:' || encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`

// Plain SQL: all snapshots at once, of which only broken ones leave the database.
const BROKEN = statement(
  'lacks window function',
  { snapshotId: 'uuid' },
  `select snapshot_id as "snapshotId" from (
     select snapshot_id, asset_id, analysis_type, sequence, content_hash, chain_hash, generated_at,
       ${sha256Of('content')} as content_found, case when sequence = 1 then '${CHAIN_START}'
         else lag(chain_hash) over (partition by asset_id, analysis_type order by sequence) end as previous
     from analysis_snapshot) as s
   where content_hash <> content_found or coalesce(chain_hash <> ${sha256Of(
     `concat_ws(E'\\n', previous, content_hash, snapshot_id,
       to_char(generated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
   )} or previous is null, true)
   order by asset_id, analysis_type, sequence limit $1`,
)

/** Snapshots whose content or chain hash is not that of their content and predecessor, at most `limit`. */
export async function loadBrokenSnapshots(sql: Sql, limit: number): Promise<readonly string[]> {
  return (await sql.rows(BROKEN, [limit])).map(({ snapshotId }) => snapshotId)
}
