import { listAudit } from '../audit-store.js'
import type { AccessClient } from '../transaction.js'

/** Audit events of an account; it makes a few a day, and they are kept for 90 days. */
const MAX_EVENTS = 100_000

/**
 * Everything that is stored about an account and may be shown to its owner, as JSON: no hash of a password, key or address, and
 * no seed of a secret. Null for an unknown account.
 */
export async function exportAccount(client: AccessClient, accountId: string) {
  const account = await client.account.findUnique({
    where: { accountId },
    omit: { passwordHash: true },
    include: {
      keys: {
        omit: { digest: true, accountId: true, requestSha256: true },
        orderBy: { createdAt: 'asc' },
      },
      webhooks: {
        omit: { seed: true, previousSeed: true, accountId: true, cursorId: true },
        orderBy: { createdAt: 'asc' },
      },
      sqlCredentials: { omit: { accountId: true }, orderBy: { createdAt: 'asc' } },
      newsletter: { omit: { accountId: true } },
      newsletterMails: { omit: { accountId: true } },
    },
  })
  if (account === null) return null
  const usage = await client.usageDay.findMany({
    where: { accountId },
    omit: { accountId: true },
    orderBy: [{ day: 'asc' }, { keyId: 'asc' }, { operation: 'asc' }],
  })
  const days = usage.map(({ day, units, requests, ...row }) => ({
    day: day.toISOString().slice(0, 10),
    ...row,
    units: Number(units),
    requests: Number(requests),
  }))
  return { ...account, usage: days, audit: await listAudit(client, accountId, MAX_EVENTS) }
}
