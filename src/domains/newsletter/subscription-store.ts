import type { NewsletterSubscription } from '../../generated/prisma/client.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'

/** Prisma's client, outside or inside a transaction. */
type Client = PrismaModels

export function findSubscription(client: Client, accountId: string): Promise<NewsletterSubscription | null> {
  return client.newsletterSubscription.findUnique({ where: { accountId } })
}

/** Stores a request for the newsletter, in place of one that has ended; answers what is stored. */
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

/** Notes that the mail that asks for the confirmation of this very request was sent. */
export async function noteConfirmSent(
  client: Client,
  accountId: string,
  { requestedAt, sentAt }: { readonly requestedAt: Date; readonly sentAt: Date },
): Promise<void> {
  const where = { accountId, requestedAt }
  await client.newsletterSubscription.updateMany({ where, data: { confirmSentAt: sentAt } })
}

/** Confirms this very request; false where it is confirmed already, has ended or was asked for again. */
export async function confirmRequest(
  tx: Client,
  accountId: string,
  { requestedAt, confirmedAt }: { readonly requestedAt: Date; readonly confirmedAt: Date },
): Promise<boolean> {
  const where = { accountId, requestedAt, confirmedAt: null, endedAt: null }
  const { count } = await tx.newsletterSubscription.updateMany({ where, data: { confirmedAt } })
  return count === 1
}

/** Ends a subscription or a request; false where there is none that has not ended. */
export async function endSubscription(
  tx: Client,
  accountId: string,
  { endedAt, endReason }: { readonly endedAt: Date; readonly endReason: 'unsubscribed' },
): Promise<boolean> {
  const where = { accountId, endedAt: null }
  const { count } = await tx.newsletterSubscription.updateMany({ where, data: { endedAt, endReason } })
  return count === 1
}

/** Accounts that an issue is for: confirmed, not ended, not deleted. */
export function countSubscribers(client: Client): Promise<number> {
  return client.newsletterSubscription.count({
    where: { confirmedAt: { not: null }, endedAt: null, account: { email: { not: null }, deletedAt: null } },
  })
}
