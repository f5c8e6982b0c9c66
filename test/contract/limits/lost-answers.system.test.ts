import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MAX_STREAMS_PER_ACCOUNT } from '../../../src/gateway/graphql/stream/streams.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { encodeRevisionCursor } from '../../../src/platform/request/revision-cursor.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
  SEEDED_AT,
} from '../../support/database/database.js'
import { reviseRates } from '../../support/database/forex-revisions.js'
import { type CuttableProxy, LOST_ANSWERS, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'
import { openEventStream, readEvents } from '../../support/peers/event-stream.js'
import { watchRequests } from '../../support/waited-ms.js'

/** Longest that a client waits for a 503, on the timers of the gateway. */
const REFUSED_MS = 3_000
/** How often what waits for changes looks for them. */
const NEXT_LOOK_MS = 500
/** After bytes pass again: lost connections and short limits may still refuse. */
const SOON = { timeout: 3_000 }

/** Uses whose answers the gateway keeps. */
const KEPT: ReadonlySet<string> = new Set(['a read', 'another read', 'an operation'])

const PASSWORD = 'correct horse battery staple'

describe.skipIf(!availableDatabases().includes('postgres'))('a gateway whose way to PostgreSQL', () => {
  let url: string
  let proxy: CuttableProxy
  let database: Database
  /** The same database without the proxy. */
  let direct: Database
  let revision = 1
  let app: TestApp
  let key: string

  beforeAll(async () => {
    url = await copyPostgresWorld('seeded')
    proxy = await startCuttableProxy(url)
    database = await openDatabase({ kind: 'postgres', url: proxy.url, poolSize: 4 })
    direct = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
    app = await startTestApp('postgres', {
      database,
      clock: new TestClock(SEEDED_AT),
      env: { READINESS_NEEDS_DATABASE: 'true' },
    })
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
    await direct.close()
    await proxy.close()
    await dropPostgresDatabase(url)
  })

  const login = () =>
    app.rest('/auth/login', { method: 'POST', body: { email: 'reader@example.org', password: PASSWORD } })
  const open = () => openEventStream(app.url, 'subscription { ai_analysis_changes { cursor } }', key)
  const subscribe = async () => {
    const { response, kill } = await open()
    kill()
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

  it.each(LOST_ANSWERS)(
    '%s refuses in time what needs it, answers what it knows, and all of it again soon after',
    async (_, disturbance) => {
      app.clock.advance(60_000) // what is kept in memory is not recent enough
      const before = await Promise.all(
        Object.entries(uses).map(async ([name, use]) => [name, (await use()).status]),
      )
      app.clock.advance(60_000)
      proxy.disturb(disturbance)
      const requests = watchRequests()
      const outcomes = await Promise.all(
        Object.entries(uses).map(async ([name, use]) => [name, (await use()).status]),
      )
      requests.stop()
      expect(outcomes).toEqual(Object.keys(uses).map((name) => [name, KEPT.has(name) ? 200 : 503]))
      expect(requests.waits()).toHaveLength(outcomes.length)
      expect(Math.max(...requests.waits())).toBeLessThan(REFUSED_MS)
      proxy.pass()
      for (const [name, status] of before)
        await expect.poll(async () => (await (uses[name ?? ''] ?? login)()).status, SOON).toBe(status)
    },
    60_000,
  )

  it.each(LOST_ANSWERS)(
    '%s keeps streams open, which send afterwards what was committed meanwhile, and ends a long poll in time',
    async (_, disturbance) => {
      const poll = () =>
        app.rest(`/v1/ai-analysis/changes?since=${app.clock.now().toISOString()}&wait_seconds=30`, { key })
      await expect.poll(async () => (await login()).status, SOON).toBe(200)
      app.clock.advance(60_000) // what is kept in memory is not recent enough
      const cursor = encodeRevisionCursor({ knownFrom: app.clock.now(), key: '' })
      const query = `subscription { forex(quote: "USD", cursor: "${cursor}") { rate } }`
      const streams = await Promise.all(
        Array.from({ length: MAX_STREAMS_PER_ACCOUNT }, () => openEventStream(app.url, query, key)),
      )
      expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200))
      expect((await open()).response.status).toBe(429)
      const events = streams.map(({ response }) => nextRate(response))
      await sleep(2 * NEXT_LOOK_MS) // until each has read its first rows
      const requests = watchRequests()
      const polled = poll().then(({ status }) => status)
      proxy.disturb(disturbance)
      app.clock.advance(60_000)
      expect(await polled).toBe(503)
      requests.stop()
      expect(Math.max(...requests.waits())).toBeLessThan(NEXT_LOOK_MS + REFUSED_MS)
      revision += 1
      await reviseRates(direct, revision, app.clock.now())
      proxy.pass()
      app.clock.advance(60_000)
      expect(await Promise.all(events)).toEqual(events.map(() => revision))
      for (const { kill } of streams) kill()
    },
    60_000,
  )
})

/** The rate of the next event of a stream. */
async function nextRate(response: Response): Promise<number> {
  for await (const event of readEvents<{ data?: { forex: { rate: number } } }>(response))
    if (typeof event !== 'string' && event.data) return event.data.forex.rate
  return expect.fail('the stream ended')
}
