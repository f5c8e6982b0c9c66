import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  countSeedsOfOtherPeppers,
  resealWebhookSecrets,
} from '../../../src/domains/webhooks/reseal-secrets.js'
import type { Database } from '../../../src/platform/database/database.js'
import { pepperId } from '../../../src/platform/secrets/peppers.js'
import { createWebhookSignatures } from '../../../src/platform/secrets/webhook-signatures.js'
import { storeWebhook } from '../../support/app/webhook-world.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const [OLD, NEW] = ['the pepper before, 32 characters or more', 'the pepper after, 32 characters or more']
const before = createWebhookSignatures(OLD)
const after = createWebhookSignatures(NEW)
const signatures = createWebhookSignatures(NEW, OLD)
const NOW = new Date('2026-11-20T12:00:00Z')

describe.each(availableDatabases())('secrets of webhooks on %s', (kind) => {
  let database: Database
  const accountId = randomUUID()
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await database.prisma.account.create({ data: { accountId, tier: 'pro', grants: [], createdAt: NOW } })
  })
  afterEach(async () => {
    await database.prisma.webhook.deleteMany()
  })
  afterAll(() => database?.close())

  const bytes = (seed: Uint8Array) => Uint8Array.from(seed)
  const webhook = async (seed: Uint8Array, previous: { seed: Uint8Array; until: Date } | null = null) => {
    const webhookId = await storeWebhook(database, accountId)
    const data = {
      seed: bytes(seed),
      ...(previous && { previousSeed: bytes(previous.seed), previousUntil: previous.until }),
    }
    await database.prisma.webhook.update({ where: { webhookId }, data })
    return webhookId
  }
  const seedsOf = (webhookId: string) =>
    database.prisma.webhook.findUniqueOrThrow({
      where: { webhookId },
      select: { seed: true, previousSeed: true },
    })
  const reseal = (signal = new AbortController().signal) => resealWebhookSecrets(database, signatures, signal)
  const left = () => countSeedsOfOtherPeppers(database, pepperId(NEW), NOW)

  it('move to the new pepper unchanged, with the previous secrets, in several batches, and only once', async () => {
    const until = new Date(NOW.getTime() + 1_000)
    const [plain, own, newer] = [before.newSeed(), before.newSeed(), after.newSeed()]
    const one = await webhook(plain, { seed: own, until })
    const two = await webhook(own)
    const three = await webhook(newer, { seed: plain, until })
    const four = await webhook(newer)
    for (let at = 0; at < 230; at += 1) await webhook(before.newSeed())
    expect(await left()).toBe(233)
    expect(await reseal()).toBe(233)
    expect(await reseal()).toBe(0)
    expect(await left()).toBe(0)
    const secretsOf = async (id: string) => {
      const { seed, previousSeed } = await seedsOf(id)
      return [after.secretOf(seed), previousSeed && after.secretOf(previousSeed)]
    }
    expect(await secretsOf(one)).toEqual([before.secretOf(plain), before.secretOf(own)])
    expect(await secretsOf(two)).toEqual([before.secretOf(own), null])
    expect(await secretsOf(three)).toEqual([after.secretOf(newer), before.secretOf(plain)])
    expect((await seedsOf(four)).seed).toEqual(bytes(newer))
  })

  it('need the old pepper no longer when only a previous secret that has ended has it', async () => {
    await webhook(after.newSeed(), { seed: before.newSeed(), until: NOW })
    expect(await left()).toBe(0)
  })

  it('are not moved after an interruption', async () => {
    await webhook(before.newSeed())
    await expect(reseal(AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted')
    expect(await left()).toBe(1)
  })

  it('that no accepted pepper opens stay, and are counted', async () => {
    const lost = createWebhookSignatures('a third pepper, of 32 characters or more').newSeed()
    const [stays, moves] = [await webhook(lost), await webhook(before.newSeed())]
    expect([await reseal(), await left()]).toEqual([1, 1])
    expect((await seedsOf(stays)).seed).toEqual(bytes(lost))
    expect((await seedsOf(moves)).seed).not.toEqual(bytes(lost))
  })

  it.runIf(kind === 'postgres')('that a transaction changes keep what it wrote', async () => {
    const held = await webhook(before.newSeed())
    const rotated = signatures.newSeed()
    let work: ReturnType<typeof reseal> | undefined
    await database.transaction(async (tx) => {
      await tx.rows('update webhook set seed = $2 where webhook_id = $1::uuid', [held, rotated])
      work = reseal()
      await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
    })
    expect(await work).toBe(0)
    expect((await seedsOf(held)).seed).toEqual(bytes(rotated))
  })

  /** Statements that wait for a lock. */
  async function waiting(): Promise<number | undefined> {
    const [row] = await database.rows<{ n: number }>(
      `select count(*)::int4 as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return row?.n
  }
})
