import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import type { AccessClient } from './transaction.js'

export type AuditAction =
  | 'register'
  | 'login'
  | 'login_failed'
  | 'key_created'
  | 'key_rotated'
  | 'key_revoked'
  | 'sql_credential_created'
  | 'sql_credential_revoked'
  | 'tier_changed'
  | 'grant_changed'
  | 'account_deleted'
  | 'newsletter_requested'
  | 'newsletter_confirmed'
  | 'newsletter_ended'
  | 'newsletter_sent'
  | 'webhook_created'
  | 'webhook_updated'
  | 'webhook_secret_rotated'
  | 'webhook_replayed'
  | 'webhook_deleted'

export interface AuditEvent {
  readonly at: Date
  readonly action: AuditAction
  readonly accountId: string | null
  readonly keyId?: string
  /** Keyed hash of the address; null for operators. */
  readonly origin: string | null
  readonly actor: 'self' | 'operator'
  /** Never an e-mail, a password or a key. */
  readonly details?: Readonly<Record<string, string | number | null>>
}

/** Adds an event to the audit, in the transaction of the change that it records. */
export async function appendAudit(client: AccessClient, { details, ...event }: AuditEvent): Promise<void> {
  const data = { ...event, eventId: randomUUID(), ...(details && { details }) }
  await client.auditEvent.create({ data, select: { eventId: true } })
}

/** What is shown of an event: not the hash of the caller's address. */
export interface AuditRow extends Pick<AuditEvent, 'at' | 'action' | 'actor'> {
  readonly keyId: string | null
  readonly details: NonNullable<AuditEvent['details']> | null
}

/** An account's events, newest first. */
export async function listAudit(
  client: AccessClient,
  accountId: string,
  limit: number,
): Promise<readonly AuditRow[]> {
  const rows = await client.auditEvent.findMany({
    where: { accountId },
    select: { at: true, action: true, keyId: true, actor: true, details: true },
    orderBy: [{ at: 'desc' }, { eventId: 'asc' }],
    take: limit,
  })
  return rows as readonly AuditRow[] // only appendAudit writes them
}

/** Days that the audit is kept. */
export const AUDIT_DAYS = 90

const PURGE = statement(
  { count: 'int8' },
  `with gone as (delete from audit_event where at < $1 returning 1) select count(*) as count from gone`,
)

/** Drops events older than 90 days and answers how many; plain SQL, as is the transaction of the whole retention. */
export async function purgeAudit(sql: Sql, now: Date): Promise<number> {
  const before = new Date(now.getTime() - AUDIT_DAYS * DAY_MS)
  const [row] = await sql.rows(PURGE, [before])
  return row?.count ?? 0
}
