import type { Database, Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import type { WebhookSignatures } from '../../platform/secrets/webhook-signatures.js'

/** Bounds memory. */
const BATCH = 200

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Seals the secrets of webhooks with the current pepper and returns how many webhooks it changed; no secret changes. Where
 * an owner gets a new secret meanwhile, the new one stays. The process may be killed at any time, and the pass run again.
 */
export async function resealWebhookSecrets(
  { prisma }: Pick<Database, 'prisma'>,
  { reseal }: Pick<WebhookSignatures, 'reseal'>,
  signal: AbortSignal,
): Promise<number> {
  const resealed = (seed: Uint8Array | null) => seed && reseal(seed)
  let [changed, after] = [0, BEFORE_ALL]
  for (;;) {
    const webhooks = await prisma.webhook.findMany({
      where: { webhookId: { gt: after } },
      select: { webhookId: true, seed: true, previousSeed: true },
      orderBy: { webhookId: 'asc' },
      take: BATCH,
    })
    if (webhooks.length === 0) return changed
    for (const { webhookId, ...stored } of webhooks) {
      signal.throwIfAborted()
      after = webhookId
      const [seed, previousSeed] = [resealed(stored.seed), resealed(stored.previousSeed)]
      if (seed === null && previousSeed === null) continue
      const { count } = await prisma.webhook.updateMany({
        where: { webhookId, ...stored },
        data: {
          ...(seed && { seed: bytes(seed) }),
          ...(previousSeed && { previousSeed: bytes(previousSeed) }),
        },
      })
      changed += count
    }
  }
}

/** As Prisma takes it. */
function bytes(buffer: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(buffer)
}

// Plain SQL: Prisma has no condition on a part of a column. A seed begins with the id of its pepper.
const COUNT = statement(
  'lacks computed value',
  { webhooks: 'int4' },
  `select count(*)::int as webhooks from webhook
   where substr(seed, 1, 8) <> $1 or (previous_until > $2 and substr(previous_seed, 1, 8) <> $1)`,
)

/** Counts webhooks whose secret needs another pepper than the named one. A previous secret that has ended does not count. */
export async function countSeedsOfOtherPeppers(sql: Sql, pepperId: string, now: Date): Promise<number> {
  const [row] = await sql.rows(COUNT, [Buffer.from(pepperId, 'hex'), now])
  return row?.webhooks ?? 0
}
