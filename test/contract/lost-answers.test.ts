import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { startTestApp, type TestApp, TestClock } from '../support/app.js'
import {
  BLACK_HOLE,
  type CuttableProxy,
  type Disturbance,
  startCuttableProxy,
} from '../support/cuttable-proxy.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
  SEEDED_AT,
} from '../support/database.js'

/** What a client may wait for a 503, with room for a busy machine. */
const REFUSED_MS = 3_500
/** How long after the end of a disturbance everything is answered again. */
const HEALTHY_MS = 5_000

const DISTURBANCES: readonly (readonly [string, Disturbance])[] = [
  ['swallows everything', BLACK_HOLE],
  ['swallows all but the beginning of an answer', { towards: 'client', passBytes: 20 }],
  ['holds answers up for 3 s', { towards: 'client', delayMs: 3_000 }],
]

const PASSWORD = 'correct horse battery staple'

describe.skipIf(!availableDatabases().includes('postgres'))('a gateway whose way to PostgreSQL', () => {
  let url: string
  let proxy: CuttableProxy
  let database: Database
  let app: TestApp
  let key: string

  beforeAll(async () => {
    url = await copyPostgresWorld('seeded')
    proxy = await startCuttableProxy(Number(new URL(url).port || 5432))
    const through = new URL(url)
    through.host = `127.0.0.1:${proxy.port}`
    database = await openDatabase({ kind: 'postgres', url: through.href, poolSize: 4 })
    app = await startTestApp('postgres', { database, clock: new TestClock(SEEDED_AT) })
    key = await app.newKey({ tier: 'pro' })
    await app.rest('/auth/register', {
      method: 'POST',
      body: { email: 'reader@example.org', password: PASSWORD },
    })
  })

  afterEach(() => proxy.mend())

  afterAll(async () => {
    await app.close()
    await database.close()
    await proxy.close()
    await dropPostgresDatabase(url)
  })

  const login = () =>
    app.rest('/auth/login', { method: 'POST', body: { email: 'reader@example.org', password: PASSWORD } })
  const subscribe = async () => {
    const abort = new AbortController()
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      signal: abort.signal,
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ query: 'subscription { ai_analysis_changes { cursor } }' }),
    })
    abort.abort()
    return response
  }
  const uses: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
    'a read': () => app.rest('/v1/assets', { key }),
    'another read': () => app.rest('/v1/forex?quote=USD', { key }),
    'an operation': () => app.graphql('{ etfs { data { ticker } } assets { data { ticker } } }', { key }),
    'a login': login,
    'a subscription': subscribe,
    readiness: () => app.rest('/readyz'),
  }

  it.each(DISTURBANCES)(
    '%s refuses what needs it in time, and answers again soon after',
    async (_, disturbance) => {
      app.clock.advance(60_000) // what is kept in memory is not recent enough
      const before = await Promise.all(
        Object.entries(uses).map(async ([name, use]) => [name, (await use()).status]),
      )
      app.clock.advance(60_000)
      proxy.disturb(disturbance)
      const outcomes = await Promise.all(
        Object.entries(uses).map(async ([name, use]) => {
          const startedAt = performance.now()
          const { status } = await use()
          const tookMs = performance.now() - startedAt
          return { name, status, isInTime: tookMs < REFUSED_MS || Math.round(tookMs) }
        }),
      )
      expect(outcomes).toEqual(Object.keys(uses).map((name) => ({ name, status: 503, isInTime: true })))
      proxy.pass()
      const passedAt = performance.now()
      for (const [name, status] of before) {
        const use = uses[name ?? ''] ?? login
        await expect
          .poll(async () => [name, (await use()).status], { timeout: 4 * HEALTHY_MS })
          .toEqual([name, status])
      }
      expect(performance.now() - passedAt).toBeLessThan(HEALTHY_MS)
    },
    60_000,
  )
})
