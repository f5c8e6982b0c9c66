import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MAX_STREAMS_PER_ACCOUNT } from '../../../src/gateway/graphql/stream/streams.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
  SEEDED_AT,
} from '../../support/database/database.js'
import { type CuttableProxy, LOST_ANSWERS, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'
import { openEventStream, readEvents } from '../../support/peers/event-stream.js'
import { watchRequests } from '../../support/waited-ms.js'

/** Longest that a client waits for a 503, on the timers of the gateway. */
const REFUSED_MS = 3_000
/** How often what waits for changes looks for them. */
const NEXT_LOOK_MS = 500
/** Of the uses of a way that bytes pass again: those that lost connections and short limits may still refuse. */
const MAX_REFUSED = 10

const PASSWORD = 'correct horse battery staple'

describe.skipIf(!availableDatabases().includes('postgres'))('a gateway whose way to PostgreSQL', () => {
  let url: string
  let proxy: CuttableProxy
  let database: Database
  let app: TestApp
  let key: string

  beforeAll(async () => {
    url = await copyPostgresWorld('seeded')
    proxy = await startCuttableProxy(url)
    database = await openDatabase({ kind: 'postgres', url: proxy.url, poolSize: 4 })
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
    '%s refuses what needs it in time, and answers again soon after',
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
      expect(outcomes).toEqual(Object.keys(uses).map((name) => [name, 503]))
      expect(requests.waits()).toHaveLength(outcomes.length)
      expect(Math.max(...requests.waits())).toBeLessThan(REFUSED_MS)
      proxy.pass()
      const refused: unknown[] = []
      for (const [name, status] of before) {
        const use = uses[name ?? ''] ?? login
        for (let now = (await use()).status; now !== status; now = (await use()).status) {
          refused.push([name, now])
          if (refused.length > MAX_REFUSED) expect.fail(`not healthy: ${JSON.stringify(refused)}`)
        }
      }
    },
    60_000,
  )

  it.each(LOST_ANSWERS)(
    '%s ends what waits for changes in time, and it can be opened again soon after',
    async (_, disturbance) => {
      const poll = () =>
        app.rest(`/v1/ai-analysis/changes?since=${app.clock.now().toISOString()}&wait_seconds=30`, { key })
      app.clock.advance(60_000) // what is kept in memory is not recent enough
      const requests = watchRequests()
      const streams = await Promise.all(Array.from({ length: MAX_STREAMS_PER_ACCOUNT }, open))
      expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200))
      expect((await open()).response.status).toBe(429)
      const polled = poll().then(({ status }) => status)
      await Promise.all(streams.map(({ response }) => readEvents(response).next()))
      proxy.disturb(disturbance)
      app.clock.advance(60_000)
      const before = requests.waits()
      const ends = await Promise.all([...streams.map(({ response }) => endOf(response)), polled])
      requests.stop()
      const waits = requests.waits().map((ms, at) => ms - (before[at] ?? 0))
      expect(Math.max(...waits)).toBeLessThan(NEXT_LOOK_MS + REFUSED_MS)
      expect(ends).toEqual([...streams.map(() => 'cut'), 503])
      proxy.pass()
      const again: number[] = []
      for (let opened = 0; opened < MAX_STREAMS_PER_ACCOUNT; opened += again.at(-1) === 200 ? 1 : 0) {
        again.push((await subscribe()).status)
        if (again.length > MAX_STREAMS_PER_ACCOUNT + MAX_REFUSED) expect.fail(`not healthy: ${again}`)
      }
    },
    60_000,
  )
})

/** How a stream of events ends. */
async function endOf(response: Response): Promise<'complete' | 'cut'> {
  try {
    for await (const event of readEvents(response)) if (event === 'complete') return 'complete'
  } catch {
    // Its connection broke.
  }
  return 'cut'
}
