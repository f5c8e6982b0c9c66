import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../src/app.js'
import { loadConfig } from '../../../src/config.js'
import { createMetrics } from '../../../src/gateway/http/telemetry/metrics.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { createLogger } from '../../../src/platform/logger.js'
import { VERSION } from '../../../src/platform/version.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
  MIGRATIONS,
  openTestDatabase,
  SEEDED_AT,
} from '../../support/database/database.js'
import { type CuttableProxy, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'
import { listen } from '../../support/peers/sockets.js'
import { watchRequests } from '../../support/waited-ms.js'

const READY = { status: 'ready', checks: { database: 'ok', migrations: 'ok' } }

describe.each(availableDatabases())('health on %s', (kind) => {
  let database: Database
  let app: TestApp
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'empty')
    app = await startTestApp(kind, { database })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })

  it('is open to anyone and never cached, and each probe has its own complete answer', async () => {
    for (let round = 0; round < 2; round++) {
      for (const [path, body] of [
        ['/healthz', { status: 'ok', version: VERSION }],
        ['/readyz', READY],
      ] as const) {
        const answer = await app.rest(path)
        expect([answer.status, answer.text]).toEqual([200, JSON.stringify(body)])
        expect(answer.headers.get('cache-control')).toBe('no-store')
        expect(answer.headers.get('content-type')).toContain('application/json')
      }
    }
  })

  it.each(['/healthz', '/readyz'])(
    'answers HEAD %s with the status and length of GET, and no body',
    async (path) => {
      const get = await app.rest(path)
      const head = await app.rest(path, { method: 'HEAD' })
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers.get('content-length')).toBe(String(get.text.length))
    },
  )

  it.each(['POST', 'DELETE'])('does not allow %s', async (method) => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, headers } = await app.rest(path, { method })
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it('is not ready while a migration is pending, and names only the failed check', async () => {
    const [last] = await database.rows<{ name: string }>(
      'SELECT migration_name AS name FROM "_prisma_migrations" ORDER BY migration_name DESC LIMIT 1',
    )
    const rename = (from: string, to: string) =>
      database.rows('UPDATE "_prisma_migrations" SET migration_name = $2 WHERE migration_name = $1', [
        from,
        to,
      ])
    const name = last?.name ?? ''
    await rename(name, 'elsewhere')
    const answer = await app.rest('/readyz')
    expect(answer.status).toBe(503)
    expect(answer.body).toEqual({ status: 'not_ready', checks: { database: 'ok', migrations: 'failed' } })
    expect(app.logLines.at(-1)).toContain(`migrations are pending: ${name}`)
    expect((await app.rest('/healthz')).status).toBe(200)
    await rename('elsewhere', name)
    expect((await app.rest('/readyz')).status).toBe(200)
  })

  it('is draining once requested, while requests are still answered', async () => {
    const draining = createApp({
      config: loadConfig({ NODE_ENV: 'test' }),
      database,
      clock: new TestClock(SEEDED_AT),
      log: createLogger('silent'),
      metrics: createMetrics(),
      migrations: MIGRATIONS,
      pageKey: null,
    })
    const server = await listen(draining.listener)
    const ask = async (path: string) => {
      const response = await fetch(server.url + path)
      return [response.status, await response.json()]
    }
    expect(await ask('/readyz')).toEqual([200, READY])
    draining.drain()
    expect(await ask('/readyz')).toEqual([503, { ...READY, status: 'draining' }])
    expect(await ask('/healthz')).toEqual([200, { status: 'ok', version: VERSION }])
    expect((await ask('/v1/assets'))[0]).toBe(401)
    const last = await fetch(`${server.url}/healthz`)
    expect([last.status, last.headers.get('connection')]).toEqual([200, 'close'])
    await server.close()
    await draining.close()
  })
})

it('is not ready after its database was closed, but still alive', async () => {
  const database = await openTestDatabase('pglite', 'empty')
  const app = await startTestApp('pglite', { database })
  await database.close()
  const answer = await app.rest('/readyz')
  expect([answer.status, answer.body]).toEqual([
    503,
    { status: 'not_ready', checks: { database: 'failed', migrations: 'failed' } },
  ])
  expect((await app.rest('/healthz')).status).toBe(200)
  await app.close()
})

