import { Agent } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  availableRedis,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../support/database/database.js'
import {
  BLACK_HOLE,
  type CuttableProxy,
  type Disturbance,
  startCuttableProxy,
} from '../support/peers/cuttable-proxy.js'
import { openEventStream } from '../support/peers/event-stream.js'
import { ask, beginRequest, cleanUp, type Gateway, newDataDir, START_MS, startGateway } from './gateway.js'

const redisUrl = availableRedis()

/** A process that could not stop within 9.5 s says so, and ends with 1. */
const IN_TIME = { code: 0, last: 'stopped' }

async function endOf(stopped: ReturnType<Gateway['stop']>): Promise<typeof IN_TIME> {
  const { code, stdout } = await stopped
  const said = [...stdout.matchAll(/"msg":"([^"]*)"/g)].map(([, text]) => text)
  return { code: code ?? -1, last: said.at(-1) ?? '' }
}

/** Its development key of the tier pro. */
function keyOf(gateway: Gateway): string {
  return /^ +pro +(mdg_test_\w+)$/m.exec(gateway.stdout())?.[1] ?? expect.fail('no key was printed')
}

describe.skipIf(!availableDatabases().includes('postgres'))('a gateway that is asked to stop', () => {
  let url: string
  let proxy: CuttableProxy

  beforeAll(async () => {
    url = await copyPostgresWorld('current')
    proxy = await startCuttableProxy(url)
  })

  afterEach(() => proxy.mend())
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
      expect(await endOf(gateway.stop('SIGTERM'))).toEqual(IN_TIME)
      stream.kill()
      const outcomes = new Set(await Promise.all(inFlight))
      const log = [...gateway.log('unexpected error'), ...gateway.log('resolver failed')]
      expect(
        [...outcomes].filter((outcome) => outcome !== 503 && outcome !== 'cut'),
        JSON.stringify(log),
      ).toEqual([])
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
      const stopped = gateway.stop('SIGTERM')
      for (const { finish } of requests) finish()
      const answers = await Promise.all(requests.map(({ answer }) => answer))
      expect(await endOf(stopped)).toEqual(IN_TIME)
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      await redis.close()
    },
    START_MS,
  )
})
