import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedWorld } from '../../src/ingest/seed/seed-world.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { migrate } from '../../src/platform/database/migrate.js'
import { BATCH_LIMITS } from '../../src/platform/database/statement-limits.js'
import { startTestApp, type TestApp, TestClock } from '../support/app.js'
import { MIGRATIONS, SEEDED_AT } from '../support/database.js'
import { amountOf, noteFigures } from '../support/figures.js'
import { faultOf, type Outcome, outcomeOf } from '../support/load.js'
import { type Cluster, clusterBinaries, startPrimary } from '../support/postgres-cluster.js'

const RESTARTS = amountOf('RESTARTS', 1)

/** Longest that a client waits for its answer while PostgreSQL is away, on a busy machine. */
const ANSWERED_MS = 10_000
/** How long after PostgreSQL accepts connections readiness is back. */
const READY_MS = 5_000

/** Load on a gateway until it is stopped; the outcomes so far. */
function startLoad(url: string, key: string, atOnce: number) {
  const outcomes: Outcome[] = []
  let isOver = false
  const loops = Array.from({ length: atOnce }, async (_, at) => {
    for (let number = at; !isOver; number += atOnce) {
      const isKey = at === 0 && number % (10 * atOnce) === 0
      const init = isKey ? { method: 'POST', body: JSON.stringify({ label: `key ${number}` }) } : {}
      const day = new Date(Date.UTC(2026, 9, 1) - (number % 5_000) * 86_400_000).toISOString().slice(0, 10)
      const path = isKey ? '/auth/keys' : `/v1/forex?quote=USD&from=${day}`
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      outcomes.push(await outcomeOf(path, url + path, { ...init, headers }))
      await sleep(10)
    }
  })
  const stop = async () => {
    isOver = true
    await Promise.all(loops)
  }
  return { outcomes, stop }
}

/** Keys that were shown and open nothing. */
async function keysLost(url: string, outcomes: readonly Outcome[]): Promise<readonly string[]> {
  const made = outcomes.filter(({ what, status }) => what === '/auth/keys' && status === 201)
  const statuses = await Promise.all(
    made.map(async ({ text }) => {
      const { raw_key } = JSON.parse(text) as { raw_key: string } // a 201
      return (await outcomeOf('/auth/me', `${url}/auth/me`, { headers: { 'x-api-key': raw_key } })).status
    }),
  )
  return statuses.filter((status) => status !== 200).map((status) => `a key that was shown is a ${status}`)
}

const wrongIn = (outcomes: readonly Outcome[], statuses: readonly number[]) =>
  outcomes.flatMap((outcome) => faultOf(outcome, { statuses, withinMs: ANSWERED_MS }) ?? [])

describe.skipIf(clusterBinaries() === null)('a PostgreSQL that is killed and started again', () => {
  const findings: string[] = []
  let requests = 0
  let restarts = 0
  let cluster: Cluster
  let database: Database
  let app: TestApp

  beforeAll(async () => {
    cluster = await startPrimary()
    const maker = await openDatabase({ kind: 'postgres', url: cluster.url }, { limits: BATCH_LIMITS })
    await migrate(maker, MIGRATIONS)
    await seedWorld(maker, SEEDED_AT, ['forex'])
    await maker.close()
    database = await openDatabase({ kind: 'postgres', url: cluster.url, poolSize: 4 })
    const env = { BURST_PER_MINUTE: '1000000' }
    app = await startTestApp('postgres', { database, clock: new TestClock(SEEDED_AT), env })
  })
  afterAll(async () => {
    noteFigures({ part: 'PostgreSQL restarted under load', done: { restarts, requests }, findings })
    await app?.close()
    await database?.close()
    await cluster?.remove()
  })

  it('is a 503 until then, and all is answered soon after, with nothing lost', async () => {
    for (; restarts < RESTARTS; restarts += 1) {
      const load = startLoad(app.url, await app.newKey({ tier: 'pro' }), 8)
      const answered = () => load.outcomes.filter(({ status }) => status < 300).length
      await expect.poll(answered, { timeout: 30_000 }).toBeGreaterThan(20)
      await cluster.kill()
      app.clock.advance(20_000) // what is kept in memory is not recent enough
      const refused = () => load.outcomes.filter(({ status }) => status === 503).length
      const before = refused()
      await expect.poll(refused, { timeout: 30_000 }).toBeGreaterThan(before + 8)
      const [ready, healthy] = await Promise.all(
        ['/readyz', '/healthz'].map((path) => outcomeOf(path, app.url + path)),
      )
      if (ready?.status !== 503) findings.push(`/readyz is ${ready?.status} without PostgreSQL`)
      if (healthy?.status !== 200) findings.push(`/healthz is ${healthy?.status} without PostgreSQL`)
      await cluster.start()
      const startedAt = performance.now()
      const readiness = async () => (await outcomeOf('/readyz', `${app.url}/readyz`)).status
      await expect.poll(readiness, { timeout: 4 * READY_MS, interval: 20 }).toBe(200)
      const readyMs = performance.now() - startedAt
      if (readyMs > READY_MS) findings.push(`ready ${Math.round(readyMs)} ms after the start`)
      const backAt = load.outcomes.length
      await expect.poll(() => load.outcomes.length, { timeout: 30_000 }).toBeGreaterThan(backAt + 40)
      await load.stop()
      requests += load.outcomes.length
      findings.push(...wrongIn(load.outcomes, [200, 201, 503]), ...(await keysLost(app.url, load.outcomes)))
      // What was sent when all was back: those under way at that moment may still have been refused.
      findings.push(...wrongIn(load.outcomes.slice(backAt + 8), [200, 201]))
    }
    expect(findings).toEqual([])
  }, 900_000)
})
