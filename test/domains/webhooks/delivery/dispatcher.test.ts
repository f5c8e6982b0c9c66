import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../../src/core/time.js'
import { removeActionChanges } from '../../../../src/domains/stocks/changes/change-record-store.js'
import { WEBHOOK_SHARDS, WEBHOOK_WORK } from '../../../../src/domains/webhooks/conditions.js'
import {
  deleteOldDeliveries,
  settleEventDelivery,
} from '../../../../src/domains/webhooks/delivery/delivery-store.js'
import {
  type Dispatcher,
  startDispatcher,
  WINDOW,
} from '../../../../src/domains/webhooks/delivery/dispatcher.js'
import type { DeliveryRules } from '../../../../src/domains/webhooks/model.js'
import { reviveDead } from '../../../../src/domains/webhooks/webhook-store.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { bumpDataset } from '../../../../src/platform/database/versions/bump-dataset.js'
import { createWebhookSignatures } from '../../../../src/platform/secrets/webhook-signatures.js'
import {
  addChanges,
  changesAfter,
  faultsOfDelivery,
  storeWebhook,
} from '../../../support/app/webhook-world.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { heldShards, storeHeldShards } from '../../../support/outbox/held-shards.js'
import {
  RECEIVER_CERTIFICATE,
  startReceiver,
  type WebhookReceiver,
} from '../../../support/peers/webhook-receiver.js'
import { writeAssets } from '../../analysis/analysis-world.js'
import { action, landActions } from '../../stocks/changes/action-world.js'

const CA = readFileSync(RECEIVER_CERTIFICATE, 'utf8')
const RULES: DeliveryRules = { attempts: 3, firstRetryMs: 20, timeoutMs: 1_000 }
const signatures = createWebhookSignatures('a pepper for tests, 32 characters or more')

