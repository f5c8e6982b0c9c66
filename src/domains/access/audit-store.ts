import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../../core/time.js'
import type { AccessClient } from './transaction.js'

export type AuditAction =
  | 'register'
  | 'login'
  | 'login_failed'
  | 'key_created'
  | 'key_rotated'
  | 'key_advanced'
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
  | 'backup_written'
  | 'database_restored'
  | 'secret_forgotten'
  | 'secret_rotated'
  | 'seed_removed'
  | 'release_pinned'
  | 'release_unpinned'

export interface AuditEvent {
  readonly at: Date
  readonly action: AuditAction
  readonly accountId: string | null
  readonly keyId?: string
  /** Keyed hash of the client address; null for operators. */
  readonly origin: string | null
  readonly actor: 'self' | 'operator'
  /** Must not contain an e-mail, a password or a key. */
  readonly details?: Readonly<Record<string, string | number | null>>
}

/** Adds an event to the audit. Call it in the transaction of the change that the event records. */
export function appendAudit(client: AccessClient, event: AuditEvent): Promise<void> {
  return appendAudits(client, [event])
}

/** Like `appendAudit`, with one statement for all events. */
export async function appendAudits(client: AccessClient, events: readonly AuditEvent[]): Promise<void> {
  const data = events.map(({ details, ...event }) => ({
    ...event,
    eventId: randomUUID(),
    ...(details && { details }),
  }))
  if (data.length > 0) await client.auditEvent.createMany({ data })
}

/** Whether the account logged in from the client address (its hash) within the time that the audit covers. */
export async function hasLoggedInFrom(
  client: AccessClient,
  accountId: string,
  origin: string,
): Promise<boolean> {
  const where = { accountId, action: 'login' satisfies AuditAction, origin }
  return (await client.auditEvent.findFirst({ where, select: { eventId: true } })) !== null
}

/** The public part of an event: without the hash of the client address. */
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

/** Records what an operator did to the installation, not to one account. */
export function noteOperation(
  client: AccessClient,
  action: AuditAction,
  at: Date,
  details: NonNullable<AuditEvent['details']> = {},
): Promise<void> {
  return appendAudit(client, { at, action, accountId: null, origin: null, actor: 'operator', details })
}

/** An event with its account; null for one of the installation. */
export interface ExportedEvent extends AuditRow {
  readonly eventId: string
  readonly accountId: string | null
}

/** Events read at once. */
const EXPORT_BATCH = 1_000

/** All events, oldest first, in batches. */
export async function* exportAudit(client: AccessClient): AsyncGenerator<readonly ExportedEvent[]> {
  let last: Pick<ExportedEvent, 'at' | 'eventId'> | undefined
  for (;;) {
    const after = last && { OR: [{ at: { gt: last.at } }, { at: last.at, eventId: { gt: last.eventId } }] }
    const rows = await client.auditEvent.findMany({
      ...(after && { where: after }),
      select: {
        eventId: true,
        at: true,
        action: true,
        accountId: true,
        keyId: true,
        actor: true,
        details: true,
      },
      orderBy: [{ at: 'asc' }, { eventId: 'asc' }],
      take: EXPORT_BATCH,
    })
    if (rows.length > 0) yield rows as readonly ExportedEvent[] // only appendAudit writes them
    if (rows.length < EXPORT_BATCH) return
    last = rows.at(-1)
  }
}

/** Days that the audit is kept. */
export const AUDIT_DAYS = 90

/** Deletes events older than 90 days and returns their number. */
export async function purgeAudit(client: AccessClient, now: Date): Promise<number> {
  const before = new Date(now.getTime() - AUDIT_DAYS * DAY_MS)
  const { count } = await client.auditEvent.deleteMany({ where: { at: { lt: before } } })
  return count
}

/** When the operator last did this, within the time that the audit covers; null if never. */
export async function loadLastOperation(client: AccessClient, action: AuditAction): Promise<Date | null> {
  const newest = await client.auditEvent.findFirst({
    where: { action },
    orderBy: { at: 'desc' },
    select: { at: true },
  })
  return newest?.at ?? null
}
