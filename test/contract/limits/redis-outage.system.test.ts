import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ACCESS_PARTS } from '../../../src/access.js'
import { runAdmin } from '../../../src/commands/admin/run.js'
import { systemClock } from '../../../src/core/time.js'
import type { Access } from '../../../src/domains/access/model.js'
import { createAccountWithKey, setContract } from '../../../src/domains/access/operator.js'
import { createAccess } from '../../../src/domains/access/service.js'
import type { Usage } from '../../../src/domains/usage/model.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { type Node, startNode, waitForTimeInHour } from '../../support/processes/gateway-node.js'
import { mayStartRedis, type SingleRedis, startSingleRedis } from '../../support/redis/redis-server.js'

const QUOTA = 60
/** Units that each node has charged before the outage. */
const BEFORE = 10
const LEFT = QUOTA - 2 * BEFORE
/** Requests to each node that are more than it may admit. */
const TOO_MANY = 5
const LOST_MS = 2_000
const BACK_MS = 10_000

/** Figures of a run, for its log. */
function tell(text: string): void {
  process.stdout.write(`${text}\n`)
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

interface Outage {
  lose(): unknown
  restore(): unknown
  /** Whether Redis has lost its data. */
  readonly isEmptied: boolean
}

interface Answer {
  readonly status: number
  /** Units of the tightest quota that are left. */
  readonly remaining: number
}

async function ask(node: Node, key: string): Promise<Answer> {
  const answer = await fetch(`${node.url}/v1/assets`, { headers: { 'x-api-key': key } })
  await answer.arrayBuffer()
  return { status: answer.status, remaining: Number(answer.headers.get('x-ratelimit-remaining')) }
}

const LANES = 3

/** Both nodes answer three requests at a time until the load is stopped. */
function startLoad(nodes: readonly Node[], key: string) {
  const statuses: Record<number, number> = {}
  const accepted = () => statuses[200] ?? 0
  let isStopped = false
  const lane = async (node: Node) => {
    while (!isStopped) {
      const { status } = await ask(node, key)
      statuses[status] = (statuses[status] ?? 0) + 1
      await sleep(20)
    }
  }
  const lanes = Promise.all(nodes.flatMap((node) => range(LANES).map(() => lane(node))))
  return {
    accepted,
    stop: async () => {
      isStopped = true
      await lanes
      return statuses
    },
  }
}

describe.skipIf(!availableDatabases().includes('postgres') || !mayStartRedis())(
  'two nodes that lose Redis under load',
  { timeout: 120_000 },
  () => {
    let database: Database
    let access: Access
    let redis: SingleRedis
    let env: Readonly<Record<string, string>>
    const nodes: Node[] = []

    beforeAll(async () => {
      database = await openTestDatabase('postgres', 'seeded')
      const [row] = await database.rows<{ name: string }>('select current_database() as name')
      redis = await startSingleRedis()
      env = {
        DATABASE_URL: Object.assign(new URL(inject('postgresUrl') ?? ''), { pathname: `/${row?.name}` }).href,
        DATABASE_POOL_SIZE: '4',
        REDIS_URL: redis.url,
        ...OWN_SECRETS,
      }
      access = createAccess({
        database,
        clock: systemClock,
        log: createLogger('silent'),
        pepper: OWN_SECRETS.KEY_PEPPER,
        tokenKeys: OWN_SECRETS.JWT_KEYS,
        mode: 'test',
        ...ACCESS_PARTS,
      })
      nodes.push(await startNode(env), await startNode(env))
    })

    afterAll(async () => {
      await Promise.all(nodes.map(({ child }) => child.kill('SIGTERM')))
      await access?.close()
      await database?.close()
      await redis?.close()
    })

    async function newKey(quota: number): Promise<string> {
      const made = await createAccountWithKey(access, { tier: 'enterprise', label: 'quota' })
      await setContract(access, made.account_id, { hour: quota, month: 1_000_000 })
      return made.raw_key
    }

    /** Units of this hour that each node reports as used. */
    const usedOf = (key: string) =>
      Promise.all(
        nodes.map(async ({ url }) => {
          const answer = await fetch(`${url}/v1/usage`, { headers: { 'x-api-key': key } })
          return ((await answer.json()) as Usage).policies.find(({ policy }) => policy === 'hour')?.used
        }),
      )

    const doctorOnRedis = async (): Promise<{ readonly status: string; readonly message: string }> => {
      const { out } = await runAdmin(['doctor', '--json'], { NODE_ENV: 'test', ...env })
      const { checks } = JSON.parse(out) as { checks: { check: string; status: string; message: string }[] }
      const found = checks.find(({ check }) => check === 'redis')
      if (found === undefined) throw new Error('the doctor does not examine Redis')
      return found
    }

    /** What each node answers to more requests than it may admit. */
    const overspend = (key: string, over: readonly Node[] = nodes) =>
      Promise.all(over.map((node) => Promise.all(range(LEFT + TOO_MANY).map(() => ask(node, key)))))

    const isLost = () =>
      expect.poll(async () => (await doctorOnRedis()).status, { timeout: BACK_MS }).toBe('problem')

    it.each<readonly [string, Outage]>([
      [
        'killed and comes back empty',
        { lose: () => redis.kill(), restore: () => redis.start(), isEmptied: true },
      ],
      ['frozen', { lose: () => redis.freeze(), restore: () => redis.thaw(), isEmptied: false }],
    ])(
      'admit what was left each, fail no request and settle afterwards when it is %s',
      async (how, { lose, restore, isEmptied }) => {
        const [key, busyKey, doomed] = [
          await newKey(QUOTA),
          await newKey(1_000_000),
          await createAccountWithKey(access, { tier: 'pro', label: 'doomed' }),
        ]
        await waitForTimeInHour()
        for (const node of nodes)
          for (const _ of range(BEFORE)) expect((await ask(node, key)).status).toBe(200)
        expect(await usedOf(key)).toEqual([2 * BEFORE, 2 * BEFORE])
        const load = startLoad(nodes, busyKey)
        await sleep(500)
        const seen = load.accepted()
        await usedOf(busyKey)
        await lose()
        const unseen = load.accepted() - seen + LANES * nodes.length
        await isLost()

        const answers = await overspend(key)
        for (const ofNode of answers) {
          const admitted = ofNode.filter(({ status }) => status === 200)
          expect(admitted.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
            range(LEFT).map((taken) => LEFT - 1 - taken),
          )
          expect(ofNode.filter(({ status }) => status === 429)).toHaveLength(TOO_MANY)
        }
        for (const { url } of nodes) expect((await fetch(`${url}/readyz`)).status).toBe(200)
        const [here, there] = nodes.map(({ url }) => url)
        const headers = { 'x-api-key': doomed.raw_key }
        expect((await fetch(`${there}/auth/me`, { headers })).status).toBe(200)
        const revoked = await fetch(`${here}/auth/keys/${doomed.key_id}`, { method: 'DELETE', headers })
        expect(revoked.status).toBe(204)
        await expect.poll(async () => (await fetch(`${there}/auth/me`, { headers })).status).toBe(401)
        expect((await doctorOnRedis()).message).toMatch(
          / is unreachable \(.+\): each node counts quotas by itself, so n nodes together admit up to n times a quota$/,
        )

        await sleep(LOST_MS)
        await restore()
        await expect
          .poll(() => usedOf(key), { timeout: BACK_MS })
          .toEqual([2 * BEFORE + 2 * LEFT, 2 * BEFORE + 2 * LEFT])
        const statuses = await load.stop()
        tell(`${how}: ${JSON.stringify(statuses)} under load; ${2 * LEFT} admitted of ${LEFT} left`)
        expect(Object.keys(statuses)).toEqual(['200'])
        const [used = 0, same] = await usedOf(busyKey)
        const forgotten = load.accepted() - used
        tell(`${how}: ${forgotten} units forgotten`)
        expect(same).toBe(used)
        expect(forgotten).toBeGreaterThanOrEqual(0)
        // What one node charged last, another had not seen, and nobody else knew.
        expect(forgotten).toBeLessThanOrEqual(isEmptied ? unseen : 0)
        for (const node of nodes) expect(await ask(node, key)).toEqual({ status: 429, remaining: 0 })
        expect((await doctorOnRedis()).status).toBe('ok')

        const next = await newKey(LEFT)
        const both = (await overspend(next)).flat()
        expect(both.filter(({ status }) => status === 200)).toHaveLength(LEFT)
      },
    )

    it('admit the whole quota each that they have not seen in use, and again after a restart meanwhile', async () => {
      const key = await newKey(QUOTA)
      await waitForTimeInHour()
      const [first, second] = nodes
      if (first === undefined || second === undefined) throw new Error('both nodes run')
      for (const _ of range(2 * BEFORE)) expect((await ask(first, key)).status).toBe(200)
      await redis.kill()
      await isLost()
      const admittedBy = async (node: Node) => {
        const answers = await Promise.all(range(QUOTA + TOO_MANY).map(() => ask(node, key)))
        return answers.filter(({ status }) => status === 200).length
      }
      expect([await admittedBy(first), await admittedBy(second)]).toEqual([LEFT, QUOTA])
      await second.child.kill('SIGTERM')
      nodes[1] = await startNode(env)
      expect(await admittedBy(nodes[1])).toBe(QUOTA)
      await redis.start()
      await expect
        .poll(async () => Math.min(...(await usedOf(key)).map(Number)), { timeout: BACK_MS })
        .toBeGreaterThanOrEqual(QUOTA + LEFT)
      for (const node of nodes) expect((await ask(node, key)).status).toBe(429)
    })
  },
)
