import { contentHash } from '../../../core/canonical-json.js'
import type { NewsletterIssue } from '../../../generated/prisma/client.js'
import type { Database } from '../../../platform/database/database.js'
import { DELETED_AT_ONCE, deleteInBatches } from '../../../platform/database/delete-in-batches.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import { statement } from '../../../platform/database/statement.js'
import type { DeliveryCounts, IssueContent } from '../model.js'

/** Prisma's client, outside or inside a transaction. */
type Client = PrismaModels

/** An issue whose mails are being sent or were sent. */
export type IssueRow = Omit<NewsletterIssue, 'sections'>

const STORED = {
  issueId: true,
  subject: true,
  html: true,
  text: true,
  contentHash: true,
  isDevDataset: true,
  generatedAt: true,
  sendBy: true,
  sentAt: true,
} as const

export function findIssue(client: Client, issueId: string): Promise<IssueRow | null> {
  return client.newsletterIssue.findUnique({ where: { issueId }, select: STORED })
}

/** Stores an issue unless it exists; returns whether it did. A stored issue never changes. */
export async function insertIssue(
  tx: Client,
  content: IssueContent,
  times: { readonly generatedAt: Date; readonly sendBy: Date },
): Promise<boolean> {
  const { issueId, subject, html, text, isDevDataset } = content
  const sections = content.sections.map(({ rows, columns, ...section }) => ({
    ...section,
    columns: [...columns],
    rows: rows.map(({ cells }) => [...cells]),
  }))
  const data = { issueId, subject, html, text, sections, isDevDataset, ...times }
  const hash = contentHash({ subject, html, text, sections })
  const { count } = await tx.newsletterIssue.createMany({
    data: { ...data, contentHash: hash },
    skipDuplicates: true,
  })
  return count === 1
}

/** The progress of the mails of an issue, without those of ended subscriptions. */
export async function loadCounts(
  { prisma }: Pick<Database, 'prisma'>,
  issueId: string,
): Promise<DeliveryCounts> {
  const rows = await prisma.newsletterDelivery.groupBy({
    by: ['state'],
    where: { issueId },
    _count: true,
  })
  const of = (...states: readonly string[]) =>
    rows.filter(({ state }) => states.includes(state)).reduce((sum, { _count }) => sum + _count, 0)
  const counts = {
    accepted: of('accepted'),
    rejected: of('rejected'),
    failed: of('failed'),
    unconfirmed: of('unconfirmed'),
    pending: of('pending', 'open'),
  }
  return { recipients: Object.values(counts).reduce((sum, mails) => sum + mails, 0), ...counts }
}

/** Creates one mail for each subscribed account and returns their number. */
export function insertDeliveries(tx: Client, issueId: string, now: Date): Promise<number> {
  // Plain SQL: one statement for all recipients, whose rows stay in the database.
  return tx.$executeRaw`insert into newsletter_delivery (issue_id, account_id, next_attempt_at)
    select ${issueId}, s.account_id, ${now}::timestamptz from newsletter_subscription as s
    join account as a on a.account_id = s.account_id
    where s.confirmed_at is not null and s.ended_at is null and a.email is not null and a.deleted_at is null
    on conflict do nothing`
}

/** Days for which it is known who got an issue, from when no mail of it is begun any more. */
const KEPT_DAYS = 90

/** Uses the earlier clock: the newest issue must stay, or it could be sent twice. */
const IS_OLD = `i.send_by < least($1::timestamptz, now()) - interval '${KEPT_DAYS} days'`

const OLD_DELIVERIES = statement(
  'bulk',
  { issueId: 'text' },
  `delete from newsletter_delivery where (issue_id, account_id) in (
     select d.issue_id, d.account_id from newsletter_delivery as d join newsletter_issue as i on i.issue_id = d.issue_id
     where ${IS_OLD} limit ${DELETED_AT_ONCE})
   returning issue_id as "issueId"`,
)

const OLD_ISSUES = statement(
  'bulk',
  { issueId: 'text' },
  `delete from newsletter_issue as i
   where ${IS_OLD} and not exists (select from newsletter_delivery as d where d.issue_id = i.issue_id)
   returning i.issue_id as "issueId"`,
)

/**
 * Deletes issues that could no longer be sent for more than 90 days, with their mails, in bounded batches; returns
 * their number. Only the issue of the last week can be sent, so none of them is sent again.
 */
export async function deleteOldIssues(database: Database, now: Date): Promise<number> {
  await deleteInBatches(database, async (tx) => (await tx.rows(OLD_DELIVERIES, [now])).length)
  return database.transaction(async (tx) => (await tx.rows(OLD_ISSUES, [now])).length)
}
