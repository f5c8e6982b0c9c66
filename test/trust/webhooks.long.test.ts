import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { ACCESS_PARTS } from '../../src/access.js'
import { systemClock } from '../../src/core/time.js'
import { createAccountWithKey } from '../../src/domains/access/operator.js'
import { createAccess } from '../../src/domains/access/service.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { ask, cleanUp, type Gateway, START_MS, seededDataDir, startGateway } from '../process/gateway.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { addChanges, changesAfter, faultsOfDelivery, newestChangeId } from '../support/app/webhook-world.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { amountOf, noteFigures, randomOf } from '../support/figures.js'
import {
  isSignedBy,
  RECEIVER_CERTIFICATE,
  type ReceivedEvent,
  type ReceiverRule,
  startReceiver,
  type WebhookReceiver,
} from '../support/peers/webhook-receiver.js'

// Events go to a receiver that fails in each way at random, from gateways that are killed at random moments; then each event
// must have been delivered, and none before an earlier one of its asset.

/** Deliveries of the two webhooks together on PostgreSQL; `npm run trust` makes 1,000. */
const EVENTS = amountOf('WEBHOOK_EVENTS', 120)
const KILLS = amountOf('WEBHOOK_KILLS', 1)

/** Another one with each run; the name of the tests has it. */
const SEED = amountOf('SEED', (Date.now() % 2 ** 31) + 1)

/** Without an answer for so long an attempt has failed. */
const TIMEOUT_MS = 1_000

/** From the last kill to the last delivery: a lease that nobody released, and the longest retries. */
const DELIVERED_MS = 180_000

const TEST_MS = 2 * START_MS + KILLS * 60_000 + DELIVERED_MS

/** What the receiver does in place of taking an event, and how often of a hundred. */
const FAULTS = [
  ['500', 8],
  ['reset', 5],
  ['hang', 2],
  ['slow', 6],
  ['429', 2],
  ['taken, then reset', 4],
  ['redirect', 1],
] as const
type Fault = (typeof FAULTS)[number][0]

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await cleanUp()
  for (const close of closing.splice(0).reverse()) await close()
})
afterAll(cleanUp)

const isTest = ({ id }: Pick<ReceivedEvent, 'id'>) => id.startsWith('test_')

/** A rule that fails at random, and how often it did. */
function faultyRule(random: () => number): {
  readonly rule: ReceiverRule
  readonly faults: Map<Fault, number>
} {
  const faults = new Map<Fault, number>()
  const next = (): Fault | null => {
    let left = 100 * random()
    for (const [fault, share] of FAULTS) {
      left -= share
      if (left < 0) return fault
    }
    return null
  }
  const rule: ReceiverRule = async (event, response, accept) => {
    if (isTest(event)) return accept()
    const fault = next()
    if (fault !== null) faults.set(fault, (faults.get(fault) ?? 0) + 1)
    switch (fault) {
      case '500':
        return void response.writeHead(500).end('no')
      case 'reset':
      case 'taken, then reset':
        return void response.destroy()
      case 'hang':
        return
      case '429':
        return void response.writeHead(429, { 'retry-after': '1' }).end()
      case 'redirect':
        return void response.writeHead(302, { location: 'https://localhost:1/' }).end()
      case 'slow':
        await sleep(300)
    }
    accept()
  }
  return { rule, faults }
}

const ENV = {
  ...OWN_SECRETS,
  NODE_EXTRA_CA_CERTS: RECEIVER_CERTIFICATE,
  WEBHOOK_PRIVATE_HOSTS: 'localhost',
  WEBHOOK_FIRST_RETRY_MS: '10',
  WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
  WEBHOOK_ATTEMPTS: '20',
}

/** A key of tier growth, in a database that no gateway has open just now. */
async function prepared(database: Database): Promise<string> {
  const options = { database, clock: systemClock, log: { warn: () => {} }, mode: 'test' } as const
  const secrets = { pepper: OWN_SECRETS.KEY_PEPPER, tokenKeys: OWN_SECRETS.JWT_KEYS }
  const access = createAccess({ ...options, ...secrets, ...ACCESS_PARTS })
  const { raw_key } = await createAccountWithKey(access, { tier: 'growth', label: 'subscriber' })
  await access.close()
  return raw_key
}