describe.runIf(availableDatabases().includes('postgres'))('a PostgreSQL that becomes unreachable', () => {
  let url: string
  let proxy: CuttableProxy
  let database: Database
  let app: TestApp
  let strict: TestApp
  let key: string
  beforeAll(async () => {
    url = await createPostgresDatabase()
    proxy = await startCuttableProxy(url)
    database = await openDatabase({ kind: 'postgres', url: proxy.url, poolSize: 4 })
    await migrate(database, MIGRATIONS)
    app = await startTestApp('postgres', { database })
    strict = await startTestApp('postgres', { database, env: { READINESS_NEEDS_DATABASE: 'true' } })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(async () => {
    proxy?.mend()
    await strict?.close()
    await app?.close()
    await database?.close()
    await proxy?.close()
    await dropPostgresDatabase(url)
  })

  it.each(['cut', 'mute'] as const)(
    'when it is %s, a node that was ready stays so and names what is missing, or is not if the operator says so',
    async (way) => {
      for (const one of [app, strict]) expect((await one.rest('/readyz')).status).toBe(200)
      proxy[way]()
      const requests = watchRequests()
      const lost = await Promise.all([app, strict].map((one) => one.rest('/readyz')))
      requests.stop()
      expect(Math.max(...requests.waits())).toBeLessThan(4_000)
      const checks = { database: 'failed', migrations: 'failed' }
      expect(lost.map(({ status, body }) => [status, body])).toEqual([
        [200, { status: 'ready', checks, missing: ['database', 'migrations'] }],
        [503, { status: 'not_ready', checks }],
      ])
      expect((await app.rest('/healthz')).status).toBe(200)
      expect((await app.rest('/docs')).status).toBe(200)
      proxy.mend()
      for (const one of [app, strict])
        await expect.poll(async () => (await one.rest('/readyz')).body, { timeout: 20_000 }).toEqual(READY)
    },
  )

  it('gives requests a 503 without internal details', async () => {
    expect((await app.rest('/v1/usage', { key })).status).toBe(200)
    proxy.cut()
    app.clock.advance(60_000) // nothing kept in memory is fresh enough
    for (const path of ['/v1/usage', '/v1/assets', '/v1/forex?quote=USD']) {
      const { status, text } = await app.rest(path, { key })
      expect([path, status]).toEqual([path, 503])
      expect(text).not.toMatch(/ECONN|node_modules|\.ts|127\.0\.0\.1|mdg_/)
      expect(JSON.parse(text)).toMatchObject({ error: 'service_unavailable' })
    }
    const { status, text } = await app.graphql('{ assets { data { ticker } } }', { key })
    expect(status).toBe(503)
    expect(text).not.toMatch(/ECONN|node_modules|\.ts|127\.0\.0\.1/)
    proxy.mend()
    await expect
      .poll(async () => (await app.rest('/v1/usage', { key })).status, { timeout: 20_000 })
      .toBe(200)
  })
})

describe.runIf(availableDatabases().includes('postgres'))('a PostgreSQL with many waiting requests', () => {
  let database: Database
  let app: TestApp
  beforeAll(async () => {
    database = await openTestDatabase('postgres', 'seeded')
    app = await startTestApp('postgres', { database })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })

  it('is ready, because the readiness check precedes waiting requests, charges and statements', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const ask = () => app.rest('/v1/assets', { key })
    for (const isHit of [false, true])
      expect((await ask()).body).toMatchObject({ meta: { cache_hit: isHit } })
    const sleeping = Array.from({ length: 800 }, () => database.rows('select pg_sleep(0.1)'))
    const over = Promise.allSettled(sleeping)
    let isCharged = false
    const charged = ask().then(() => {
      isCharged = true
    })
    const { size = 0 } = database.poolUse() ?? {}
    await expect.poll(() => database.poolUse()?.waiting).toBe(801 - size)
    const answer = await app.rest('/readyz')
    expect([answer.status, answer.body]).toEqual([200, READY])
    expect(database.poolUse()?.waiting).toBeGreaterThan(700)
    expect(isCharged).toBe(false)
    await Promise.all([over, charged])
  })
})
