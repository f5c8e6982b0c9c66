import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  BLACK_HOLE,
  type CuttableProxy,
  type Disturbance,
  startCuttableProxy,
} from '../support/cuttable-proxy.js'
import {
  availableDatabases,
  availableRedis,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../support/database.js'
import { openEventStream } from '../support/event-stream.js'
import { OWN_SECRETS } from '../support/secrets.js'
import { ask, beginRequest, cleanUp, type Gateway, newDataDir, START_MS, startGateway } from './gateway.js'

const redisUrl = availableRedis()

/** Longest a process may take to end after SIGTERM. */
const ENDS_MS = 10_000

/** Its development key of the tier pro. */
function keyOf(gateway: Gateway): string {
  return /^ +pro +(mdg_test_\w+)$/m.exec(gateway.stdout())?.[1] ?? expect.fail('no key was printed')
}

describe.skipIf(!availableDatabases().includes('postgres'))('a gateway that is asked to stop', () => {
  let url: string
  let proxy: CuttableProxy

  beforeAll(async () => {
    url = await copyPostgresWorld('empty')
    proxy = await startCuttableProxy(url)
  })

  afterAll(async () => {
    await cleanUp()
    await proxy.close()
    await dropPostgresDatabase(url)
  })

  it.each<readonly [string, Disturbance]>([
    ['swallows everything', BLACK_HOLE],
    ['holds answers up for 3 s', { towards: 'client', delayMs: 3_000 }],
  ])(
    'ends in time with requests in flight while the way to PostgreSQL %s',
    async (_, disturbance) => {
      const gateway = await startGateway({
        DATA_DIR: newDataDir(),
        DATABASE_URL: proxy.url,
        ...OWN_SECRETS,
      })
      const key = keyOf(gateway)
      expect((await ask(`${gateway.url}/v1/usage`, key)).status).toBe(200)
      const stream = await openEventStream(
        gateway.url,
        'subscription { ai_analysis_changes { cursor } }',
        key,
      )
      expect(stream.response.status).toBe(200)
      proxy.disturb(disturbance)
      const inFlight = Array.from({ length: 20 }, () =>
        ask(`${gateway.url}/v1/usage`, key).then(
          ({ status }) => status,
          () => 'cut',
        ),
      )
      const startedAt = performance.now()
      const { code } = await gateway.stop('SIGTERM')
      expect(performance.now() - startedAt).toBeLessThan(ENDS_MS)
      expect(code).toBe(0)
      stream.kill()
      const outcomes = new Set(await Promise.all(inFlight))
      expect([...outcomes].filter((outcome) => outcome !== 503 && outcome !== 'cut')).toEqual([])
      proxy.mend()
    },
    START_MS,
  )

  it.skipIf(redisUrl === null)(
    'ends in time, and answers what is in flight, while Redis is a black hole',
    async () => {
      const redis = await startCuttableProxy(redisUrl ?? '')
      const gateway = await startGateway({
        DATA_DIR: newDataDir(),
        DATABASE_URL: url,
        REDIS_URL: redis.url,
        ...OWN_SECRETS,
      })
      const key = keyOf(gateway)
      expect((await ask(`${gateway.url}/v1/assets`, key)).status).toBe(200)
      const agent = new Agent()
      const requests = Array.from({ length: 20 }, () => beginRequest(gateway, key, agent))
      await Promise.all(requests.map(({ isTaken }) => isTaken))
      redis.disturb(BLACK_HOLE)
      const startedAt = performance.now()
      const stopped = gateway.stop('SIGTERM')
      for (const { finish } of requests) finish()
      const answers = await Promise.all(requests.map(({ answer }) => answer))
      expect((await stopped).code).toBe(0)
      expect(performance.now() - startedAt).toBeLessThan(ENDS_MS)
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      await redis.close()
    },
    START_MS,
  )
})
