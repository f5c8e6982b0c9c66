import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ACCESS_PARTS } from '../../../src/access.js'
import { systemClock } from '../../../src/core/time.js'
import type { Access } from '../../../src/domains/access/model.js'
import { createAccountWithKey, setContract } from '../../../src/domains/access/operator.js'
import { createAccess } from '../../../src/domains/access/service.js'
import type { Usage } from '../../../src/domains/usage/model.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import { availableDatabases, availableRedis, openTestDatabase } from '../../support/database/database.js'
import { type Node, startNode, waitForTimeInHour } from '../../support/processes/gateway-node.js'
import { startRedisCluster } from '../../support/redis/redis-cluster.js'
import { mayStartRedis } from '../../support/redis/redis-server.js'

const NODES = 4
const QUOTA = 200

const TRANSPORTS: readonly ((url: string, key: string) => Promise<Response>)[] = [
  (url, key) => fetch(`${url}/v1/assets`, { headers: { 'x-api-key': key } }),
  (url, key) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ assets { data { ticker } } }' }),
    }),
]

/** Asks all nodes over both transports at once; how many answers had each status. */
async function hammer(nodes: readonly Node[], key: string, calls: number): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  const ask = async (call: number) => {
    const node = nodes[call % nodes.length]
    const send = TRANSPORTS[Math.floor(call / nodes.length) % TRANSPORTS.length]
    if (!node || !send) throw new Error('there is always a next one')
    const answer = await admitted(() => send(node.url, key))
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
  }
  await Promise.all(Array.from({ length: calls }, (_, call) => ask(call)))
  return statuses
}

/** Asks again, as the refusal says, while a busy node refuses what would wait too long; that is not charged. */
async function admitted(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answer = await ask()
    await answer.arrayBuffer()
    if (answer.status !== 503 || answer.headers.get('retry-after') === null) return answer
    await sleep(RETRY_MS)
  }
}

/** Figures of a run, for its log. */
function tell(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** As Retry-After says. */
const RETRY_MS = 1_000
/** The wait for the hour, and the calls. */
const TEST_MS = 120_000

interface Store {
  /** Null: the counters are in PostgreSQL. */
  readonly url: string | null
  close(): Promise<void>
}

const STORES: readonly (readonly [string, () => Promise<Store>])[] = [
  ['PostgreSQL', async () => ({ url: null, close: async () => {} })],
  ...(availableRedis() === null
    ? []
    : [['Redis', async () => ({ url: availableRedis(), close: async () => {} })] as const]),
  ...(mayStartRedis() ? [['a Redis Cluster', startRedisCluster] as const] : []),
]

describe.skipIf(!availableDatabases().includes('postgres'))(
  'four processes on one database',
  { timeout: TEST_MS },
  () => {
    let database: Database
    let access: Access
    let databaseUrl: string
    beforeAll(async () => {
      database = await openTestDatabase('postgres', 'seeded')
      const [row] = await database.rows<{ name: string }>('select current_database() as name')
      databaseUrl = Object.assign(new URL(inject('postgresUrl') ?? ''), { pathname: `/${row?.name}` }).href
      const log = createLogger('silent')
      access = createAccess({
        database,
        clock: systemClock,
        log,
        pepper: OWN_SECRETS.KEY_PEPPER,
        tokenKeys: OWN_SECRETS.JWT_KEYS,
        mode: 'test',
        ...ACCESS_PARTS,
      })
    })
    afterAll(async () => {
      await access?.close()
      await database?.close()
    })

    async function quotaKey(): Promise<string> {
      const made = await createAccountWithKey(access, { tier: 'enterprise', label: 'quota' })
      await setContract(access, made.account_id, { hour: QUOTA, month: 1_000_000 })
      return made.raw_key
    }

    describe.each(STORES)('with counters in %s', (name, open) => {
      let store: Store
      const env = () => ({
        DATABASE_URL: databaseUrl,
        DATABASE_POOL_SIZE: '4',
        ...OWN_SECRETS,
        ...(store.url !== null && { REDIS_URL: store.url }),
      })
      const nodes: Node[] = []
      beforeAll(async () => {
        store = await open()
        nodes.push(...(await Promise.all(Array.from({ length: NODES }, () => startNode(env())))))
      })
      afterAll(async () => {
        await Promise.all(nodes.map(({ child }) => child.kill('SIGTERM')))
        await store?.close()
      })

      it('accept exactly the quota of one key over both transports', async () => {
        const key = await quotaKey()
        await waitForTimeInHour()
        const startedAt = performance.now()
        const statuses = await hammer(nodes, key, 480)
        tell(`${name}: ${JSON.stringify(statuses)} in ${Math.round(performance.now() - startedAt)} ms`)
        expect(statuses).toEqual({ 200: QUOTA, 429: 480 - QUOTA })
        for (const { url } of nodes) {
          const usage = (await (
            await fetch(`${url}/v1/usage`, { headers: { 'x-api-key': key } })
          ).json()) as Usage
          expect(usage.policies).toMatchObject([
            { policy: 'hour', used: QUOTA, remaining: 0 },
            { policy: 'month', used: QUOTA },
          ])
        }
      })

      it('continue the exact count after one of them died and restarted', async () => {
        const key = await quotaKey()
        await waitForTimeInHour()
        expect(await hammer(nodes, key, 120)).toEqual({ 200: 120 })
        await nodes[0]?.child.kill('SIGKILL')
        nodes[0] = await startNode(env())
        expect(await hammer(nodes, key, 400)).toEqual({ 200: QUOTA - 120, 429: 400 - (QUOTA - 120) })
      })

      it('refuse a key everywhere in under a second after one of them revoked it', async () => {
        const made = await createAccountWithKey(access, { tier: 'pro', label: 'doomed' })
        const [here, ...others] = nodes.map(({ url }) => url)
        const statusAt = async (url: string) =>
          (await fetch(`${url}/auth/me`, { headers: { 'x-api-key': made.raw_key } })).status
        for (const url of others) expect(await statusAt(url)).toBe(200)
        const headers = { 'x-api-key': made.raw_key }
        const revoked = await fetch(`${here}/auth/keys/${made.key_id}`, { method: 'DELETE', headers })
        const revokedAt = performance.now()
        expect([revoked.status, await statusAt(here ?? '')]).toEqual([204, 401])
        const delays = await Promise.all(
          others.map(async (url) => {
            while ((await statusAt(url)) !== 401) await sleep(10)
            return Math.round(performance.now() - revokedAt)
          }),
        )
        tell(`${name}: refused on the other nodes ${delays.join(', ')} ms after the revocation`)
        expect(Math.max(...delays)).toBeLessThan(1000)
      })
    })
  },
)
