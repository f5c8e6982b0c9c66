import { insertDeliveries, insertIssue } from '../../../src/domains/newsletter/issues/issue-store.js'
import { type IssueContent, LINK_MARKER } from '../../../src/domains/newsletter/model.js'
import type { Database } from '../../../src/platform/database/database.js'

/** An issue as small as one can be. */
export function smallIssue(issueId: string): IssueContent {
  return {
    issueId,
    subject: `Week ${issueId}`,
    html: `<a href="${LINK_MARKER}">Unsubscribe</a>`,
    text: `Unsubscribe: ${LINK_MARKER}`,
    sections: [],
    isDevDataset: true,
  }
}

/** Accounts with these addresses, whose subscriptions are confirmed; answers their ids. */
export async function addSubscribers(
  database: Database,
  emails: readonly string[],
): Promise<readonly string[]> {
  const rows = await database.rows<{ id: string }>(
    `with added as (
       insert into account (account_id, email, tier, grants, created_at)
       select gen_random_uuid(), email, 'free', '{}', now() from unnest($1::text[]) as e(email) returning account_id, email
     ), subscribed as (
       insert into newsletter_subscription (account_id, requested_at, confirmed_at)
       select account_id, now(), now() from added
     )
     select account_id as id from added order by array_position($1::text[], email)`,
    [emails],
  )
  return rows.map(({ id }) => id)
}

/** Addresses with a number in them. */
export function addresses(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `reader${at}@example.org`)
}

/** Begins an issue as the request does. */
export async function beginIssue(database: Database, issueId: string, now: Date): Promise<void> {
  await database.transaction(async ({ prisma: tx }) => {
    const sendBy = new Date(now.getTime() + 3 * 86_400_000)
    await insertIssue(tx, smallIssue(issueId), { generatedAt: now, sendBy })
    await insertDeliveries(tx, issueId, now)
  })
}
