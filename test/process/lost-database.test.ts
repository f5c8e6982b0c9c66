import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  BLACK_HOLE,
  type CuttableProxy,
  type Disturbance,
  startCuttableProxy,
} from '../support/cuttable-proxy.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database.js'
import { OWN_SECRETS } from '../support/secrets.js'
import { ask, cleanUp, START_MS, startGateway } from './gateway.js'

/** Longest a process may take to end after SIGTERM. */
const ENDS_MS = 10_000

describe.skipIf(!availableDatabases().includes('postgres'))('a gateway that is told to stop', () => {
  let url: string
  let proxy: CuttableProxy

  beforeAll(async () => {
    url = await copyPostgresWorld('empty')
    proxy = await startCuttableProxy(Number(new URL(url).port || 5432))
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
      const through = new URL(url)
      through.host = `127.0.0.1:${proxy.port}`
      const gateway = await startGateway({ DATABASE_URL: through.href, ...OWN_SECRETS })
      const key = /mdg_test_[0-9A-Za-z_]+/.exec(gateway.stdout())?.[0] ?? ''
      expect((await ask(`${gateway.url}/v1/usage`, key)).status).toBe(200)
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
      const outcomes = new Set(await Promise.all(inFlight))
      expect([...outcomes].filter((outcome) => outcome !== 503 && outcome !== 'cut')).toEqual([])
      proxy.mend()
    },
    START_MS,
  )
})
