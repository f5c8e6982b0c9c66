import { DAY_MS } from '../../core/time.js'
import type { Database, Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { type DeliveryEnd, leasedRows } from '../../platform/outbox/leased-rows.js'
import { declareShardedWork } from '../../platform/outbox/shard-statements.js'
import { isTermOfShard } from '../../platform/outbox/sharded-work.js'

/** One shard: one node sends, so that the rate holds for all together. */
export const NEWSLETTER_WORK = declareShardedWork({
  name: 'newsletter',
  nodes: 'newsletter_node',
  shards: 'newsletter_shard',
})
export const NEWSLETTER_SHARD = 0

/** SQL condition: the term in `$1` is that of the sender. */
const IS_SENDER = isTermOfShard(NEWSLETTER_WORK, String(NEWSLETTER_SHARD), '$1')

/** One row per mail of each issue. `$1` of the statements is the term of the sender. */
const MAILS = leasedRows({
  table: 'newsletter_delivery',
  term: '$1',
  isHeld: IS_SENDER,
  key: { issueId: 'text', accountId: 'uuid' },
})

/** A mail that this sender has opened. No other mail has the same values. */
export interface OpenMailDelivery {
  readonly issueId: string
  readonly accountId: string
  readonly email: string
  readonly attempts: number
  readonly term: number
}

const TOUCHED = { accountId: 'uuid' } as const

/** The mail server may have a mail that was open when its process ended: it gets it again, with the same Message-ID. */
const RECOVER = statement(
  'lacks condition of an update',
  TOUCHED,
  `${MAILS.recover("d.settled_at is null and d.state = 'open'", "state = 'pending', last_error = 'stopped'")}
   returning d.account_id as "accountId"`,
)

/** Mails that must not be sent any more: the subscription has ended, or the issue is too old. */
const GIVE_UP = statement(
  'lacks condition of an update',
  { state: 'text' },
  `update newsletter_delivery as d
   set state = case when s.account_id is null then 'cancelled' else 'failed' end, settled_at = $2,
     last_error = case when s.account_id is null then d.last_error else coalesce(d.last_error, 'too late') end
   from newsletter_delivery as o
   join newsletter_issue as i on i.issue_id = o.issue_id
   left join (newsletter_subscription as s join account as a on a.account_id = s.account_id
       and a.email is not null and a.deleted_at is null)
     on s.account_id = o.account_id and s.confirmed_at is not null and s.ended_at is null
   where o.settled_at is null and o.state = 'pending' and (s.account_id is null or i.send_by <= $2)
     and d.issue_id = o.issue_id and d.account_id = o.account_id and ${IS_SENDER}
   returning d.state`,
)

const FINISH = statement(
  'lacks condition of an update',
  { issueId: 'text' },
  `update newsletter_issue as i set sent_at = $2
   where i.sent_at is null and ${IS_SENDER}
     and not exists (select from newsletter_delivery as d where d.issue_id = i.issue_id and d.settled_at is null)
   returning i.issue_id as "issueId"`,
)

/** What the sender of a term finds and leaves in order: after it got the shard, and from time to time. */
export async function settleLeft(sql: Sql, term: number, now: Date): Promise<{ readonly recovered: number }> {
  const recovered = await sql.rows(RECOVER, [term, now])
  await sql.rows(GIVE_UP, [term, now])
  await sql.rows(FINISH, [term, now])
  return { recovered: recovered.length }
}

const NEXT = {
  issueId: 'text',
  accountId: 'uuid',
  email: 'text?',
  attempts: 'int4',
} as const

// Plain SQL: Prisma has neither row locks nor an update that returns the row. One mail at a time, so that a killed
// process leaves at most one mail per connection open.
const OPEN = statement(
  'lacks row lock',
  NEXT,
  `${MAILS.open(`(
     select o.issue_id, o.account_id, a.email from newsletter_delivery as o
     join newsletter_issue as i on i.issue_id = o.issue_id
     join newsletter_subscription as s on s.account_id = o.account_id
     join account as a on a.account_id = o.account_id
     where o.settled_at is null and o.state = 'pending' and o.next_attempt_at <= $2 and i.send_by > $2
       and s.confirmed_at is not null and s.ended_at is null and a.email is not null and a.deleted_at is null
     order by o.next_attempt_at, o.issue_id, o.account_id limit 1
     for update of o skip locked
   ) as o`)}
   returning ${MAILS.keyColumns}, o.email, d.attempts`,
)

/** Opens the mail that is due first; null when no mail is due or another node has the shard. */
export async function openNext(sql: Sql, term: number, now: Date): Promise<OpenMailDelivery | null> {
  const [row] = await sql.rows(OPEN, [term, now])
  return row === undefined || row.email === null ? null : { ...row, email: row.email, term }
}

/** How an attempt ended. */
export interface MailDeliveryEnd extends Omit<DeliveryEnd, 'error'> {
  readonly state: 'accepted' | 'rejected' | 'failed' | 'unconfirmed' | 'pending'
  readonly codes: string | null
  /** The address is permanently rejected, so later issues skip it; false by default. */
  readonly endsSubscription?: boolean
}

/**
 * Stores the server's own response also when another sender is about to send the mail again, which then need not. The
 * subscription of a permanently rejected address ends with it.
 */
const SETTLE = statement(
  'lacks condition of an update',
  TOUCHED,
  `with settled as (
     ${MAILS.settle("d.state in ('open', 'pending')")}
     returning d.account_id
   ), ended as (
     update newsletter_subscription as s set ended_at = $6::timestamptz, end_reason = 'rejected'
     from settled where s.account_id = settled.account_id and s.ended_at is null and $9::bool
   )
   select account_id as "accountId" from settled`,
)

/** Stores the result of an attempt; returns false when another attempt has begun. */
export async function settleMailDelivery(
  sql: Sql,
  delivery: OpenMailDelivery,
  end: MailDeliveryEnd,
): Promise<boolean> {
  const { codes, endsSubscription = false, ...rest } = end
  const values = MAILS.endValues(delivery, { ...rest, error: codes })
  return (await sql.rows(SETTLE, [...values, endsSubscription])).length > 0
}

/** The state of the outbox. */
export interface DueMails {
  /** Issues with unsettled mails. */
  readonly unsettled: number
  /** When the next mail is due; null if no mail waits. */
  readonly nextAt: Date | null
  /** When the last mail of these issues was opened by any sender, so that the rate limit holds across restarts. */
  readonly openedAt: Date | null
}

export async function loadDueMails({ prisma }: Pick<Database, 'prisma'>): Promise<DueMails> {
  const { newsletterIssue: issues, newsletterDelivery: mails } = prisma
  const unsettled = await issues.count({ where: { sentAt: null } })
  const { _min } = await mails.aggregate({ where: { settledAt: null }, _min: { nextAttemptAt: true } })
  const { _max } = await mails.aggregate({ where: { issue: { sentAt: null } }, _max: { openedAt: true } })
  return { unsettled, nextAt: _min.nextAttemptAt, openedAt: _max.openedAt }
}

const COUNTED_STATES = ['pending', 'accepted', 'rejected', 'failed', 'unconfirmed', 'cancelled'] as const

/** Mails of the last 30 days by state, also of states without a mail; an open one is in none. */
export async function loadMailCounts({ prisma }: Pick<Database, 'prisma'>, now: Date) {
  const since = new Date(now.getTime() - 30 * DAY_MS)
  const counts = await prisma.newsletterDelivery.groupBy({
    by: 'state',
    where: { OR: [{ settledAt: null }, { settledAt: { gt: since } }] },
    _count: true,
  })
  const countOf = new Map(counts.map(({ state, _count }) => [state, _count]))
  return COUNTED_STATES.map((state) => ({ state, mails: countOf.get(state) ?? 0 }))
}