interface Subscribed {
  readonly id: string
  readonly path: string
  readonly secret: string
}

async function subscribe({ url }: Gateway, key: string, receiver: WebhookReceiver, path: string) {
  const { status, body } = await ask<{ webhook: { webhook_id: string }; secret: string }>(
    `${url}/v1/webhooks`,
    key,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url + path }),
    },
  )
  expect([status, body]).toMatchObject([201, { secret: expect.stringMatching(/^whsec_/) }])
  const id = body.webhook.webhook_id
  const tested = await ask(`${url}/v1/webhooks/${id}/test`, key, { method: 'POST' })
  expect([tested.status, tested.body]).toMatchObject([200, { delivered: true, status: 204, error: null }])
  return { id, path, secret: body.secret }
}

/** Waits until nothing is to be delivered any more to a webhook whose cursor has reached the end. */
async function untilDelivered(
  gateway: () => Gateway,
  key: string,
  hooks: readonly Subscribed[],
  cursor: string,
) {
  const endsAt = performance.now() + DELIVERED_MS
  for (;;) {
    const { body } = await ask<{ webhooks: readonly { pending: number; cursor: string | null }[] }>(
      `${gateway().url}/v1/webhooks`,
      key,
    )
    if (body.webhooks.filter((hook) => hook.pending === 0 && hook.cursor === cursor).length === hooks.length)
      return
    if (performance.now() > endsAt) throw new Error(`not delivered: ${JSON.stringify(body)}`)
    await sleep(100)
  }
}

async function newestCursor(database: Database): Promise<string> {
  const [row] = await database.rows<{ at: Date; id: number }>(
    'select computed_at as at, diff_id as id from analysis_change order by computed_at desc, diff_id desc limit 1',
  )
  return Buffer.from(JSON.stringify([row?.at.toISOString(), row?.id])).toString('base64url')
}

interface Judged {
  readonly database: Database
  readonly receiver: WebhookReceiver
  readonly hooks: readonly Subscribed[]
  readonly after: number
}

/** One sentence for each event that was lost, out of order, or not signed, and for each that is not stored as delivered. */
async function judge({ database, receiver, hooks, after }: Judged): Promise<readonly string[]> {
  const feed = await changesAfter(database, after)
  const faults = hooks.flatMap(({ path, secret }) => {
    const received = receiver.events.filter((event) => event.path === path)
    const unsigned = received.filter((event) => !isSignedBy(event, secret))
    return [
      ...faultsOfDelivery(
        feed,
        received.filter((event) => !isTest(event)),
      ),
      ...unsigned.map(({ id }) => `${id} is not signed by the secret of its webhook`),
    ]
  })
  const stored = await database.rows<{ state: string; count: number }>(
    'select state, count(*)::int as count from webhook_delivery group by state',
  )
  const isAll = stored.length === 1 && stored[0]?.state === 'delivered'
  const count = stored[0]?.count ?? 0
  const isStored = isAll && count === feed.length * hooks.length
  return isStored ? faults : [...faults, `stored are ${JSON.stringify(stored)} of ${feed.length} each`]
}

function note(
  part: string,
  receiver: WebhookReceiver,
  faults: ReadonlyMap<Fault, number>,
  more: object,
  findings: readonly string[],
) {
  const accepted = receiver.events.filter((event) => event.acceptedAtMs !== null && !isTest(event))
  const events = new Set(accepted.map(({ id, path }) => `${path} ${id}`)).size
  const done = {
    events,
    requests: receiver.events.length,
    repeated: accepted.length - events,
    faults: [...faults.values()].reduce((a, b) => a + b, 0),
    ...more,
  }
  noteFigures({ part, done, findings })
  process.stdout.write(`${part}: ${JSON.stringify(done)}, ${findings.length} findings\n`)
}

