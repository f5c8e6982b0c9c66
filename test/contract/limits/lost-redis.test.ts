import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { QUOTAS } from '../../../src/policy/limits.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { remainingOf } from '../../support/app/limit-headers.js'
import { availableRedis, openTestDatabase } from '../../support/database/database.js'
import { type CuttableProxy, LOST_ANSWERS, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'
import { waitedMs } from '../../support/waited-ms.js'

/** Longest wait for an answer: the look-ups in Redis that one request makes, each given up by itself, and its work. */
const ANSWERED_MS = 2_000
/** How long after the end of a disturbance Redis counts again. */
const BACK_MS = 5_000

const HOUR_MS = 3_600_000
/** Of one account, an hour. */
const LOGINS = 10

const redisUrl = availableRedis()

describe.skipIf(redisUrl === null)('a gateway whose way to Redis', () => {
  let proxy: CuttableProxy
  let database: Database
  let app: TestApp
  let direct: TestApp

  beforeAll(async () => {
    proxy = await startCuttableProxy(redisUrl ?? '')
    database = await openTestDatabase('pglite', 'seeded')
    // The start of the next hour: no window ends in Redis, which has a clock of its own, while the test runs.
    const clock = new TestClock(new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS))
    app = await startTestApp('pglite', { database, clock, env: { REDIS_URL: proxy.url } })
    direct = await startTestApp('pglite', { database, clock, env: { REDIS_URL: redisUrl ?? '' } })
  })

  afterEach(() => proxy.mend())

  afterAll(async () => {
    await app?.close()
    await direct?.close()
    await database?.close()
    await proxy?.close()
  })

  const register = async (email: string) => {
    const body = { email, password: 'correct horse battery staple' }
    expect((await app.rest('/auth/register', { method: 'POST', body })).status).toBe(201)
    return async () => (await app.rest('/auth/login', { method: 'POST', body })).status
  }
  /** The outcome, or how long it waited where that was too long. */
  const inTime = async <T>(work: () => Promise<T>): Promise<T | string> => {
    let outcome: T | null = null
    const waited = await waitedMs(async () => {
      outcome = await work()
    })
    return waited < ANSWERED_MS ? (outcome as T) : `${waited} ms`
  }
  const restored = () => app.logLines.filter((line) => line.includes('Redis is back: counting')).length

  it.each(LOST_ANSWERS)(
    '%s answers in time, within the limits that it knows, and other nodes learn of it afterwards',
    async (how, disturbance) => {
      const wasRestored = restored()
      const login = await register(`reader-${how.length}@example.org`)
      const key = await app.newKey({ tier: 'free' })
      const other = await app.newKey({ tier: 'pro' })
      const ask = (withKey = key) => app.rest('/v1/assets', { key: withKey })
      expect(remainingOf(await ask())).toBe(QUOTAS.free.hour - 1)
      proxy.disturb(disturbance)
      const uses = [
        () => ask(other),
        () => app.rest('/v1/forex?quote=USD', { key: other }),
        () => app.graphql('{ assets { data { ticker } } }', { key: other }),
        () => app.rest('/auth/me', { key: other }),
        () => app.rest('/readyz'),
      ]
      expect(await Promise.all(uses.map((use) => inTime(async () => (await use()).status)))).toEqual(
        uses.map(() => 200),
      )
      const statuses = []
      for (let call = 0; call < QUOTAS.free.hour + 2; call += 1) statuses.push((await ask()).status)
      expect(statuses).toEqual([...Array(QUOTAS.free.hour - 1).fill(200), 429, 429, 429])
      const logins = []
      // The registration compared the password too, within the limits of logins.
      for (let call = 0; call < LOGINS; call += 1) logins.push(await inTime(login))
      expect(logins).toEqual([...Array(LOGINS - 1).fill(200), 429])
      const checks = { database: 'ok', migrations: 'ok', redis: 'failed' }
      expect((await app.rest('/readyz')).body).toEqual({ status: 'ready', checks, missing: ['redis'] })
      proxy.pass()
      await expect.poll(restored, { timeout: BACK_MS }).toBeGreaterThan(wasRestored)
      // On a busy machine either of the two may have taken Redis for lost just now: it counts there again soon.
      const refused = { timeout: 4 * BACK_MS }
      await expect.poll(async () => (await direct.rest('/v1/assets', { key })).status, refused).toBe(429)
      await expect.poll(async () => (await ask()).status, refused).toBe(429)
      expect((await ask(other)).status).toBe(200)
    },
    90_000,
  )
})
