import type { Sql } from '../../../platform/database/database.js'
import { statement } from '../../../platform/database/statement.js'

// Plain SQL in both: part of answers that are kept, whose reads see one state of the data; the second joins rows of a table
// with each other by no relation.
const CONTENT_TEXTS = statement(
  { snapshotId: 'uuid', contentText: 'text' },
  `select snapshot_id as "snapshotId", content as "contentText" from analysis_snapshot
   where snapshot_id = any($1::uuid[])`,
)

/** The canonical text of each content by the snapshot's UUID. */
export async function readContentTexts(
  sql: Sql,
  snapshotIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.rows(CONTENT_TEXTS, [snapshotIds])
  return new Map(rows.map(({ snapshotId, contentText }) => [snapshotId, contentText]))
}

const PREVIOUS_HASHES = statement(
  { snapshotId: 'uuid', chainHash: 'text' },
  `select s.snapshot_id as "snapshotId", p.chain_hash as "chainHash"
   from analysis_snapshot s
   join analysis_snapshot p
     on p.asset_id = s.asset_id and p.analysis_type = s.analysis_type and p.sequence = s.sequence - 1
   where s.snapshot_id = any($1::uuid[])`,
)

/** The chain hash before each snapshot, by the snapshot's UUID; the first of a chain is not in the map. */
export async function readPreviousHashes(
  sql: Sql,
  snapshotIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.rows(PREVIOUS_HASHES, [snapshotIds])
  return new Map(rows.map(({ snapshotId, chainHash }) => [snapshotId, chainHash]))
}
