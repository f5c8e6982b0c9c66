import type { Database } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { deleteOldUsage } from '../../platform/usage/usage.js'
import { purgeAudit } from './audit-store.js'
import { purgeCredentials } from './sql-credentials/sql-credential-store.js'

/** Result of a retention run. */
export interface RetentionSummary {
  /** Number of deleted audit events, which were older than 90 days. */
  readonly auditEvents: number
}

/** Advisory lock of the retention: without it, nodes that run it at once would wait for each other's row locks. */
const RETENTION_LOCK = 72_707_370

/** Plain SQL: Prisma has no advisory locks. */
const TRY_LOCK = statement(
  'lacks advisory lock',
  { isMine: 'bool', startedAt: 'timestamptz' },
  'select pg_try_advisory_xact_lock($1) as "isMine", now() as "startedAt"',
)

/**
 * Deletes audit events, usage and ended SQL credentials older than 90 days in one transaction. Returns null when another node
 * is running it. It uses the earlier of the two clocks, because the audit table refuses to delete rows that are younger than
 * 90 days on the database's clock.
 */
export function applyRetention(database: Database, now: Date): Promise<RetentionSummary | null> {
  return database.transaction(async (tx) => {
    const [row] = await tx.rows(TRY_LOCK, [RETENTION_LOCK])
    if (row?.isMine !== true) return null
    const until = row.startedAt < now ? row.startedAt : now
    const auditEvents = await purgeAudit(tx.prisma, until)
    await deleteOldUsage(tx.prisma, until)
    await purgeCredentials(tx.prisma, until)
    return { auditEvents }
  })
}