describe.skipIf(!availableDatabases().includes('postgres'))(`webhooks of two nodes (seed ${SEED})`, () => {
  it(
    'deliver each event and none out of order, to a receiver that fails, while nodes are killed',
    async () => {
      const random = randomOf(SEED)
      const url = await copyPostgresWorld('current')
      closing.push(() => dropPostgresDatabase(url))
      const database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
      closing.push(() => database.close())
      const key = await prepared(database)
      const { rule, faults } = faultyRule(random)
      const receiver = await startReceiver(rule)
      closing.push(() => receiver.close())
      const env = { ...ENV, DATABASE_URL: url }
      const nodes = await Promise.all([startGateway(env), startGateway(env)])
      const [first] = nodes
      const after = await newestChangeId(database)
      const hooks = [await subscribe(first, key, receiver, '/a'), await subscribe(first, key, receiver, '/b')]
      let kills = 0
      // Changes come in many commits, while others are delivered.
      const perKill = Math.ceil(EVENTS / 2 / (KILLS + 1))
      for (let added = 0; added < EVENTS / 2; ) {
        const until = Math.min(EVENTS / 2, added + perKill)
        while (added < until) {
          const count = Math.min(until - added, 1 + Math.floor(6 * random()))
          await addChanges(database, count)
          added += count
          await sleep(40 * random())
        }
        if (kills === KILLS) continue
        const before = receiver.events.length
        const wanted = before + 2 + Math.floor(20 * random())
        for (let waited = 0; receiver.events.length < wanted && waited < 10_000; waited += 10) await sleep(10)
        const victim = nodes[random() < 0.5 ? 0 : 1] ?? first
        await victim.stop('SIGKILL')
        kills += 1
        nodes[nodes.indexOf(victim)] = await startGateway(env)
      }
      await untilDelivered(() => nodes[0], key, hooks, await newestCursor(database))
      const findings = await judge({ database, receiver, hooks, after })
      note(`webhooks of two nodes (seed ${SEED})`, receiver, faults, { kills }, findings)
      expect(findings).toEqual([])
      expect(kills).toBe(KILLS)
    },
    TEST_MS,
  )
})

describe(`webhooks of a gateway on the embedded database (seed ${SEED})`, () => {
  it(
    'deliver each event and none out of order, to a receiver that fails, while it is killed',
    async () => {
      const random = randomOf(SEED + 1)
      const events = Math.ceil(EVENTS / 4)
      const dataDir = await seededDataDir()
      const opened = () => openDatabase({ kind: 'embedded', directory: dataDir })
      const inDatabase = async <T>(work: (database: Database) => Promise<T>) => {
        const database = await opened()
        return work(database).finally(() => database.close())
      }
      const key = await inDatabase(prepared)
      const { rule, faults } = faultyRule(random)
      const receiver = await startReceiver(rule)
      closing.push(() => receiver.close())
      const env = { ...ENV, DATA_DIR: dataDir }
      let gateway = await startGateway(env)
      const hooks = [await subscribe(gateway, key, receiver, '/c')]
      await gateway.stop('SIGTERM')
      const [after, cursor] = await inDatabase(async (database) => {
        const newest = await newestChangeId(database)
        await addChanges(database, events)
        return [newest, await newestCursor(database)] as const
      })
      gateway = await startGateway(env)
      let kills = 0
      for (; kills < Math.ceil(KILLS / 3); kills += 1) {
        const wanted = receiver.events.length + 2 + Math.floor(random() * 10)
        for (let waited = 0; receiver.events.length < wanted && waited < 10_000; waited += 10) await sleep(10)
        await gateway.stop('SIGKILL')
        gateway = await startGateway(env)
      }
      await untilDelivered(() => gateway, key, hooks, cursor)
      await gateway.stop('SIGTERM')
      const findings = await inDatabase((database) => judge({ database, receiver, hooks, after }))
      note(`webhooks on the embedded database (seed ${SEED})`, receiver, faults, { kills }, findings)
      expect(findings).toEqual([])
    },
    TEST_MS,
  )
})
