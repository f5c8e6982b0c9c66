import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { groupBy } from '../../../../src/core/group-by.js'
import { type Database, openDatabase } from '../../../../src/platform/database/database.js'
import { bumpDataset } from '../../../../src/platform/database/versions/bump-dataset.js'
import {
  addChanges,
  changesAfter,
  faultsOfDelivery,
  storeWebhook,
} from '../../../support/app/webhook-world.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../../support/database/database.js'
import {
  RECEIVER_CERTIFICATE,
  type ReceiverRule,
  startReceiver,
  type WebhookReceiver,
} from '../../../support/peers/webhook-receiver.js'
import { type Child, startChild } from '../../../support/processes/child.js'
import { writeAssets } from '../../analysis/analysis-world.js'

const NODE = resolve(import.meta.dirname, 'children/run-dispatcher.ts')
const LEASE_MS = 1_500
/** Of nodes that stay: a busy machine must not stop them for as long, because their events would be sent again. */
const LASTING_LEASE_MS = 15_000
const ACCOUNTS = 24
const CONCURRENCY = 8

describe.runIf(availableDatabases().includes('postgres'))(
  'webhooks of several nodes on one PostgreSQL',
  { timeout: 300_000 },
  () => {
    let url: string
    let database: Database
    let receiver: WebhookReceiver
    let nodes: Child[]
    let open: number
    let mostOpen: number

    beforeEach(async () => {
      url = await copyPostgresWorld('empty')
      database = await openDatabase({ kind: 'postgres', url, poolSize: 3 })
      await writeAssets(database, 8)
      const now = new Date()
      const state = { source: 'seed', isDevDataset: true, observedAt: now, changedAt: now }
      await database.transaction((tx) => bumpDataset(tx, { dataset: 'analysis', ...state }))
      nodes = []
      open = 0
      mostOpen = 0
    })
    afterEach(async () => {
      await Promise.all(nodes.map((node) => node.kill('SIGKILL')))
      await receiver.close()
      await database.close()
      await dropPostgresDatabase(url)
    })

    /** Starts a receiver that takes that long for each event, and stores one webhook for each account. */
    async function subscribe(takesMs: number, isTaken: () => boolean = () => true): Promise<void> {
      const rule: ReceiverRule = async (_event, response, accept) => {
        open += 1
        mostOpen = Math.max(mostOpen, open)
        await sleep(takesMs)
        open -= 1
        if (isTaken()) accept()
        else response.writeHead(500).end()
      }
      receiver = await startReceiver(rule)
      for (let account = 0; account < ACCOUNTS; account++) {
        const id = randomUUID()
        await database.rows(
          `insert into account (account_id, tier, grants, created_at) values ($1::uuid, 'growth', '{}', now())`,
          [id],
        )
        const webhookId = await storeWebhook(database, id, randomUUID(), `${receiver.url}/${account}`)
        await database.prisma.webhook.update({ where: { webhookId }, data: { cursorAt: new Date(0) } })
      }
    }
    async function start(leaseMs = LEASE_MS): Promise<Child> {
      const node = await startChild(NODE, [url, String(leaseMs), RECEIVER_CERTIFICATE])
      nodes.push(node)
      return node
    }
    const shares = async () => {
      const rows = await database.rows<{ n: number }>(
        'select count(*)::int as n from webhook_shard where expires_at > clock_timestamp() group by node order by 1',
      )
      return rows.map(({ n }) => n)
    }
    async function until(what: () => Promise<unknown>, wanted: unknown): Promise<void> {
      for (let waits = 0; ; waits++) {
        const found = await what()
        if (JSON.stringify(found) === JSON.stringify(wanted)) return
        if (waits > 1_200) throw new Error(`${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
        await sleep(50)
      }
    }
    const countOf = async (state: string) =>
      (await database.rows('select 1 as one from webhook_delivery where state = $1', [state])).length
    /** What was lost or out of order at any webhook. */
    async function faults(): Promise<readonly string[]> {
      const changes = await changesAfter(database, 0)
      return Array.from({ length: ACCOUNTS }, (_, account) =>
        faultsOfDelivery(
          changes,
          receiver.events.filter(({ path }) => path === `/${account}`),
        ),
      ).flat()
    }
    /** Requests for each event beyond the first. */
    function repeats(): ReadonlyMap<string, number> {
      const perEvent = groupBy(receiver.events, ({ path, id }) => `${path} ${id}`)
      return new Map([...perEvent].flatMap(([key, all]) => (all.length > 1 ? [[key, all.length - 1]] : [])))
    }

    it.each([
      [1, [16]],
      [2, [8, 8]],
      [4, [4, 4, 4, 4]],
    ])('of %s nodes get each event once, in order per asset', async (count, wanted) => {
      await subscribe(20)
      for (let node = 0; node < count; node++) await start(LASTING_LEASE_MS)
      await until(shares, wanted)
      for (let commit = 0; commit < 5; commit++) {
        await addChanges(database, 4, 3)
        await sleep(60)
      }
      await until(() => countOf('delivered'), 20 * ACCOUNTS)
      expect(await faults()).toEqual([])
      expect(repeats()).toEqual(new Map())
      // All have the same host, whose limit the nodes divide.
      expect(mostOpen).toBeLessThanOrEqual(8)
    })

    it('lose nothing and keep the order while nodes are killed, frozen, stopped and started', async () => {
      let answers = 0
      await subscribe(20, () => {
        answers += 1
        return answers % 17 !== 0
      })
      for (let node = 0; node < 3; node++) await start()
      const endings = ['kill', 'freeze', 'stop', 'kill', 'freeze', 'freeze'] as const
      let events = 0
      const add = async () => {
        await addChanges(database, 6, 3)
        events += 6
      }
      await until(async () => (await shares()).length, 3)
      for (const [turn, ending] of endings.entries()) {
        await add()
        await sleep(150 + 97 * turn)
        const [victim, ...others] = nodes
        if (victim === undefined) throw new Error('no node is left')
        nodes = others
        if (ending === 'freeze') {
          process.kill(victim.pid, 'SIGSTOP')
          await add()
          await sleep(2 * LEASE_MS)
          process.kill(victim.pid, 'SIGCONT')
          nodes.push(victim)
        } else {
          await victim.kill(ending === 'kill' ? 'SIGKILL' : 'SIGTERM')
          await start()
        }
        await add()
      }
      await until(() => countOf('delivered'), events * ACCOUNTS)
      expect(await faults()).toEqual([])
      // Each request is an attempt, and repeats beyond failures are those of attempts whose answer was not stored.
      const rows = await database.rows<{ attempts: number; path: string; id: string }>(
        `select d.attempts, substring(w.url from '/[0-9]+$') as path, 'change_' || c.to_snapshot_id as id
         from webhook_delivery as d join webhook as w using (webhook_id) join analysis_change as c using (diff_id)`,
      )
      const attempts = new Map(rows.map((row) => [`${row.path} ${row.id}`, row.attempts]))
      const extra = repeats()
      for (const [key, count] of extra) expect([key, count < (attempts.get(key) ?? 0)]).toEqual([key, true])
      const repeated = [...extra.values()].reduce((sum, count) => sum + count, 0)
      const refused = receiver.events.filter(({ acceptedAtMs }) => acceptedAtMs === null).length
      expect(repeated - refused).toBeLessThanOrEqual(5 * CONCURRENCY)
    })

    it('get their events from the others as soon as a node stops', async () => {
      await subscribe(1)
      const first = await start()
      await start()
      await until(shares, [8, 8])
      await first.kill('SIGTERM')
      nodes = nodes.filter((node) => node !== first)
      expect(await shares()).toEqual([8])
      await addChanges(database, 3)
      await until(() => countOf('delivered'), 3 * ACCOUNTS)
      expect([repeats(), await faults()]).toEqual([new Map(), []])
    })
  },
)
