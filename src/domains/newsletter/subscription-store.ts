import type { NewsletterSubscription } from '../../generated/prisma/client.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import type { AccountListener } from '../access/listener-model.js'

/** Prisma's client, outside or inside a transaction. */
type Client = PrismaModels

export const subscriptionOfAccount: AccountListener = {
  async accountDeleted(tx, accountId) {
    // Pending mails check this row before they are sent.
    await tx.newsletterSubscription.deleteMany({ where: { accountId } })
  },
}

export function findSubscription(client: Client, accountId: string): Promise<NewsletterSubscription | null> {
  return client.newsletterSubscription.findUnique({ where: { accountId } })
}

/** Stores a request for the newsletter, replacing an ended one; returns the stored row. */
export function putRequest(
  tx: Client,
  accountId: string,
  requestedAt: Date,
): Promise<NewsletterSubscription> {
  const fresh = { requestedAt, confirmSentAt: null, confirmedAt: null, endedAt: null, endReason: null }
  return tx.newsletterSubscription.upsert({
    where: { accountId },
    create: { accountId, ...fresh },
    update: fresh,
  })
}

/** Records that the confirmation mail of exactly this request was sent. */
export async function noteConfirmSent(
  client: Client,
  accountId: string,
  { requestedAt, sentAt }: { readonly requestedAt: Date; readonly sentAt: Date },
): Promise<void> {
  const where = { accountId, requestedAt }
  await client.newsletterSubscription.updateMany({ where, data: { confirmSentAt: sentAt } })
}

/** Confirms exactly this request; false if it is already confirmed, has ended or was replaced. */
export async function confirmRequest(
  tx: Client,
  accountId: string,
  { requestedAt, confirmedAt }: { readonly requestedAt: Date; readonly confirmedAt: Date },
): Promise<boolean> {
  const where = { accountId, requestedAt, confirmedAt: null, endedAt: null }
  const { count } = await tx.newsletterSubscription.updateMany({ where, data: { confirmedAt } })
  return count === 1
}

/** Ends a subscription or a request; false if none is active. */
export async function endSubscription(
  tx: Client,
  accountId: string,
  { endedAt, endReason }: { readonly endedAt: Date; readonly endReason: 'unsubscribed' },
): Promise<boolean> {
  const where = { accountId, endedAt: null }
  const { count } = await tx.newsletterSubscription.updateMany({ where, data: { endedAt, endReason } })
  return count === 1
}

/** Accounts that get an issue: confirmed, not ended, not deleted. */
export function countSubscribers(client: Client): Promise<number> {
  return client.newsletterSubscription.count({
    where: { confirmedAt: { not: null }, endedAt: null, account: { email: { not: null }, deletedAt: null } },
  })
}
