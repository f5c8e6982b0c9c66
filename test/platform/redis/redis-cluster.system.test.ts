import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRedis } from '../../../src/checks/check-redis.js'
import { sha256Hex } from '../../../src/core/canonical-json.js'
import { systemClock } from '../../../src/core/time.js'
import { createLogger } from '../../../src/platform/logger.js'
import { createSharedOperations } from '../../../src/platform/operation-store/redis-operations.js'
import { RedisCounters } from '../../../src/platform/quota/redis/redis-counters.js'
import type { ComputedResponse } from '../../../src/platform/response-cache/cached-response.js'
import { createSharedResponses } from '../../../src/platform/response-cache/redis-responses.js'
import { createRedisPlaces } from '../../../src/platform/stream-places/redis-places.js'
import { FREE } from '../../../src/policy/price.js'
import { charge, newKey } from '../../support/counters/counter-flavours.js'
import { expectExact } from '../../support/counters/exact-nodes.js'
import { availableRedis } from '../../support/database/database.js'
import { type LocalRedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.js'
import { mayStartRedis } from '../../support/redis/redis-server.js'

const TLS = resolve(import.meta.dirname, '../../support/tls')
const SECRETS = {
  password: 'hidden-in-tests',
  certificate: resolve(TLS, 'localhost.crt'),
  key: resolve(TLS, 'localhost.key'),
}
const SILENT = createLogger('silent')
const NOW = () => new Date()

describe.skipIf(!mayStartRedis())('a Redis Cluster with a password', { timeout: 120_000 }, () => {
  let cluster: LocalRedisCluster

  beforeAll(async () => {
    cluster = await startRedisCluster(SECRETS)
  })
  afterAll(() => cluster?.close())

  it('counts exactly over encrypted connections', async () => {
    const servers = cluster.servers.slice(0, 2).map(({ tlsPort }) => `localhost:${tlsPort}`)
    const redisUrl = `rediss+cluster://:${SECRETS.password}@${servers.join(',')}`
    await expectExact({ postgresUrl: null, redisUrl }, { NODE_EXTRA_CA_CERTS: SECRETS.certificate })
  })

  it('shares responses, persisted operations and places of streams', async () => {
    const [one, other] = [
      createSharedResponses(cluster.url, SILENT),
      createSharedResponses(cluster.url, SILENT),
    ]
    const operations = createSharedOperations(cluster.url, SILENT)
    const places = createRedisPlaces(cluster.url)
    const made: ComputedResponse = {
      ...{ json: '{"data":1}', madeAtMs: Date.now(), endsAtMs: null, refreshAtMs: null, observedMs: [] },
      ...{ stamps: [], etag: 'W/"tag"', headers: [], price: FREE },
    }
    const [text, hash] = ['{ assets { data { ticker } } }', sha256Hex('{ assets { data { ticker } } }')]
    await expect
      .poll(async () => {
        one.set('a request', made)
        operations.keep(hash, text, 'owner')
        return [await other.get('a request'), await operations.find(hash)]
      })
      .toEqual([made, text])
    const place = (holder: number) => ({ name: 'stream x', limit: 1, holder, slot: null, leftAtMs: null })
    expect([await places.lease(place(1), 5_000), await places.lease(place(2), 5_000)]).toEqual([
      'stream x 1',
      null,
    ])
    await places.release(place(1))
    expect(await places.lease(place(2), 5_000)).toBe('stream x 2')
    await Promise.all([one.close(), other.close(), operations.close(), places.close()])
  })

  it('continues a month from what the database recorded, with one query for many accounts', async () => {
    const asked: (readonly string[])[] = []
    const counters = new RedisCounters(cluster.url, systemClock, SILENT, async (keys) => {
      asked.push(keys)
      return new Map(keys.map((key) => [key, 93]))
    })
    await expect.poll(() => counters.isRedisUp()).toBe(true)
    const accounts = Array.from({ length: 30 }, newKey)
    const taken = await Promise.all(
      accounts.map((account) =>
        counters.consume([charge(`${account}:month:2026-11`, 100, 5, account)], NOW()),
      ),
    )
    expect(taken).toEqual(accounts.map(() => ({ accepted: true, used: [98] })))
    expect(asked.flat().sort()).toEqual(accounts.map((account) => `${account}:month:2026-11`).sort())
    expect(asked).toHaveLength(1)
    await counters.close()
  })

  it('is examined by the doctor: its masters, a missing replica, a wrong kind of address', async () => {
    const found = await checkRedis(cluster.url, false)
    const any = await cluster.masterOf('any')
    expect(found.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
    for (const { check, message } of found) {
      expect(check).toMatch(/^redis 127\.0\.0\.1:\d+$/)
      expect(message).toMatch(/^127\.0\.0\.1:\d+ answers in \d+\.\d ms$/)
    }
    expect(found.map(({ check }) => check)).toContain(`redis 127.0.0.1:${any.port}`)
    const [server] = cluster.servers
    const asServer = await checkRedis(`redis://:${SECRETS.password}@127.0.0.1:${server?.port}`, false)
    expect(asServer).toEqual([
      {
        check: 'redis',
        status: 'problem',
        message: `127.0.0.1:${server?.port} belongs to a Redis Cluster`,
        advice: `set REDIS_URL=redis+cluster://127.0.0.1:${server?.port}`,
      },
    ])
    const locked = await checkRedis(cluster.url.replace(SECRETS.password, 'wrong-password'), false)
    expect(locked[0]?.message).toMatch(/ is unreachable \(.*WRONGPASS/)
    expect(JSON.stringify([found, asServer, locked])).not.toMatch(/hidden|wrong-password/)
    const master = await cluster.masterOf('any')
    const check = `redis 127.0.0.1:${master.port}`
    await (await cluster.replicaOf(master)).kill()
    const ofMaster = async () => (await checkRedis(cluster.url, false)).find((one) => one.check === check)
    await expect
      .poll(async () => (await ofMaster())?.message)
      .toMatch(/but has no replica: while it is lost, each node counts its quotas by itself$/)
    await master.kill()
    const others = async () => (await checkRedis(cluster.url, false)).filter((one) => one.check !== check)
    expect(await ofMaster()).toMatchObject({
      status: 'problem',
      message: expect.stringContaining(`127.0.0.1:${master.port} is unreachable`),
    })
    expect((await others()).map(({ status }) => status)).toEqual(['ok', 'ok'])
  })
})

describe.skipIf(availableRedis() === null)('an address of a cluster that leads to a single server', () => {
  it('is reported by the doctor', async () => {
    const url = (availableRedis() ?? '').replace('redis://', 'redis+cluster://')
    const [found] = await checkRedis(url, false)
    expect(found?.status).toBe('problem')
    expect(found?.message).toContain('cluster support disabled')
  })
})
