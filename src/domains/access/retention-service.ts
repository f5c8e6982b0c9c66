import { deleteOldUsage } from '../../platform/counters/usage.js'
import type { Database } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { purgeAudit } from './audit-store.js'
import { purgeCredentials } from './sql-credentials/sql-credential-store.js'

/** What a run removed. */
export interface RetentionSummary {
  /** Audit events that were older than 90 days. */
  readonly auditEvents: number
}

/** Advisory lock of the retention: nodes that run it at once would only wait for each other's rows. */
const RETENTION_LOCK = 72_707_370

/** Plain SQL: Prisma has no advisory locks. */
const TRY_LOCK = statement(
  { isMine: 'bool', startedAt: 'timestamptz' },
  'select pg_try_advisory_xact_lock($1) as "isMine", now() as "startedAt"',
)

/**
 * Deletes audit events, usage and ended SQL credentials older than 90 days, all or nothing; null when another node is just doing so. A clock
 * ahead of the database's does not count: the audit refuses to lose what is younger on the database's own clock.
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