describe.each(availableDatabases())('the dispatcher on %s', (kind) => {
  let database: Database
  let receiver: WebhookReceiver
  let accountId: string
  const dispatchers: Dispatcher[] = []
  const results: string[] = []
  /** Looks that dispatchers have begun. */
  let looks = 0
  const log = { info: () => {}, warn: () => {}, error: () => {} }

  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await writeAssets(database, 8)
    const now = new Date()
    const state = { source: 'seed', isDevDataset: true, observedAt: now, changedAt: now }
    await database.transaction((tx) => bumpDataset(tx, { dataset: 'analysis', ...state }))
  })
  afterAll(() => database?.close())
  beforeEach(async () => {
    results.length = 0
    await database.script(
      `truncate webhook_delivery, webhook, api_key, account, analysis_change, corporate_action_change, corporate_action cascade`,
    )
    await lease(1)
    accountId = await newAccount('growth')
  })
  afterEach(async () => {
    const stopped = Promise.all(dispatchers.splice(0).map((dispatcher) => dispatcher.stop()))
    await receiver?.close() // what hangs there would be waited for
    await stopped
  })

  const lease = (term: number) => storeHeldShards(database, WEBHOOK_WORK, WEBHOOK_SHARDS, term)

  async function newAccount(tier: string): Promise<string> {
    const id = randomUUID()
    await database.rows(
      `insert into account (account_id, tier, grants, created_at) values ($1::uuid, $2, '{}', now())`,
      [id, tier],
    )
    return id
  }

  /** A webhook of an account that gets all changes there are. */
  async function hook(path: string, owner = accountId, keyId: string | null = null): Promise<string> {
    const id = await storeWebhook(database, owner, randomUUID(), `${receiver.url}${path}`)
    await database.prisma.webhook.update({ where: { webhookId: id }, data: { cursorAt: new Date(0), keyId } })
    return id
  }

  function start(rules: Partial<DeliveryRules> = {}, term = 1, on: Database = database): Dispatcher {
    const dispatcher = startDispatcher({
      database: on,
      clock: systemClock,
      log,
      webhooks: { signatures, rules: { ...RULES, ...rules }, privateHosts: new Set(), localHosts: new Set() },
      leases: heldShards(WEBHOOK_SHARDS, term, () => {
        looks += 1
      }),
      ...{ queueMs: 50, idleMs: 50 },
      onResult: (result) => void results.push(result),
      guard: { ca: CA, isAllowed: () => true },
    })
    dispatchers.push(dispatcher)
    return dispatcher
  }

  /** Waits until dispatchers have looked twice more, from the beginning to the end. */
  async function lookedTwice(): Promise<void> {
    const wanted = looks + 3
    await vi.waitFor(() => expect(looks).toBeGreaterThanOrEqual(wanted), { timeout: 20_000, interval: 10 })
  }

  const row = (webhookId: string) => database.prisma.webhook.findUniqueOrThrow({ where: { webhookId } })
  const count = (webhookId: string, state: string) =>
    database.prisma.webhookDelivery.count({ where: { webhookId, state } })
  const until = (what: () => Promise<unknown>, wanted: unknown) =>
    vi.waitFor(async () => expect(await what()).toEqual(wanted), { timeout: 20_000, interval: 30 })

  it('delivers every change in order per asset; a failure delays its own asset only', async () => {
    let failing = ''
    receiver = await startReceiver(({ id }, response, accept) =>
      id === failing ? void response.writeHead(500).end() : accept(),
    )
    await addChanges(database, 24, 4)
    const changes = await changesAfter(database, 0)
    failing = changes[0]?.eventId ?? ''
    const id = await hook('/a')
    start({ attempts: 20, firstRetryMs: 200 })
    await until(() => count(id, 'delivered'), 18)
    const held = changes
      .filter(({ assetId }) => assetId === changes[0]?.assetId)
      .map(({ eventId }) => eventId)
    const came = new Set(receiver.events.map((event) => event.id))
    expect(held.filter((eventId) => came.has(eventId))).toEqual([failing])
    failing = ''
    await until(() => count(id, 'delivered'), 24)
    expect(faultsOfDelivery(changes, receiver.events)).toEqual([])
  })

  it('stores four answers at once, so that others do not wait for a connection until its time limit', async () => {
    receiver = await startReceiver()
    await addChanges(database, 16, 8)
    const ids = [await hook('/a'), await hook('/b')]
    let storing = 0
    let most = 0
    const slow: Database = {
      ...database,
      rows: async (text, ...rest) => {
        if (!text.includes('settled_at = case when $5')) return database.rows(text, ...rest)
        storing += 1
        most = Math.max(most, storing)
        await new Promise((resolve) => setTimeout(resolve, 50))
        return database.rows(text, ...rest).finally(() => {
          storing -= 1
        })
      },
    }
    start({}, 1, slow)
    for (const id of ids) await until(() => count(id, 'delivered'), 16)
    expect(most).toBe(4)
    expect(results).toEqual(Array(32).fill('delivered'))
  })

  it('gives an event up after its attempts, continues with its asset, and sends it no more', async () => {
    let failing = ''
    receiver = await startReceiver(({ id }, response, accept) =>
      id === failing ? void response.writeHead(500).end() : accept(),
    )
    await addChanges(database, 3, 1)
    failing = (await changesAfter(database, 0))[1]?.eventId ?? ''
    const id = await hook('/a')
    start()
    await until(() => count(id, 'delivered'), 2)
    expect(await count(id, 'dead')).toBe(1)
    expect(receiver.events.filter((event) => event.id === failing)).toHaveLength(RULES.attempts)
    expect(results.toSorted()).toEqual(['dead', 'delivered', 'delivered', 'failed', 'failed'])
    expect(await row(id)).toMatchObject({ state: 'active', failuresInRow: 0, lastError: 'status 500' })
  })

  it('sends to others at once while a receiver hangs, and limits the attempts of that one', async () => {
    receiver = await startReceiver(({ path }, _response, accept) =>
      path === '/hangs' ? undefined : accept(),
    )
    await addChanges(database, 40, 8)
    const slow = await hook('/hangs')
    const quick = await hook('/quick', await newAccount('growth'))
    start({ timeoutMs: 30_000 })
    await until(() => count(quick, 'delivered'), 40)
    expect(await count(slow, 'delivered')).toBe(0)
    expect(receiver.mostAtOnce.get('/hangs')).toBe(4)
  })

  it('sends nothing once the account or the key has lost the scope, and says why', async () => {
    receiver = await startReceiver()
    await addChanges(database, 2)
    const [free, ended] = [await newAccount('free'), await newAccount('growth')]
    const keyId = randomUUID()
    await database.rows(
      `insert into api_key (key_id, account_id, digest, key_prefix, label, scopes, created_at, revoked_at)
       values ($1::uuid, $2::uuid, decode(repeat('01', 32), 'hex'), 'x', 'x', '{}', now(), now())`,
      [keyId, ended],
    )
    const lost = [await hook('/free', free), await hook('/revoked', ended, keyId)]
    const good = await hook('/good')
    start()
    await until(() => count(good, 'delivered'), 2)
    for (const id of lost)
      expect(await row(id)).toMatchObject({ state: 'disabled', disabledReason: 'access_lost' })
    expect(new Set(receiver.events.map(({ path }) => path))).toEqual(new Set(['/good']))
  })

  it('disables the webhooks that a lower tier does not include', async () => {
    receiver = await startReceiver()
    const owner = await newAccount('starter')
    const [first, second] = [await hook('/1', owner), await hook('/2', owner)]
    await database.prisma.webhook.update({ where: { webhookId: second }, data: { createdAt: new Date() } })
    start()
    await until(async () => (await row(second)).disabledReason, 'over_limit')
    expect((await row(first)).state).toBe('active')
  })

  it('is disabled by a 410, and after three days without a delivery', async () => {
    receiver = await startReceiver(
      ({ path }, response) => void response.writeHead(path === '/gone' ? 410 : 500).end(),
    )
    await addChanges(database, 1)
    const [gone, dead] = [await hook('/gone'), await hook('/dead')]
    const failingSince = new Date(Date.now() - 4 * 86_400_000)
    await database.prisma.webhook.update({ where: { webhookId: dead }, data: { failingSince } })
    start()
    await until(
      async () => [(await row(gone)).disabledReason, (await row(dead)).disabledReason],
      ['gone', 'failing'],
    )
    // What was not delivered is still there for a resumed webhook.
    expect(await count(gone, 'pending')).toBe(1)
  })

  it('pauses all events as long as a 429 asks for', async () => {
    let answered = 0
    receiver = await startReceiver((_event, response, accept) => {
      answered += 1
      if (answered === 1) response.writeHead(429, { 'retry-after': '1' }).end()
      else accept()
    })
    await addChanges(database, 1)
    const id = await hook('/a')
    start()
    await until(() => count(id, 'delivered'), 1)
    const [first, second] = receiver.events
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(950)
    expect(second?.body).toBe(first?.body)
  })

  it('continues after another process was killed, whose late result changes nothing', async () => {
    receiver = await startReceiver()
    await addChanges(database, 1)
    const id = await hook('/a')
    const [change] = await changesAfter(database, 0)
    const diffId = change?.diffId ?? 0
    const first = start()
    await until(() => count(id, 'delivered'), 1)
    await first.stop()
    await database.rows(
      `update webhook_delivery set state = 'open', term = 1, settled_at = null, opened_at = now()`,
    )
    await lease(2)
    start({}, 2)
    await until(() => count(id, 'delivered'), 1)
    expect(receiver.events.map((event) => event.id)).toEqual([change?.eventId, change?.eventId])
    const late = { webhookId: id, diffId, attempts: 1, term: 1, url: '', seeds: [], failuresInRow: 0 }
    const end = {
      state: 'dead',
      at: new Date(),
      nextAttemptAt: null,
      status: 500,
      error: 'x',
      holdUntil: null,
      isGone: false,
    } as const
    expect(await settleEventDelivery(database, late, end)).toBeNull()
  })

  it('writes nothing while another process has the lease', async () => {
    receiver = await startReceiver()
    await addChanges(database, 1)
    await hook('/a')
    await lease(2)
    start({}, 1)
    await lookedTwice()
    expect(receiver.events).toEqual([])
    expect(await database.prisma.webhookDelivery.count()).toBe(0)
  })

  it('queues a window of events and keeps the rest, which a paused webhook gets later', async () => {
    let isOpen = false
    receiver = await startReceiver((_event, response, accept) =>
      isOpen ? accept() : void response.writeHead(500).end(),
    )
    await addChanges(database, WINDOW + 10)
    const id = await hook('/a')
    start({ attempts: 20, firstRetryMs: 10 })
    await until(() => count(id, 'pending'), WINDOW)
    await database.prisma.webhook.update({ where: { webhookId: id }, data: { state: 'paused' } })
    isOpen = true
    await lookedTwice()
    expect(await count(id, 'delivered')).toBeLessThan(10)
    await database.prisma.webhook.update({
      where: { webhookId: id },
      data: { state: 'active', notBefore: new Date() },
    })
    await database.rows(`update webhook_delivery set next_attempt_at = now() where state = 'pending'`)
    await vi.waitFor(async () => expect(await count(id, 'delivered')).toBe(WINDOW + 10), {
      timeout: 30_000,
      interval: 100,
    })
    expect(faultsOfDelivery(await changesAfter(database, 0), receiver.events)).toEqual([])
  }, 120_000)

  it('sends the changes that match its filter after its cursor only', async () => {
    receiver = await startReceiver()
    await addChanges(database, 8, 4)
    const changes = await changesAfter(database, 0)
    const assetId = changes[0]?.assetId ?? 0
    const id = await hook('/a')
    await database.prisma.webhook.update({ where: { webhookId: id }, data: { assetIds: [assetId] } })
    start()
    const wanted = changes.filter((event) => event.assetId === assetId).map(({ eventId }) => eventId)
    await until(() => count(id, 'delivered'), wanted.length)
    expect(receiver.events.map((event) => event.id)).toEqual(wanted)
    expect(Number((await row(id)).cursorId)).toBe(changes.at(-1)?.diffId)
  })

  describe('changes of corporate actions', () => {
    interface Body {
      readonly id: string
      readonly type: string
      readonly cursor: string
      readonly data: { readonly asset_id: string; readonly change_id: string; readonly after: object | null }
    }
    const bodies = () => receiver.events.map(({ body }) => JSON.parse(body) as Body)
    const typed = (webhookId: string, eventTypes: string[], more: object = {}) =>
      database.prisma.webhook.update({ where: { webhookId }, data: { eventTypes, ...more } })
    const ACTIONS = ['corporate_action.created', 'corporate_action.revised']

    it('are sent in one order with those of analyses, with their items as data', async () => {
      receiver = await startReceiver()
      const id = await hook('/a')
      await typed(id, ['ai_analysis.change', ...ACTIONS])
      await addChanges(database, 2, 1)
      await landActions(database, [action()], new Date())
      await addChanges(database, 1, 1)
      await landActions(database, [action({ ratio: '5' as never })], new Date())
      await landActions(database, [action({}, true)], new Date())
      start()
      await until(() => count(id, 'delivered'), 6)
      // All are of one asset, so they come one after another.
      expect(bodies().map(({ type }) => type)).toEqual([
        ...['ai_analysis.change', 'ai_analysis.change', 'corporate_action.created', 'ai_analysis.change'],
        ...['corporate_action.revised', 'corporate_action.revised'],
      ])
      const stored = await database.prisma.corporateActionChange.findMany({ orderBy: { diffId: 'asc' } })
      const sent = bodies().filter(({ type }) => type !== 'ai_analysis.change')
      expect(sent.map((event) => event.id)).toEqual(stored.map(({ changeId }) => `change_${changeId}`))
      expect(sent.map(({ data }) => [data.change_id, data.asset_id, data.after])).toEqual([
        [stored[0]?.changeId, 'bitcoin', expect.objectContaining({ ratio: 4 })],
        [stored[1]?.changeId, 'bitcoin', expect.objectContaining({ ratio: 5 })],
        [stored[2]?.changeId, 'bitcoin', null],
      ])
    })

    it('are sent only to webhooks with their type and asset', async () => {
      receiver = await startReceiver()
      const [plain, revised, ofTwo] = [await hook('/plain'), await hook('/revised'), await hook('/two')]
      await typed(revised, ['corporate_action.revised'])
      await typed(ofTwo, ACTIONS, { assetIds: [2] })
      await addChanges(database, 1)
      await landActions(database, [action(), action({ assetId: 2 })], new Date())
      await landActions(database, [action({ ratio: '5' as never })], new Date())
      start()
      await until(() => count(plain, 'delivered'), 1)
      await until(() => count(revised, 'delivered'), 1)
      await until(() => count(ofTwo, 'delivered'), 1)
      await lookedTwice()
      const came = receiver.events.map(({ path, body }) => `${path} ${(JSON.parse(body) as Body).type}`)
      expect(came.sort()).toEqual([
        '/plain ai_analysis.change',
        '/revised corporate_action.revised',
        '/two corporate_action.created',
      ])
      const newest = await database.prisma.corporateActionChange.findFirst({ orderBy: { diffId: 'desc' } })
      expect((await row(plain)).cursorId).toBe(newest?.diffId)
    })

    it('are sent again, with the same id and body, when the process was killed before the answer was stored', async () => {
      receiver = await startReceiver()
      const id = await hook('/a')
      await typed(id, ACTIONS)
      await landActions(database, [action()], new Date())
      start()
      await until(() => count(id, 'delivered'), 1)
      await Promise.all(dispatchers.splice(0).map((dispatcher) => dispatcher.stop()))
      // As the process left it that was killed during the attempt; another action was committed after it.
      const data = { state: 'open', settledAt: null, term: 1n, openedAt: new Date() }
      await database.prisma.webhookDelivery.updateMany({ where: { webhookId: id }, data })
      await landActions(database, [action({ ratio: '5' as never })], new Date())
      await lease(2)
      start({}, 2)
      await until(() => count(id, 'delivered'), 2)
      const [first, second, third] = bodies()
      expect(second).toEqual(first)
      expect(third).toMatchObject({ type: 'corporate_action.revised' })
      expect(receiver.events).toHaveLength(3)
    })

    it('are not sent without the scope that reads them: the webhook is disabled and continues when it is resumed', async () => {
      receiver = await startReceiver()
      const keyId = randomUUID()
      const scopes = async (...held: string[]) =>
        database.prisma.apiKey.update({ where: { keyId }, data: { scopes: held, isNarrowed: true } })
      await database.rows(
        `insert into api_key (key_id, account_id, digest, key_prefix, label, scopes, is_narrowed, created_at)
         values ($1::uuid, $2::uuid, $3::bytea, 'mdg_x', 'a', '{}', true, now())`,
        [keyId, accountId, randomBytes(32)],
      )
      await scopes('ai:read')
      const id = await hook('/a', accountId, keyId)
      await typed(id, ['ai_analysis.change', ...ACTIONS])
      await addChanges(database, 1)
      await landActions(database, [action()], new Date())
      start()
      await until(async () => (await row(id)).disabledReason, 'access_lost')
      await lookedTwice()
      expect(receiver.events).toEqual([])
      await scopes('ai:read', 'instruments:read')
      await database.prisma.webhook.update({
        where: { webhookId: id },
        data: { state: 'active', disabledReason: null },
      })
      await until(() => count(id, 'delivered'), 2)
    })

    it('become dead letters and are replayed like others', async () => {
      let isDown = true
      receiver = await startReceiver((_request, response, accept) =>
        isDown ? void response.writeHead(500).end() : accept(),
      )
      const id = await hook('/a')
      await typed(id, ACTIONS)
      await landActions(database, [action()], new Date())
      start()
      await until(() => count(id, 'dead'), 1)
      isDown = false
      await database.transaction((tx) => reviveDead(tx.prisma, id, { now: new Date(), limit: 10 }))
      await until(() => count(id, 'delivered'), 1)
    })

    it('that were synthetic go with their events when live ones replace them', async () => {
      receiver = await startReceiver()
      const id = await hook('/a')
      await typed(id, ACTIONS)
      await landActions(database, [action()], new Date())
      await database.rows("update corporate_action_change set source = 'seed'")
      start()
      await until(() => count(id, 'delivered'), 1)
      await database.transaction((tx) => removeActionChanges(tx, 'corporate_actions', 'seed'))
      expect(await count(id, 'delivered')).toBe(0)
    })
  })

  it('keeps delivered events for 3 days and dead letters for 30', async () => {
    receiver = await startReceiver()
    const id = await hook('/a')
    const now = new Date()
    const aged = [
      ['delivered', 2],
      ['delivered', 4],
      ['dead', 29],
      ['dead', 31],
    ] as const
    await addChanges(database, aged.length)
    const ids = (await changesAfter(database, 0)).map(({ diffId }) => diffId)
    for (const [at, [state, days]] of aged.entries()) {
      const settledAt = new Date(now.getTime() - days * 86_400_000)
      const data = { webhookId: id, diffId: BigInt(ids[at] ?? 0), assetId: 1, state, settledAt }
      await database.prisma.webhookDelivery.create({
        data: { ...data, computedAt: settledAt, nextAttemptAt: settledAt },
      })
    }
    expect(await deleteOldDeliveries(database, now)).toBe(2)
    const left = await database.prisma.webhookDelivery.findMany({
      orderBy: { diffId: 'asc' },
      select: { diffId: true },
    })
    expect(left.map(({ diffId }) => Number(diffId))).toEqual([ids[0], ids[2]])
  })
})
